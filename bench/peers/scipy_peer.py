#!/usr/bin/env python3
"""SciPy behind the same commands as the programs made from bench/driver/main.cc: `list` and `time`.

    scipy_peer.py list
    scipy_peer.py time SOLVER N SHORT LONG SECONDS
"""
import json
import math
import sys
import time

import numpy as np
from scipy.optimize import minimize

CONDITION = 1e4  # of the same quadratic as in bench/driver/functions.h
MEMORY = 10
SLOW_DIFFERENCE = 3
SOLVERS = {"bfgs": "dense", "l-bfgs-b": "limited"}


class Timed:
    def __init__(self, c):
        self.c, self.seconds, self.evaluations = c, 0.0, 0

    def __call__(self, x):
        begin = time.perf_counter()
        gradient = self.c * x
        value = 0.5 * np.dot(gradient, x)
        self.evaluations += 1
        self.seconds += time.perf_counter() - begin
        return value, gradient


def run(solver, c, iterations):
    """(iterations made, evaluations, seconds without f, all seconds)"""
    f = Timed(c)
    if solver == "bfgs":
        method, options = "BFGS", {"gtol": 0.0, "maxiter": iterations}
    else:
        method = "L-BFGS-B"
        options = {"gtol": 0.0, "ftol": 0.0, "maxiter": iterations, "maxfun": 10**9, "maxcor": MEMORY}
    begin = time.perf_counter()
    result = minimize(f, np.ones(len(c)), jac=True, method=method, options=options)
    whole = time.perf_counter() - begin
    return result.nit, f.evaluations, whole - f.seconds, whole


def time_iterations(solver, n, short_length, long_length, budget):
    c = CONDITION ** (np.arange(n) / max(1.0, n - 1.0))
    begin = time.perf_counter()
    short = run(solver, c, short_length)
    slow = short[3] > budget
    if slow:
        long_length = min(long_length, short_length + SLOW_DIFFERENCE)
    short_seconds, long_seconds, repetitions = short[2], math.inf, 0
    while True:
        if not slow:
            short_seconds = min(short_seconds, run(solver, c, short_length)[2])
        long = run(solver, c, long_length)
        long_seconds = min(long_seconds, long[2])
        repetitions += 1
        if slow or time.perf_counter() - begin >= budget:
            break
    if long[0] < long_length:
        sys.exit(f"{solver}, n = {n}: {long[0]} of {long_length} iterations were made")
    return {"short_iterations": short[0], "short_seconds": short_seconds, "long_iterations": long[0],
            "long_seconds": long_seconds, "evaluations_per_iteration": (long[1] - short[1]) / (long[0] - short[0]),
            "repetitions": repetitions}


def main(words):
    if words == ["list"]:
        print(json.dumps(SOLVERS))
    elif len(words) == 6 and words[0] == "time" and words[1] in SOLVERS:
        print(json.dumps(time_iterations(words[1], int(words[2]), int(words[3]), int(words[4]), float(words[5]))))
    else:
        sys.exit("expected one of: list | time SOLVER N SHORT LONG SECONDS")


if __name__ == "__main__":
    main(sys.argv[1:])
