"""Train the controller of loa on fifty problems of one's own: logistic regressions with other data each time."""

import numpy as np

import loa

rng = np.random.default_rng(0)


def regression():
    A = rng.normal(size=(60, 8))
    y = np.sign(A @ rng.normal(size=8) + rng.normal(size=60))

    def f(x):
        e = np.exp(-y * (A @ x))
        return np.log1p(e).mean() + 0.005 * x @ x, -(A.T @ (y * e / (1 + e))) / len(y) + 0.01 * x

    return f, np.zeros(8)


training = loa.train(problems=[regression() for _ in range(50)], jac=True, budget_seconds=60)
print(training)

f, x0 = regression()
result = loa.minimize(f, x0, jac=True, algorithm="loa", weights=training.weights)
print(f"a new one: {result.nfev} evaluations, the default {loa.minimize(f, x0, jac=True).nfev}")
