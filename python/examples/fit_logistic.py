"""Fit a logistic model to data that are made here: labels -1 and 1, a ridge of 1/m."""

import numpy as np

import loa

rng = np.random.default_rng(0)
m, n = 500, 20
A = rng.normal(size=(m, n))
truth = rng.normal(size=n)
labels = np.where(A @ truth + rng.normal(size=m) > 0, 1.0, -1.0)


class Logistic:
    """f(x) = mean log(1 + exp(-b_i <a_i, x>)) + |x|^2 / (2 m)"""

    def value_and_gradient(self, x):
        margin = labels * (A @ x)
        f = np.logaddexp(0, -margin).mean() + x @ x / (2 * m)
        weight = -labels * np.exp(-np.logaddexp(0, margin))
        return f, A.T @ weight / m + x / m

    def hessian(self, x):
        p = np.exp(-np.logaddexp(0, -(A @ x)))
        return (A.T * (p * (1 - p))) @ A / m + np.eye(n) / m


for algorithm in ("auto", "gradient-descent", "bfgs", "loa-bfgs", "newton"):
    result = loa.minimize(Logistic(), np.zeros(n), algorithm=algorithm, tol=1e-8)
    right = np.mean(np.sign(A @ result.x) == labels)
    print(f"{algorithm:16} f = {result.fun:.10f}  {result.nfev:4} evaluations  {right:.0%} of the labels")
    assert result.success
