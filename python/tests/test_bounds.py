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


@pytest.mark.parametrize("rule", ["2-point", "3-point"])
def test_differences_of_both_languages_agree(rule):
    runs = []
    for options in ({}, {"workers": map}):
        fun = Watched()
        result = loa.minimize(fun, [3.0, 3.0, -7.0], jac=rule, bounds=PAIRS, options=options)
        assert fun.are_inside(LOWER, UPPER) and len(fun.points) == result.nfev
        runs.append(result)
    assert runs[0].success and runs[0].x.tobytes() == runs[1].x.tobytes() and runs[0].nfev == runs[1].nfev


def test_differences_where_bounds_are_nearer_than_a_step():
    narrow = [(-2.0, 0.5), (0.5, 0.5 + 1e-11), (1.0, 1.0 + 4e-16)]
    lower, upper = np.transpose(narrow)
    for rule in ("2-point", "3-point"):
        results = []
        for options in ({}, {"workers": map}):
            fun = Watched()
            results.append(loa.minimize(fun, [0.0, 0.5, 1.0], jac=rule, bounds=narrow, options=options))
            assert fun.are_inside(lower, upper)
        assert results[0].jac.tobytes() == results[1].jac.tobytes()


@pytest.mark.parametrize("keywords", [{}, {"jac": "2-point"}, {"jac": "3-point"}, {"jac": "cs"}, {"options": {"workers": map}}])
def test_a_derivative_that_nobody_made_is_nan(keywords):
    """Not 0, which would be a shadow price."""

    def fun(x):
        return ((x - 3) ** 2).sum()

    for result in (
        loa.minimize(fun, [0.0, 0.5, 0.0], bounds=PAIRS, **keywords),
        optimize.minimize(fun, [0.0, 0.5, 0.0], bounds=PAIRS, method=loa.method(), **keywords),
    ):
        assert result.success
        np.testing.assert_array_equal(np.isnan(result.jac), [False, True, False])
        np.testing.assert_array_equal(np.isnan(result.bounds["multipliers"]), [False, True, False])
    exact = loa.minimize(fun, [0.0, 0.5, 0.0], jac=lambda x: 2 * (x - 3), bounds=PAIRS)
    np.testing.assert_allclose(exact.bounds["multipliers"], [-5.0, -5.0, 0.0], atol=1e-5)
    series = loa.Series(bounds=PAIRS)
    assert np.isnan(series.minimize(fun, [0.0, 0.5, 0.0]).jac[1])
    assert np.isnan(series.minimize_batch(fun, [[0.0, 0.5, 0.0]])[0].jac[1])


def test_complex_steps_and_steps_of_ones_own_stay_inside():
    def fun(x):
        points.append(np.real(x))
        return ((x - 3) ** 2).sum() + (x[0] - x[1]) ** 4

    for keywords in (
        {"jac": "cs"},
        {"options": {"finite_diff_rel_step": 1e-7}},
        {"options": {"eps": np.full(3, 1e-7)}},
        {"jac": "3-point", "options": {"finite_diff_rel_step": 1e-4}},
    ):
        points = []
        result = loa.minimize(fun, [3.0, 3.0, -7.0], bounds=PAIRS, **keywords)
        assert result.success and len(points) == result.nfev, result.message
        assert all(np.all(x >= LOWER) and np.all(x <= UPPER) for x in points)
        np.testing.assert_allclose(result.x, [0.5, 0.5, 3.0], atol=1e-5)


def test_conventions_of_scipy_beside_bounds():
    bounds = [(0.0, 0.5), (None, 2.0), (-1.0, None)]
    lower, upper = np.array([0.0, -np.inf, -1.0]), np.array([0.5, 2.0, np.inf])
    plain = loa.minimize(optimize.rosen, [0.1, 1.9, 3.0], jac=optimize.rosen_der, bounds=bounds)
    for norm in (1, 2):
        result = loa.minimize(
            optimize.rosen,
            [0.1, 1.9, 3.0],
            jac=optimize.rosen_der,
            bounds=bounds,
            options={"norm": norm, "gtol": 1e-6, "return_all": True, "c1": 1e-3, "maxls": 30},
        )
        assert result.status_name == "gradient_is_small"
        # Of the projected gradient: a bound holds the first variable, whose derivative is not small.
        projected = result.x - np.clip(result.x - result.jac, lower, upper)
        assert np.linalg.norm(projected, ord=norm) <= 1e-6 and np.abs(result.jac).max() > 0.1
        assert all(np.all(x >= lower) and np.all(x <= upper) for x in result.allvecs)
        np.testing.assert_allclose(result.x, plain.x, atol=1e-5)


def test_a_batch_takes_bounds():
    centres = np.arange(12.0).reshape(6, 2)

    def alone(x, c):
        return float(((x - c) ** 2).sum()), 2 * (x - c)

    def together(X, numbers):
        assert np.all(X >= 2.0) and np.all(X[:, 0] <= 6.0)
        return ((X - centres[numbers]) ** 2).sum(axis=1), 2 * (X - centres[numbers])

    bounds = [(2.0, 6.0), (2.0, None)]
    for keywords in ({}, {"padded": True, "at_once": 2}):
        batch = loa.minimize_batch(together, np.zeros((6, 2)), indices=True, bounds=bounds, **keywords)
        for i, c in enumerate(centres):
            single = loa.minimize(alone, np.zeros(2), (c,), jac=True, bounds=bounds)
            assert batch[i].x.tobytes() == single.x.tobytes()
            np.testing.assert_array_equal(batch[i].bounds["active"], single.bounds["active"])
    with pytest.raises(ValueError, match="expected 2 pairs"):
        loa.minimize_batch(together, np.zeros((6, 2)), indices=True, bounds=[(0, 1)])


