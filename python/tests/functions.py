"""Functions to minimize."""

import numpy as np


def rosenbrock(x):
    x = np.asarray(x)
    b = x[1:] - x[:-1] ** 2
    a = 1 - x[:-1]
    grad = np.zeros_like(x)
    grad[:-1] = -2 * a - 400 * x[:-1] * b
    grad[1:] += 200 * b
    return float(a @ a + 100 * b @ b), grad


def value(x):
    return rosenbrock(x)[0]


def gradient(x):
    return rosenbrock(x)[1]


START = np.array([-1.2, 1.0, 0.5])
