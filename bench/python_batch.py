#!/usr/bin/env python3
"""Ten thousand small fits by loa.minimize_batch, against loops over loa.minimize and scipy.optimize.minimize.

    python bench/python_batch.py [FITS]

Each fit is a least-squares fit of a exp(-b t) + c (n = 3), or of a exp(-b t) + c exp(-d t) + e (n = 5), to 20 noisy values.
"""

import os
import sys
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # threads that wait for work would count as processor time

import numpy as np  # noqa: E402
from scipy.optimize import minimize  # noqa: E402

import loa  # noqa: E402

T = np.linspace(0.0, 4.0, 20)


def model(n, P):
    """Values (k, 20), and derivatives by the n parameters, for parameters of shape (k, n)."""
    first = np.exp(-P[:, 1, None] * T)
    if n == 3:
        values = P[:, 0, None] * first + P[:, 2, None]
        return values, [first, -P[:, 0, None] * T * first, np.ones_like(first)]
    second = np.exp(-P[:, 3, None] * T)
    values = P[:, 0, None] * first + P[:, 2, None] * second + P[:, 4, None]
    return values, [first, -P[:, 0, None] * T * first, second, -P[:, 2, None] * T * second, np.ones_like(first)]


def problems(n, fits, seed=0):
    rng = np.random.default_rng(seed)
    true = rng.uniform(0.5, 2.0, (fits, n))
    if n == 5:
        true[:, 3] += 2.0
    data = model(n, true)[0] + 0.01 * rng.standard_normal((fits, T.size))
    return data, true * rng.uniform(0.7, 1.3, (fits, n))


def objective(n, data):
    def fun(P, rows):
        values, derivatives = model(n, P)
        residual = values - data[rows]
        return 0.5 * (residual**2).sum(axis=1), np.stack([(residual * d).sum(axis=1) for d in derivatives], axis=1)

    return fun


def main():
    np.seterr(all="ignore")  # trials that are too long overflow
    fits = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    print("Seconds of processor time; those of single fits are those of 200, scaled.")
    print(f"\n| {fits} fits with n | at once | seconds | calls | evaluations | converged |\n" + "| --- " * 6 + "|")
    for n in (3, 5):
        data, starts = problems(n, fits)
        fun = objective(n, data)
        for at_once in (64, 256, 1024, 16384):
            begin = time.process_time()
            batch = loa.minimize_batch(fun, starts, indices=True, at_once=at_once)
            seconds = time.process_time() - begin
            print(
                f"| {n} | {min(at_once, fits)} | {seconds:.2f} | {batch.calls} | {batch.nfev.sum()} | {batch.success.sum()} |"
            )
        some = min(fits, 200)
        times = []
        for which in ("loa", "scipy"):
            begin = time.process_time()
            for i in range(some):
                row = np.array([i])

                def single(x, row=row):
                    values, gradients = fun(x[None], row)
                    return values[0], gradients[0]

                if which == "loa":
                    result = loa.minimize(single, starts[i], jac=True)
                    assert result.x.tobytes() == batch.x[i].tobytes() and result.nfev == batch.nfev[i]
                else:
                    minimize(single, starts[i], jac=True, method="L-BFGS-B")
            times.append((time.process_time() - begin) * fits / some)
        print(f"| {n} | `loa.minimize` in a loop | {times[0]:.2f} | {batch.nfev.sum()} | {batch.nfev.sum()} | |")
        print(f"| {n} | SciPy's L-BFGS-B in a loop | {times[1]:.2f} | | | |")


if __name__ == "__main__":
    main()
