"""Would catch: a warm start or a series that does not help, or is refused by mistake, a hess_inv0 that is not used, and
a series that does not come back from a pickle or a file."""

import pickle

import numpy as np
import pytest

import loa

N = 20
H = np.geomspace(1, 1000, N)
X0 = np.linspace(3.0, 5.0, N)


def fun(x, c=1.0):
    z = x - c
    return 0.5 * z @ (H * z) + 0.25 * np.sum(z**4), H * z + z**3


def solve(c, **keywords):
    return loa.minimize(fun, keywords.pop("x0", X0), args=(c,), jac=True, tol=1e-8, **keywords)


def test_warm_from_a_result_a_state_and_a_file(tmp_path):
    first, cold = solve(1.0), solve(1.1)
    path = tmp_path / "state"
    first.state.save(str(path))
    for source in (first, first.state, path, loa.WarmStart(first.state)):
        warm = solve(1.1, warm=source)
        assert warm.success and warm.fallbacks["warm"] == 0
        assert warm.nfev < 0.7 * cold.nfev
        np.testing.assert_allclose(warm.x, 1.1, atol=1e-6)
    assert solve(1.1, x0=None, warm=first).success


def test_warm_from_a_matrix_is_a_newton_step():
    warm = loa.WarmStart(np.full(N, 1.01), np.diag(1 / H))
    assert warm.has_inverse_hessian
    assert loa.minimize(fun, X0, jac=True, warm=warm).nfev <= 4


def test_warm_start_that_misleads_is_counted():
    other = loa.WarmStart(np.full(N, 2.0), np.diag(1e6 / H))
    cold, warm = solve(1.0), solve(1.0, warm=other)
    assert warm.fallbacks["warm"] == 1
    assert warm.nfev <= cold.nfev + 2


def test_mistakes_are_refused():
    first = solve(1.0)
    with pytest.raises(TypeError, match="warm: expected a Result"):
        solve(1.0, warm=3)
    with pytest.raises(TypeError, match="beside state"):
        solve(1.0, x0=None, state=first.state, warm=first)
    with pytest.raises(ValueError, match="of dimension 2, found one of 20"):
        loa.minimize(lambda x: (x @ x, 2 * x), np.ones(2), jac=True, warm=first)
    with pytest.raises(ValueError, match="hess_inv0"):
        solve(1.0, hess_inv0=np.ones((2, 2)))


@pytest.mark.parametrize("algorithm", ["auto", "bfgs", "bfgs+d", "l-bfgs+", "l-bfgs+d"])
def test_hess_inv0_as_matrix_and_callable(algorithm):
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(N, N)))[0]  # no diagonal will do
    inverse = (Q / H) @ Q.T
    inverse = (inverse + inverse.T) / 2

    def turned(x):
        f, grad = fun(Q.T @ x)
        return f, Q @ grad

    plain = loa.minimize(turned, X0, jac=True, algorithm=algorithm)
    results = [
        loa.minimize(turned, X0, jac=True, algorithm=algorithm, hess_inv0=metric) for metric in (inverse, inverse.dot)
    ]
    results.append(loa.minimize(turned, X0, jac=True, algorithm=algorithm, options={"hess_inv0": inverse}))
    for result in results:
        assert result.success
        assert result.nfev < 0.9 * plain.nfev
        assert (result.x == results[0].x).all()


def test_hess_inv0_through_scipy_and_solve():
    optimize = pytest.importorskip("scipy.optimize")
    inverse = np.diag(1 / H)
    direct = loa.minimize(fun, X0, jac=True, hess_inv0=inverse)
    through = optimize.minimize(fun, X0, jac=True, method=loa.method(), options={"hess_inv0": inverse})
    assert through.x.tobytes() == direct.x.tobytes() and through.nfev == direct.nfev
    assert loa.solve("rosenbrock:n=4", options={"hess_inv0": np.eye(4)}).algorithm == "l-bfgs+"
    for wrong in (-np.eye(N), np.diag(np.arange(float(N)))):
        with pytest.raises(ValueError, match="positive definite"):
            loa.minimize(fun, X0, jac=True, hess_inv0=wrong)


def test_conventions_of_scipy_beside_a_warm_start():
    first = solve(1.0)
    result = solve(1.1, warm=first, options={"c2": 0.5, "return_all": True, "norm": 2})
    assert result.success and result.fallbacks["warm"] == 0 and len(result.allvecs) == result.nit + 2


