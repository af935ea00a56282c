"""Compare algorithms on built-in problems and one's own, from several starts."""

import sys

import numpy as np

import loa


def well(x):
    return float(np.sum(np.sqrt(1 + x**2)) + 0.1 * np.sum((x[1:] - x[:-1]) ** 2))


own = loa.NamedObjective("well", well, x0=np.linspace(-3, 5, 8), jac="3-point")
comparison = loa.compare(
    ["rosenbrock:n=20", "mgh:wood", "quadratic:n=50,seed=1", own], ["bfgs", "sr1", "loa-bfgs"], starts=3, seed=1
)
print(comparison)
assert not comparison.below_optimum

try:
    figure = loa.plot.profiles(comparison)
except ImportError as error:
    print(error)
else:
    if len(sys.argv) > 1:
        figure.savefig(sys.argv[1])  # profiles.svg, for instance
