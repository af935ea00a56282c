"""Minimize a function: the value and the gradient together, and a look at what comes back."""

import numpy as np

import loa


def rosenbrock(x):
    b = x[1:] - x[:-1] ** 2
    a = 1 - x[:-1]
    grad = np.zeros_like(x)
    grad[:-1] = -2 * a - 400 * x[:-1] * b
    grad[1:] += 200 * b
    return a @ a + 100 * b @ b, grad


x0 = np.tile([-1.2, 1.0], 5)
print(loa.check_gradient(rosenbrock, x0, jac=True).message)

result = loa.minimize(rosenbrock, x0, jac=True)
print(result.message)
print(f"f = {result.fun:.1e} after {result.nfev} evaluations by {result.state.algorithm}")

# Stop early, keep the state, go on later: the same bits as without the break.
half = loa.minimize(rosenbrock, x0, jac=True, options={"max_iterations": 10})
rest = loa.minimize(rosenbrock, jac=True, state=half.state)
assert np.array_equal(rest.x, result.x)
assert result.success