@pytest.mark.parametrize("hess_inv0", [np.diag(1 / H), np.diag(1 / H).dot], ids=["matrix", "callable"])
def test_warm_and_hess_inv0_in_bounds(hess_inv0):
    bounds = [(0.9, 1.2), (None, 0.95)] * (N // 2)
    lower, upper = np.array([0.9, -np.inf] * (N // 2)), np.array([1.2, 0.95] * (N // 2))
    points = []

    def watched(x, *args):
        points.append(np.array(x))
        return fun(x, *args)

    def solve_in_bounds(c, **keywords):
        return loa.minimize(watched, X0, args=(c,), jac=True, tol=1e-8, bounds=bounds, **keywords)

    first, cold = solve_in_bounds(1.0), solve_in_bounds(1.1)
    warm = solve_in_bounds(1.1, warm=first)
    assert warm.success and warm.fallbacks["warm"] == 0 and warm.nfev < 0.7 * cold.nfev
    np.testing.assert_allclose(warm.x, cold.x, atol=1e-6)
    metric = solve_in_bounds(1.1, hess_inv0=hess_inv0)
    assert metric.success and metric.algorithm == "bfgs+d" and metric.nfev < 0.7 * cold.nfev
    np.testing.assert_allclose(metric.x, cold.x, atol=1e-6)
    series = loa.Series(tol=1e-8, bounds=bounds)
    for c in (1.0, 1.05, 1.1):
        result = series.minimize(watched, X0, args=(c,), jac=True)
        assert result.success
    assert series.report["used_B"] and result.nfev < 0.7 * cold.nfev and result.bounds["num_active"] == N // 2
    again = pickle.loads(pickle.dumps(series))
    arguments = {"x0": X0, "args": (1.15,), "jac": True}
    assert again.minimize(watched, **arguments).x.tobytes() == series.minimize(watched, **arguments).x.tobytes()
    with pytest.raises(ValueError, match="expected a pair"):
        loa.Series(bounds=3)
    with pytest.raises(ValueError, match="series with bounds"):
        loa.Series().minimize(loa.problem("box:nnls,n=20"), np.ones(20))
    assert all(np.all(x >= lower) and np.all(x <= upper) for x in points)


def test_exception_of_hess_inv0_comes_out():
    def broken(v):
        raise KeyError("the user's")

    with pytest.raises(KeyError, match="the user's"):
        solve(1.0, hess_inv0=broken)


def test_series_learns_and_comes_back(tmp_path):
    cs = 1.0 + 0.05 * np.arange(8)
    series = loa.Series(tol=1e-8)
    evaluations = []
    for c in cs:
        again = pickle.loads(pickle.dumps(series))
        other = loa.Series(tol=1e-8)
        series.save(tmp_path / "series")
        other.load(tmp_path / "series")
        result = series.minimize(fun, X0, args=(c,), jac=True)
        assert result.success
        for copy in (again, other):
            same = copy.minimize(fun, X0, args=(c,), jac=True)
            assert (same.x == result.x).all() and same.nfev == result.nfev
        evaluations.append(result.nfev)
    assert sum(evaluations) < 0.5 * sum(solve(c).nfev for c in cs)
    assert series.report["num_solves"] == 8 and series.report["start"] in ("last", "path")
    series.clear()
    assert series.report["num_solves"] == 0


def test_series_takes_the_callback_of_each_call():
    series, seen = loa.Series(), []
    series.minimize(fun, X0, jac=True, callback=seen.append)
    assert len(seen) > 0


def test_a_batch_begins_from_what_the_series_knows():
    def fun(x, target):
        return float(((x - target) ** 2 @ SCALES)), 2 * SCALES * (x - target)

    SCALES = np.array([1.0, 10.0, 100.0])
    targets = [np.full(3, 1.0 + 0.01 * i) for i in range(5)]
    series, other = loa.Series(), loa.Series()
    series.minimize(fun, np.zeros(3), (targets[0],), jac=True)
    other.minimize(fun, np.zeros(3), (targets[0],), jac=True)
    results = series.minimize_batch(fun, np.zeros((4, 3)), [(target,) for target in targets[1:]], jac=True)
    assert [result.success for result in results] == [True] * 4
    for result, target in zip(results, targets[1:]):
        assert np.abs(result.x - target).max() < 1e-5
    # The first of them is the next one of a series.
    assert results[0].x.tobytes() == other.minimize(fun, np.zeros(3), (targets[1],), jac=True).x.tobytes()
    assert series.report["num_solves"] == 5
    # A function for each row; without a gradient the calls are counted.
    of_each = [lambda x, t=target: fun(x, t)[0] for target in targets[1:]]
    without = loa.Series().minimize_batch(of_each, np.zeros((4, 3)))
    assert all(result.success and result.nfev >= 4 * result.njev for result in without)


def test_a_batch_of_a_series_refuses_and_raises():
    def broken(x):
        raise ArithmeticError("no value")

    series = loa.Series()
    with pytest.raises(ArithmeticError, match="no value"):
        series.minimize_batch(broken, np.zeros((3, 2)))
    with pytest.raises(ValueError, match="args: expected 3 of them"):
        series.minimize_batch(lambda x, a: float(x @ x), np.zeros((3, 2)), [(1,)])
    assert series.minimize_batch(lambda x: float(x @ x), []) == []
    with pytest.raises(ValueError, match="found xrtol"):
        loa.Series(options={"xrtol": 1e-3})


def test_a_series_prints_what_it_is_told_to(capsys):
    loa.Series(options={"verbose": True}).minimize(lambda x: float(x @ x), [1.0, 2.0])
    lines = capsys.readouterr().out.splitlines()
    assert "|g|_inf" in lines[0] and any("Current function value" in line for line in lines)
