"""scipy.optimize.minimize(method=loa.method(...)) on the problems of SciPy's own tests."""

import numpy as np
import pytest

import loa

optimize = pytest.importorskip("scipy.optimize")


def booth(x):
    return (x[0] + 2 * x[1] - 7) ** 2 + (2 * x[0] + x[1] - 5) ** 2


def beale(x):
    return (
        (1.5 - x[0] + x[0] * x[1]) ** 2 + (2.25 - x[0] + x[0] * x[1] ** 2) ** 2 + (2.625 - x[0] + x[0] * x[1] ** 3) ** 2
    )


def asymmetric(x):
    """A quadratic whose curvatures differ by 10^4."""
    return (x[0] - 1) ** 2 + 1e4 * (x[1] + 2) ** 2 + (x[0] - 1) * (x[1] + 2)


def lennard_jones(x):
    """Three atoms; each pair wants the distance 2^(1/6), where it has the energy -1."""
    points = x.reshape(-1, 3)
    total = 0.0
    for i in range(len(points)):
        for j in range(i):
            r6 = ((points[i] - points[j]) ** 2).sum() ** 3
            total += 4 * (1 / r6**2 - 1 / r6)
    return total


TRIANGLE = np.array([0.0, 0.0, 0.0, 1.3, 0.1, 0.0, 0.5, 1.2, 0.1])

PROBLEMS = {
    # name: f, gradient or None, start, minimum, minimizer or None
    "rosenbrock": (optimize.rosen, optimize.rosen_der, [1.3, 0.7, 0.8, 1.9, 1.2], 0.0, np.ones(5)),
    "booth": (booth, None, [1.0, 1.0], 0.0, [1.0, 3.0]),
    "beale": (beale, None, [1.0, 1.0], 0.0, [3.0, 0.5]),
    "asymmetric": (asymmetric, None, [10.0, 10.0], 0.0, [1.0, -2.0]),
    "lennard-jones": (lennard_jones, None, TRIANGLE, -3.0, None),
    "sin": (lambda x: np.sin(x[0]), lambda x: np.cos(x), [4.0], -1.0, [1.5 * np.pi]),
}
SKIPPED = {
    "newton": "needs a Hessian",
    "l-sr1": "no promise on functions that are not convex",
    **dict.fromkeys(("gradient-descent", "heavy-ball", "nesterov", "adam"), "too slow"),
    **dict.fromkeys(("l2l-gd", "rnnprop"), "trained for other problems"),
}
ALGORITHMS = [info["name"] for info in loa.algorithms() if info["name"] not in SKIPPED]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_scipys_problems(name, algorithm):
    fun, jac, x0, minimum, minimizer = PROBLEMS[name]
    # Forward differences of f around 1e4 leave no more than five digits of a gradient.
    tol = 1e-6 if jac else 1e-3
    result = optimize.minimize(fun, x0, jac=jac, method=loa.method(algorithm), tol=tol)
    assert isinstance(result, optimize.OptimizeResult)
    assert result.success, result.message
    assert result.fun == fun(result.x)
    assert result.fun == pytest.approx(minimum, abs=1e-5)
    if minimizer is not None:
        np.testing.assert_allclose(result.x, minimizer, atol=1e-2)
    assert result.status == 0 and isinstance(result.message, str)
    assert result.nit > 0 and result.nfev >= result.njev >= result.nit
    assert result.jac.shape == result.x.shape and np.abs(result.jac).max() <= tol


def test_it_agrees_with_loa_minimize():
    direct = loa.minimize(optimize.rosen, [-1.2, 1.0], jac=optimize.rosen_der, algorithm="loa-bfgs")
    through = optimize.minimize(optimize.rosen, [-1.2, 1.0], jac=optimize.rosen_der, method=loa.method("loa-bfgs"))
    np.testing.assert_array_equal(direct.x, through.x)
    assert direct.nfev == through.nfev


def test_jac_true_args_tol_and_options():
    def fun(x, a):
        return float(((x - a) ** 2).sum()), 2 * (x - a)

    result = optimize.minimize(
        fun, np.zeros(3), args=(2.0,), jac=True, method=loa.method("sr1"), tol=1e-9, options={"maxiter": 50}
    )
    assert result.success and np.abs(result.jac).max() <= 1e-9
    np.testing.assert_allclose(result.x, 2)
    with pytest.warns(optimize.OptimizeWarning, match="Unknown solver options: colour") as warned:
        optimize.minimize(fun, np.zeros(3), args=(2.0,), jac=True, method=loa.method("sr1"), options={"colour": 1})
    assert warned[0].filename == __file__


def test_callbacks_of_both_styles():
    seen = []
    result = optimize.minimize(
        optimize.rosen, [-1.2, 1.0], jac=optimize.rosen_der, method=loa.method(), callback=lambda xk: seen.append(xk)
    )
    assert len(seen) == result.nit and np.array_equal(seen[-1], result.x)

    def stop(*, intermediate_result):
        assert isinstance(intermediate_result, optimize.OptimizeResult)
        if intermediate_result.fun < 1.0:
            raise StopIteration

    stopped = optimize.minimize(optimize.rosen, [-1.2, 1.0], jac=optimize.rosen_der, method=loa.method(), callback=stop)
    assert stopped.fun < 1.0 and stopped.nit < result.nit and not stopped.success


def test_bounds_of_an_algorithm_without_them_and_constraints_are_refused():
    with pytest.raises(ValueError, match="for bounds, found 'loa-bfgs'"):
        optimize.minimize(optimize.rosen, [0.0, 0.0], method=loa.method("loa-bfgs"), bounds=[(0, 1), (0, 1)])
    with pytest.raises(ValueError, match="expected no constraints"):
        optimize.minimize(
            optimize.rosen, [0.0, 0.0], method=loa.method(), constraints={"type": "eq", "fun": lambda x: x[0]}
        )


def test_hess_is_used_or_warned_about():
    result = optimize.minimize(
        optimize.rosen,
        [-1.2, 1.0],
        jac=optimize.rosen_der,
        hess=optimize.rosen_hess,
        method=loa.method("newton"),
    )
    assert result.success and result.nhev > 0
    for method in (loa.method(), None):  # through SciPy, and not
        with pytest.warns(RuntimeWarning, match="does not use Hessian") as caught:
            keywords = {"jac": optimize.rosen_der, "hess": optimize.rosen_hess}
            if method is not None:
                optimize.minimize(optimize.rosen, [-1.2, 1.0], method=method, **keywords)
            else:
                loa.minimize(optimize.rosen, [-1.2, 1.0], **keywords)
        assert [warning.filename for warning in caught] == [__file__]  # the line of the user


def test_basinhopping():
    def fun(x):
        return float(np.cos(14.5 * x[0] - 0.3) + (x[0] + 0.2) * x[0]), np.array(
            [-14.5 * np.sin(14.5 * x[0] - 0.3) + 2 * x[0] + 0.2]
        )

    result = optimize.basinhopping(
        fun, [1.0], niter=50, rng=1, minimizer_kwargs={"method": loa.method("loa-bfgs"), "jac": True}
    )
    np.testing.assert_allclose(result.x, -0.195, atol=1e-3)
    assert result.fun == pytest.approx(-1.0009, abs=1e-3)
