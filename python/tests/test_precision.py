"""Objectives whose values have fewer digits than a double."""

import numpy as np
import pytest

import loa


def logistic(dtype):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 10)).astype(dtype)
    y = np.where(X @ rng.standard_normal(10) + 0.5 * rng.standard_normal(500) > 0, 1, -1).astype(dtype)

    def fun(w):
        w = w.astype(dtype)
        z = y * (X @ w)
        p = 1 / (1 + np.exp(z))
        return np.logaddexp(dtype(0), -z).mean(dtype=dtype) + dtype(5e-5) * (w @ w), dtype(1e-4) * w - X.T @ (y * p) / dtype(500)

    return fun


def test_a_float32_objective_ends_truthfully_and_soon():
    exact = loa.minimize(logistic(np.float64), np.zeros(10), jac=True, tol=1e-10)
    plain = loa.minimize(logistic(np.float32), np.zeros(10), jac=True, tol=1e-10)
    assert exact.success and exact.status_name == "gradient_is_small"
    assert plain.success and plain.status_name == "converged_to_working_precision"
    assert plain.nfev <= 1.5 * exact.nfev
    # Nothing visible is left: the true f at that point is the minimum to the digits of float32.
    true = logistic(np.float64)(plain.x)[0]
    assert true - exact.fun <= 32 * np.finfo(np.float32).eps * exact.fun


def test_a_tolerance_that_can_be_reached_is_reached():
    result = loa.minimize(logistic(np.float32), np.zeros(10), jac=True, tol=1e-4)
    assert result.status_name == "gradient_is_small" and result.grad_inf_norm <= 1e-4


def test_a_wrong_float32_gradient_is_no_success():
    fun = logistic(np.float32)
    wrong = loa.minimize(lambda w: (fun(w)[0], -fun(w)[1]), np.zeros(10), jac=True)
    assert not wrong.success
    off = loa.minimize(lambda w: (fun(w)[0], fun(w)[1] + np.float32(0.05)), np.zeros(10), jac=True, tol=1e-8)
    assert not off.success or off.grad_inf_norm <= 1e-8


def test_the_precision_may_be_said():
    def fun(x):  # a double with six digits
        f = float(((x - 1) ** 2).sum() + 1.0)
        return round(f, 6), 2 * (x - 1) + 1e-5 * np.sin(1e6 * x)

    said = loa.minimize(fun, np.zeros(4), jac=True, options={"precision": 1e-6, "gtol": 1e-12})
    assert said.success and said.status_name == "converged_to_working_precision"
    assert np.abs(said.x - 1).max() < 1e-2
    silent = loa.minimize(fun, np.zeros(4), jac=True, options={"gtol": 1e-12})
    assert said.nfev < silent.nfev


def test_doubles_are_as_before():
    fun = logistic(np.float64)
    same = loa.minimize(lambda w: (float(fun(w)[0]), fun(w)[1]), np.zeros(10), jac=True, tol=0)
    result = loa.minimize(fun, np.zeros(10), jac=True, tol=0)
    assert result.x.tobytes() == same.x.tobytes() and result.nfev == same.nfev


@pytest.mark.parametrize("x64", [False, True])
def test_jax(x64):
    jax = pytest.importorskip("jax")
    if bool(jax.config.jax_enable_x64) != x64:
        jax.config.update("jax_enable_x64", x64)
    jnp = jax.numpy

    def loss(p):
        return jnp.sum((p["a"] - 1.0) ** 2) + jnp.sum((p["b"][0] * p["b"][1] - 2.0) ** 2) + 0.01 * p["b"][0] ** 2

    x0 = {"a": jnp.zeros((2, 3)), "b": (jnp.ones(()), 3.0 * jnp.ones(()))}
    result = loa.minimize(jax.jit(jax.value_and_grad(loss)), x0, jac=True)
    assert result.success, result.message
    assert result.x["a"].shape == (2, 3) and isinstance(result.x["b"], tuple)
    assert result.x["a"].dtype == (np.float64 if x64 else np.float32)
    np.testing.assert_allclose(result.x["a"], 1, atol=1e-4)
    jax.config.update("jax_enable_x64", False)


def many(fun):
    """fun of single points for loa.minimize_batch."""

    def of_all(X):
        pairs = [fun(x) for x in X]
        return np.array([f for f, _ in pairs]), np.array([g for _, g in pairs])

    return of_all


def test_batches_end_as_single_runs_do():
    starts = np.random.default_rng(1).standard_normal((4, 10))
    fun = logistic(np.float32)
    together = loa.minimize_batch(many(fun), starts, tol=1e-10)
    for i, start in enumerate(starts):
        alone = loa.minimize(fun, start, jac=True, tol=1e-10)
        assert together[i].status_name == alone.status_name == "converged_to_working_precision"
        assert together[i].message == alone.message and together[i].x.tobytes() == alone.x.tobytes()
    assert together.success.all() and (together.status == 0).all()
    # Of doubles with fewer digits most searches find that out themselves; where it is said, runs end sooner.
    doubles = many(lambda w: tuple(np.asarray(part, dtype=float) for part in fun(w)))
    found = loa.minimize_batch(doubles, starts, tol=1e-10)
    said = loa.minimize_batch(doubles, starts, tol=1e-10, options={"precision": 1.2e-7})
    exact = [loa.minimize(logistic(np.float64), start, jac=True, tol=1e-10).fun for start in starts]
    assert said.success.all() and found.success.sum() >= 2
    for batch in (found, said):
        np.testing.assert_allclose(batch.fun, exact, rtol=1e-6)
    assert said.nfev.sum() < found.nfev.sum()


def test_a_series_ends_and_learns_as_from_doubles():
    fun, start = logistic(np.float32), np.random.default_rng(2).standard_normal(10)
    series = loa.Series(tol=1e-10)
    first, second = (series.minimize(fun, start, jac=True) for _ in range(2))
    alone = loa.minimize(fun, start, jac=True, tol=1e-10)
    assert first.status_name == alone.status_name == "converged_to_working_precision"
    assert first.x.tobytes() == alone.x.tobytes()
    assert second.success and second.fun <= first.fun
    assert series.report["num_solves"] == 2 and series.report["start"] == "last"
    batch = loa.Series(tol=1e-10).minimize_batch(fun, [start, -start], jac=True)
    assert [result.status_name for result in batch] == ["converged_to_working_precision"] * 2
