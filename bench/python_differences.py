#!/usr/bin/env python3
"""Runs without a gradient, of loa and of SciPy: how many say that they have succeeded, how many are right, and the calls.

    python bench/python_differences.py [STARTS]

Twelve functions from STARTS (30) starts, normal random numbers times 2, with at most 3000 iterations and 300,000 calls. A
success is not right where a component of the gradient, by central differences with steps of 1e-5, is above twice the tolerance
1e-5. L-BFGS-B has another test by default: it ends as well where f falls by less than 2.2e-9 of itself.
"""

import sys
import warnings

import numpy as np
from scipy.optimize import minimize, rosen

import loa

LIMITS = {"maxiter": 3000}


def beale(x):
    return sum((y - x[0] + x[0] * x[1] ** k) ** 2 for k, y in ((1, 1.5), (2, 2.25), (3, 2.625)))


def wood(x):
    first = 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2 + 90 * (x[3] - x[2] ** 2) ** 2 + (1 - x[2]) ** 2
    return first + 10.1 * ((x[1] - 1) ** 2 + (x[3] - 1) ** 2) + 19.8 * (x[1] - 1) * (x[3] - 1)


def powell(x):
    return (x[0] + 10 * x[1]) ** 2 + 5 * (x[2] - x[3]) ** 2 + (x[1] - 2 * x[2]) ** 4 + 10 * (x[0] - x[3]) ** 4


def logistic(n, rng=np.random.default_rng(1)):
    A = rng.normal(size=(60, n)) * np.logspace(-1, 1, n)
    y = np.sign(A @ rng.normal(size=n) + rng.normal(size=60))
    return lambda w: float(np.logaddexp(0, -y * (A @ w)).mean() + 0.5e-3 * w @ w)


def quadratic(n, rng=np.random.default_rng(1)):
    Q = np.linalg.qr(rng.normal(size=(n, n)))[0]
    H, b = (Q * np.logspace(0, 4, n)) @ Q.T, rng.normal(size=n)
    return lambda x: float(0.5 * x @ H @ x - b @ x + 3)


def decay(rng=np.random.default_rng(1)):
    t = np.linspace(0, 3, 30)
    y = 2 * np.exp(-1.5 * t) + 0.5 + 0.05 * rng.normal(size=30)
    return lambda p: float(np.sum((p[0] * np.exp(-p[1] * t) + p[2] - y) ** 2))


def trid(x):
    return float(np.sum((x - 1) ** 2) - np.sum(x[1:] * x[:-1]))


FUNCTIONS = [(rosen, n) for n in (2, 3, 5, 10)] + [
    (powell, 4), (beale, 2), (wood, 4), (logistic(8), 8), (quadratic(6), 6), (decay(), 3), (trid, 10),
    (lambda x: rosen(x) + 1000.0, 4),
]  # fmt: skip
METHODS = {
    "loa.minimize": lambda f, x: loa.minimize(f, x, options={**LIMITS, "maxfun": 300000}),
    'loa.minimize, jac="2-point"': lambda f, x: loa.minimize(f, x, jac="2-point", options={**LIMITS, "maxfun": 300000}),
    "SciPy, BFGS": lambda f, x: minimize(f, x, method="BFGS", options=LIMITS),
    "SciPy, L-BFGS-B": lambda f, x: minimize(f, x, method="L-BFGS-B", options={**LIMITS, "maxfun": 300000}),
}


def largest_slope(f, x):
    steps = np.diag(1e-5 * np.maximum(1.0, np.abs(x)))
    return max(abs(f(x + h) - f(x - h)) / (2 * h.sum()) for h in steps)


def main():
    warnings.simplefilter("ignore")
    starts = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    print("| without a gradient | runs | successes | of these not right | calls, median | calls, all |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, method in METHODS.items():
        calls, successes, wrong = [], 0, 0
        for f, n in FUNCTIONS:
            for seed in range(1000, 1000 + starts):
                result = method(f, 2 * np.random.default_rng(seed).normal(size=n))
                calls.append(result.nfev)
                successes += bool(result.success)
                wrong += bool(result.success) and not largest_slope(f, result.x) <= 2e-5
        print(f"| {name} | {len(calls)} | {successes} | {wrong} | {int(np.median(calls))} | {sum(calls)} |")


if __name__ == "__main__":
    main()
