"""Bounds on variables.

Would catch: a call of fun outside, by a trial or by a difference; pairs, Bounds or None read wrongly; bounds that do not reach
the run through SciPy; an active set or multipliers of the wrong sign.
"""

import math

import numpy as np
import pytest

import loa

optimize = pytest.importorskip("scipy.optimize")


class Watched:
    """The Rosenbrock function, and every point at which it was called."""

    def __init__(self):
        self.points = []

    def __call__(self, x):
        self.points.append(np.array(x))
        return optimize.rosen(x)

    def are_inside(self, lower, upper):
        return all(np.all(x >= lower) and np.all(x <= upper) for x in self.points)


LOWER, UPPER = np.array([-2.0, 0.5, -1.0]), np.array([0.5, 0.5, math.inf])
PAIRS = [(-2, 0.5), (0.5, 0.5), (-1, None)]


@pytest.mark.parametrize("bounds", [PAIRS, optimize.Bounds(LOWER, UPPER)], ids=["pairs", "Bounds"])
@pytest.mark.parametrize("jac", [None, "3-point", optimize.rosen_der], ids=["forward", "central", "exact"])
def test_fun_is_called_inside_alone(bounds, jac):
    fun = Watched()
    result = loa.minimize(fun, [3.0, 3.0, -7.0], jac=jac, bounds=bounds)
    assert result.success, result.message
    assert fun.are_inside(LOWER, UPPER)
    assert len(fun.points) == result.nfev
    assert result.bounds["num_projected"] == 3
    expected = optimize.minimize(
        optimize.rosen, [0.0, 0.5, 0.0], jac=optimize.rosen_der, bounds=optimize.Bounds(LOWER, UPPER), tol=1e-12
    )
    assert result.fun == pytest.approx(expected.fun, rel=1e-6)
    np.testing.assert_allclose(result.x, expected.x, atol=1e-4)


def test_active_set_and_multipliers():
    result = loa.minimize(lambda x: (np.sum((x - 3) ** 2), 2 * (x - 3)), [0.0, 0.0], jac=True, bounds=[(None, 1), (4, 9)])
    np.testing.assert_array_equal(result.x, [1.0, 4.0])
    np.testing.assert_array_equal(result.bounds["active"], [1, -1])
    np.testing.assert_allclose(result.bounds["multipliers"], [-4.0, 2.0])
    assert result.grad_inf_norm == 0.0


@pytest.mark.parametrize("bounds", [None, [(None, None)] * 2, optimize.Bounds(-math.inf, math.inf)])
def test_no_bound_at_all_is_the_run_without(bounds):
    plain = loa.minimize(optimize.rosen, [-1.2, 1.0], jac=optimize.rosen_der)
    result = loa.minimize(optimize.rosen, [-1.2, 1.0], jac=optimize.rosen_der, bounds=bounds)
    np.testing.assert_array_equal(result.x, plain.x)
    assert result.nfev == plain.nfev and result.bounds is None


def test_through_scipy():
    fun = Watched()
    result = optimize.minimize(fun, [3.0, 3.0, -7.0], method=loa.method("bfgs+d"), bounds=PAIRS)
    assert result.success and fun.are_inside(LOWER, UPPER)


@pytest.mark.parametrize(
    "bounds, found",
    [
        ([(0, 1)], "found 1"),
        ([(1, 0), (0, 1)], "lower <= upper"),
        ([(math.nan, 0), (0, 1)], "lower <= upper"),
        (optimize.Bounds([0, 0, 0], 1), "shape"),
        (3, "a pair"),
    ],
)
def test_mistakes(bounds, found):
    with pytest.raises(ValueError, match=found):
        loa.minimize(optimize.rosen, [0.0, 0.0], bounds=bounds)


def test_a_resumed_run_is_the_uninterrupted_one():
    bounds = [(-0.5, 0.5)] * 10
    whole = loa.minimize(optimize.rosen, np.zeros(10), jac=optimize.rosen_der, bounds=bounds)
    part = loa.minimize(
        optimize.rosen, np.zeros(10), jac=optimize.rosen_der, bounds=bounds, options={"max_iterations": 3}
    )
    rest = loa.minimize(optimize.rosen, jac=optimize.rosen_der, bounds=bounds, state=part.state)
    np.testing.assert_array_equal(rest.x, whole.x)
    assert rest.nfev == whole.nfev
    with pytest.raises(ValueError, match="bounds"):
        loa.minimize(optimize.rosen, jac=optimize.rosen_der, bounds=[(-0.5, 0.6)] * 10, state=part.state)


def test_problems_bring_their_bounds():
    result = loa.solve("box:nnls,n=20,seed=1")
    assert result.success and np.all(result.x >= 0.0) and result.bounds["num_active"] > 0


def test_gaussian_process_of_scikit_learn():
    gaussian_process = pytest.importorskip("sklearn.gaussian_process")
    from sklearn.gaussian_process.kernels import RBF, WhiteKernel

    def optimizer(negative_log_likelihood, theta, bounds):
        result = loa.minimize(negative_log_likelihood, theta, jac=True, bounds=bounds)
        return result.x, result.fun

    x = np.linspace(0, 5, 30)[:, None]
    y = np.sin(x).ravel() + 0.1 * np.random.default_rng(0).normal(size=30)
    kernel = RBF() + WhiteKernel()
    by_loa = gaussian_process.GaussianProcessRegressor(kernel, optimizer=optimizer).fit(x, y)
    by_scipy = gaussian_process.GaussianProcessRegressor(kernel).fit(x, y)
    assert by_loa.log_marginal_likelihood_value_ == pytest.approx(by_scipy.log_marginal_likelihood_value_, rel=1e-4)