def test_float32_values_and_bounds():
    def fun(x):
        z = (x - 3.0).astype(np.float32)
        return np.float32(1.0) + (z**2).sum() + (z**4).sum(), 2 * z + 4 * z**3

    result = loa.minimize(fun, np.zeros(4), jac=True, tol=1e-12, bounds=[(0, 1), (0, 9), (0, 9), (4, 9)])
    assert result.success
    np.testing.assert_allclose(result.x, [1, 3, 3, 4], atol=1e-2)


def test_through_scipy():
    fun = Watched()
    for method in (loa.method("bfgs+d"), loa.method()):
        result = optimize.minimize(fun, [3.0, 3.0, -7.0], method=method, bounds=PAIRS)
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


def test_check_gradient_stays_inside():
    def root(x):  # no number below 0
        points.append(np.array(x))
        return float((x * np.sqrt(x)).sum()), 1.5 * np.sqrt(x)

    points = []
    bounds = [(0.0, None), (None, 1.0), (2.0, 2.0)]
    check = loa.check_gradient(root, [-1.0, 3.0, 0.0], jac=True, bounds=bounds)
    assert check, check.message
    assert "2 of 3 coordinates" in check.message
    assert len(points) == 9 and all(x[0] >= 0 and x[1] <= 1 and x[2] == 2 for x in points)
    np.testing.assert_array_equal(points[0], [0.0, 1.0, 2.0])
    assert not loa.check_gradient(lambda x: (root(x)[0], 2 * x), [0.0, 1.0], jac=True, bounds=optimize.Bounds(0.0, 1.0))
    # Differences as the gradient stay inside as well, and so do built-in problems in bounds of their own.
    points = []
    assert loa.check_gradient(lambda x: root(x)[0], [0.25, 3.0, 0.0], jac="3-point", bounds=bounds, tolerance=1e-4)
    assert all(x[0] >= 0 and x[1] <= 1 and x[2] == 2 for x in points)
    fixed = loa.problem("quadratic:n=3")
    assert loa.check_gradient(fixed, fixed.start, bounds=[(1, 1)] * 3).worst == -1
    boxed = loa.problem("box:nnls,n=20")
    assert loa.check_gradient(boxed, np.full(20, -1.0)), "at the lower bound"
    with pytest.raises(ValueError, match="found 1"):
        loa.check_gradient(root, [0.0, 1.0], jac=True, bounds=[(0, 1)])


def test_principles_with_bounds():
    check = loa.check(["bfgs", "bfgs+d"], bounds=True)
    assert check.as_claimed
    for algorithm in ("bfgs", "bfgs+d"):
        assert check.verdict(algorithm, "translation") == check.verdict(algorithm, "geometric_scaling") == "holds"
        assert check.verdict(algorithm, "orthogonal") == "none"
    outside = []

    def root(x):
        outside.append(np.any(x < 0.1))
        return float((x * np.sqrt(x)).sum() + (x.sum() - 1) ** 2 / 2), 1.5 * np.sqrt(x) + x.sum() - 1

    mine = loa.NamedObjective("root", root, [-1.0, 0.5, 2.0], jac=True, bounds=[(0.1, None)] * 3)
    assert loa.check("bfgs", problems=[mine]).as_claimed
    assert outside and not any(outside)
    with pytest.raises(ValueError, match="takes bounds"):
        loa.check("adam", problems=[mine])


def test_problems_bring_their_bounds():
    result = loa.solve("box:nnls,n=20,seed=1")
    assert result.success and np.all(result.x >= 0.0) and result.bounds["num_active"] > 0


def test_gaussian_process_of_scikit_learn():
    gaussian_process = pytest.importorskip("sklearn.gaussian_process")
    from sklearn.gaussian_process.kernels import RBF, RationalQuadratic, WhiteKernel

    def optimizer(negative_log_likelihood, theta, bounds):
        result = loa.minimize(negative_log_likelihood, theta, jac=True, bounds=bounds, options={"ftol": 2.2e-9})
        assert result.success, result.message
        return result.x, result.fun

    x = np.linspace(0, 5, 30)[:, None]
    y = np.sin(x).ravel() + 0.1 * np.random.default_rng(0).normal(size=30)
    for kernel in (RBF() + WhiteKernel(), RationalQuadratic() + WhiteKernel()):  # alpha of the second ends at its bound
        by_loa = gaussian_process.GaussianProcessRegressor(kernel, optimizer=optimizer).fit(x, y)
        by_scipy = gaussian_process.GaussianProcessRegressor(kernel).fit(x, y)
        assert by_loa.log_marginal_likelihood_value_ == pytest.approx(by_scipy.log_marginal_likelihood_value_, rel=1e-4)
