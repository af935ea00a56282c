#!/usr/bin/env python3
"""What one evaluation costs through loa beyond calling the Python function itself, in microseconds.

    python bench/python_overhead.py

evaluation  check_gradient, which does nothing but evaluate: 4 n + 1 times, with hardly any work in between.
iteration   minimize with the algorithm of the least work (steepest descent with fixed steps, one evaluation an
            iteration), which includes the iteration itself, its row of the trace and the look for signals.

default     an evaluation of a whole run of the default algorithm and of bfgs on Rosenbrock's chained function, whose values and
            gradients are those of a run before: the loop and B in C++ are most of it.

The function returns a stored number and a stored array, so that next to nothing is its own; its own time, measured in
a loop, is subtracted. Times are processor time, each the least of several repetitions.
"""

import time

import numpy as np

import loa


def microseconds(work, count, repetitions=15):
    times = []
    for _ in range(repetitions):
        begin = time.thread_time()
        work()
        times.append((time.thread_time() - begin) / count * 1e6)
    return min(times)


class Stored:
    """f and a gradient that cost nothing; f falls, so that a run does not look idle."""

    def __init__(self, n):
        self.x0 = np.ones(n)
        self.grad = np.full(n, 1e-3)
        self.f = 0.0

    def fused(self, x):
        self.f -= 1.0
        return self.f, self.grad

    def value(self, x):
        self.f -= 1.0
        return self.f

    def jac(self, x):
        return self.grad


def own_time(stored, callables, count=20000):
    def loop():
        for _ in range(count):
            for function in callables:
                function(stored.x0)

    return microseconds(loop, count)


def evaluation(n):
    stored = Stored(n)
    rounds = max(1, 20000 // (4 * n + 1))

    def work():
        for _ in range(rounds):
            loa.check_gradient(stored.fused, stored.x0, jac=True)

    return microseconds(work, rounds * (4 * n + 1)) - own_time(stored, [stored.fused])


def iteration(n, separate, count=20000):
    stored = Stored(n)
    fun, jac = (stored.value, stored.jac) if separate else (stored.fused, True)
    options = {"step_size": 1.0, "first_step": 1.0, "gtol": 0, "max_iterations": count - 2, "safeguard": "off"}

    def work():
        result = loa.minimize(
            fun, stored.x0, jac=jac, algorithm="gradient-descent", line_search="fixed", options=options
        )
        assert result.nfev == count, (result.nfev, result.message)

    return microseconds(work, count) - own_time(stored, [stored.value, stored.jac] if separate else [stored.fused])


def chained(x):
    grad, t = np.zeros_like(x), x[1:] - x[:-1] ** 2
    grad[:-1] = -400 * x[:-1] * t - 2 * (1 - x[:-1])
    grad[1:] += 200 * t
    return float(100 * t @ t + (1 - x[:-1]) @ (1 - x[:-1])), grad


def whole_run(n, algorithm):
    found, start = [], np.linspace(-1, 1, n)

    def record(x):
        found.append(chained(x))
        return found[-1]

    nfev = loa.minimize(record, start, jac=True, algorithm=algorithm).nfev

    def work():
        again = iter(found)
        loa.minimize(lambda x: next(again), start, jac=True, algorithm=algorithm)

    def calls():
        again = iter(found)
        function = lambda x: next(again)  # noqa: E731
        for _ in range(nfev):
            function(start)

    return microseconds(work, nfev, 200) - microseconds(calls, nfev, 200), nfev


def main():
    print("| microseconds beyond the call of the function | n | an evaluation |\n| --- | --- | --- |")
    for n in (2, 10, 100, 1000):
        print(f"| evaluation alone | {n} | {evaluation(n):.2f} |")
        print(f"| iteration, jac=True | {n} | {iteration(n, False):.2f} |")
        print(f"| iteration, jac=callable | {n} | {iteration(n, True):.2f} |")
    for n in (2, 10, 30):
        for algorithm in ("auto", "bfgs"):
            beyond, nfev = whole_run(n, algorithm)
            print(f"| whole run of {algorithm}, {nfev} evaluations | {n} | {beyond:.2f} |")


if __name__ == "__main__":
    main()
