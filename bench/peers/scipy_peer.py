#!/usr/bin/env python3
"""SciPy behind the same commands as the programs made from bench/driver/main.cc: `list` and `time`.

    scipy_peer.py list
    scipy_peer.py time SOLVER N SHORT LONG SECONDS
"""
import json
import sys
import time

import numpy as np
from scipy.optimize import minimize

CONDITION = 1e4  # of the same quadratic as in bench/driver/functions.h
MEMORY = 10
SOLVERS = {"bfgs": "dense", "l-bfgs-b": "limited"}


class Timed:
    """f that takes the time between its calls."""

    def __init__(self, c):
        self.c, self.gaps, self.last_exit = c, [], time.perf_counter()

    def __call__(self, x):
        self.gaps.append(time.perf_counter() - self.last_exit)
        gradient = self.c * x
        value = 0.5 * np.dot(gradient, x)
        self.last_exit = time.perf_counter()
        return value, gradient


def run(solver, c, iterations):
    """(iterations made, seconds before each call of f)"""
    f = Timed(c)
    if solver == "bfgs":
        method, options = "BFGS", {"gtol": 0.0, "maxiter": iterations}
    else:
        method = "L-BFGS-B"
        options = {"gtol": 0.0, "ftol": 0.0, "maxiter": iterations, "maxfun": 10**9, "maxcor": MEMORY}
    return minimize(f, np.ones(len(c)), jac=True, method=method, options=options).nit, f.gaps


def time_iterations(solver, n, short_length, long_length, budget):
    """As in bench/driver/main.cc."""
    c = CONDITION ** (np.arange(n) / max(1.0, n - 1.0))
    short_made, short_gaps = run(solver, c, short_length)
    begin, repetitions, least = time.perf_counter(), 0, None
    while repetitions == 0 or time.perf_counter() - begin < budget:
        made, gaps = run(solver, c, long_length)
        if made < long_length or (least and len(gaps) != len(least)):
            sys.exit(f"{solver}, n = {n}: {made} of {long_length} iterations were made")
        least = [min(pair) for pair in zip(gaps, least)] if least else gaps
        repetitions += 1
    first = len(short_gaps)
    return {"iterations": made - short_made, "evaluations": len(least) - first, "repetitions": repetitions,
            "seconds": least[first:]}


def main(words):
    if words == ["list"]:
        print(json.dumps(SOLVERS))
    elif len(words) == 6 and words[0] == "time" and words[1] in SOLVERS:
        print(json.dumps(time_iterations(words[1], int(words[2]), int(words[3]), int(words[4]), float(words[5]))))
    else:
        sys.exit("expected one of: list | time SOLVER N SHORT LONG SECONDS")


if __name__ == "__main__":
    main(sys.argv[1:])
