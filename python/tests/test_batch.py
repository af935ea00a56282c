"""minimize_batch: lock step, bit for bit what single runs give."""

import copy
import gc
import pickle
import sys

import numpy as np
import pytest

import loa


pytestmark = pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")  # of algorithms that run away


def fun(X):
    """Rosenbrock's function of each row, by rows alone, so that equal rows have equal bits."""
    b = X[:, 1:] - X[:, :-1] ** 2
    a = 1 - X[:, :-1]
    gradients = np.zeros_like(X)
    gradients[:, :-1] = -2 * a - 400 * X[:, :-1] * b
    gradients[:, 1:] += 200 * b
    values = np.zeros(len(X))
    for i in range(X.shape[1] - 1):
        values = values + (a[:, i] ** 2 + 100 * b[:, i] ** 2)
    return values, gradients


def single(x):
    values, gradients = fun(x[None])
    return values[0], gradients[0]


def starts(num, n=3, seed=0):
    return np.random.default_rng(seed).uniform(-2, 2, (num, n))


NAMES = [info["name"] for info in loa.algorithms() if not info["needs_hessian"]]


@pytest.mark.parametrize("algorithm", ["auto", *NAMES])
@pytest.mark.parametrize("at_once", [16384, 3])
def test_each_result_is_that_of_a_single_run(algorithm, at_once):
    X0 = starts(8)
    options = {"max_iterations": 60}
    batch = loa.minimize_batch(fun, X0, algorithm=algorithm, options=options, at_once=at_once, states=True)
    assert len(batch) == 8
    for i, result in enumerate(batch):
        alone = loa.minimize(single, X0[i], jac=True, algorithm=algorithm, options=options)
        assert result.x.tobytes() == alone.x.tobytes() and result.fun == alone.fun
        assert result.jac.tobytes() == alone.jac.tobytes()
        assert (result.nit, result.nfev, result.status, result.message) == (
            alone.nit,
            alone.nfev,
            alone.status,
            alone.message,
        )
        assert result.state.to_bytes() == alone.state.to_bytes()
        np.testing.assert_array_equal(batch.x[i], alone.x)
        assert (batch.fun[i], batch.nit[i], batch.nfev[i]) == (alone.fun, alone.nit, alone.nfev)
        assert (batch.status[i], batch.success[i]) == (alone.status, alone.success)


def test_one_call_serves_all_that_still_run():
    sizes = []

    def counted(X, active):
        assert X.shape == (len(active), 3) and (np.diff(active) > 0).all()
        sizes.append(len(active))
        return fun(X)

    batch = loa.minimize_batch(counted, starts(50), indices=True)
    assert batch.success.all() and batch.calls == len(sizes) == batch.nfev.max()
    assert sizes[0] == 50 and sizes == sorted(sizes, reverse=True) and sum(sizes) == batch.nfev.sum()
    few = []
    loa.minimize_batch(lambda X: (few.append(len(X)), fun(X))[1], starts(50), at_once=4)
    assert max(few) == 4 and sum(few) == batch.nfev.sum()


def test_indices_tell_the_problems_apart():
    centres = np.arange(12.0).reshape(6, 2)

    def squares(X, active, scale):
        difference = X - centres[active]
        return scale * (difference**2).sum(axis=1), 2 * scale * difference

    batch = loa.minimize_batch(squares, np.zeros((6, 2)), args=(3.0,), indices=True)
    np.testing.assert_allclose(batch.x, centres, atol=1e-5)
    padded_sizes = set()

    def padded(X, numbers, scale):
        padded_sizes.add(len(X))
        assert (numbers == np.arange(6)).all()
        return squares(X, numbers, scale)

    again = loa.minimize_batch(padded, np.zeros((6, 2)), args=3.0, indices=True, padded=True)
    assert padded_sizes == {6} and again.x.tobytes() == batch.x.tobytes()


def test_jac_may_be_a_callable():
    both = loa.minimize_batch(fun, starts(5))
    apart = loa.minimize_batch(lambda X: fun(X)[0], starts(5), jac=lambda X: fun(X)[1])
    assert both.x.tobytes() == apart.x.tobytes()


def test_one_problem_that_fails_leaves_the_others_alone():
    def some_nan(X, active):
        values, gradients = fun(X)
        values[active == 1] = np.nan
        return values, gradients

    batch = loa.minimize_batch(some_nan, starts(4), indices=True)
    assert batch.status[1] == 3 and not batch.success[1] and batch.success[[0, 2, 3]].all()
    assert batch[1].status_name == "start_is_not_finite"


class Mine(Exception):
    pass


@pytest.mark.parametrize("call", [1, 2, 9])
def test_an_exception_ends_all_runs_and_leaves_nothing_behind(call):
    class Witness:
        pass

    witness = Witness()
    calls = 0

    def failing(X):
        nonlocal calls
        calls += 1
        if calls == call:
            raise Mine(witness)
        return fun(X)

    before = sys.getrefcount(witness)
    for _ in range(20):
        calls = 0
        with pytest.raises(Mine):
            loa.minimize_batch(failing, starts(30))
    gc.collect()
    assert sys.getrefcount(witness) <= before + 1
    assert loa.minimize_batch(fun, starts(30)).success.all()


def test_batches_within_batches():
    inner = []

    def outer(X):
        inner.append(loa.minimize_batch(fun, X).fun)
        return fun(X)

    result = loa.minimize_batch(outer, starts(3))
    assert result.x.tobytes() == loa.minimize_batch(fun, starts(3)).x.tobytes()
    assert all(np.all(values < 1e-6) for values in inner if len(values) == 3)


def test_mistakes_are_refused():
    with pytest.raises(ValueError, match="X0: expected"):
        loa.minimize_batch(fun, [1.0, 2.0])
    with pytest.raises(ValueError, match="gradients: expected shape"):
        loa.minimize_batch(lambda X: (fun(X)[0], fun(X)[1][:, :1]), starts(3))
    with pytest.raises(ValueError, match="values: expected shape"):
        loa.minimize_batch(lambda X: (1.0, fun(X)[1]), starts(3))
    with pytest.raises(TypeError, match="tuple"):
        loa.minimize_batch(lambda X: fun(X)[0], starts(3))
    with pytest.raises(ValueError, match="without Hessians"):
        loa.minimize_batch(fun, starts(3), algorithm="newton")
    with pytest.raises(ValueError, match="found some"):
        loa.minimize_batch(fun, starts(3), options={"return_all": True})
    with pytest.raises(ValueError, match="gtol"):
        loa.minimize_batch(fun, starts(3), options={"gtoll": 1})


def test_no_problems_and_slices():
    assert len(loa.minimize_batch(fun, np.empty((0, 3)))) == 0
    batch = loa.minimize_batch(fun, starts(5))
    assert [result.fun for result in batch[1:3]] == [batch[1].fun, batch[2].fun] and batch[-1].fun == batch[4].fun
    with pytest.raises(IndexError):
        batch[5]
    assert "5 of 5 converged" in repr(batch) and "5" in batch._repr_html_()


@pytest.mark.parametrize("bounds", [None, [(-0.5, 0.8), (None, 0.5), (0.25, 0.25)], [(0, None)] * 3])
@pytest.mark.parametrize("at_once", [16384, 2])
def test_rows_that_fail_early_are_those_of_single_runs(bounds, at_once):
    """Rows that begin with nan or infinity, have no finite f or gradient, become nan on the way, fall without end, have the
    wrong gradient, or are at the minimum already."""
    X0 = starts(12, seed=3)
    X0[1, 0], X0[2, 1], X0[11] = np.nan, np.inf, 1.0

    def row(i, x):
        f, g = single(x)
        if i == 3:
            return np.nan, g
        if i == 4:
            return f, np.full(3, np.nan)
        if i == 5:
            return -x[0] - x[1], np.array([-1.0, -1.0, 0.0])
        if i == 6:
            return f, -g
        if i == 7:
            return (f if x[0] < X0[7, 0] + 1e-3 else np.nan), g
        return f, g

    def rows(X, active):
        pairs = [row(i, x) for i, x in zip(active, X)]
        return np.array([f for f, _ in pairs]), np.array([g for _, g in pairs])

    options = {"max_evaluations": 150}
    keywords = {"bounds": bounds, "options": options}
    batch = loa.minimize_batch(rows, X0, indices=True, at_once=at_once, **keywords)
    for i, result in enumerate(batch):
        alone = loa.minimize(lambda x: row(i, x), X0[i], jac=True, **keywords)
        assert result.x.tobytes() == alone.x.tobytes() and result.jac.tobytes() == alone.jac.tobytes(), i
        assert np.array_equal(result.fun, alone.fun, equal_nan=True), i
        assert (result.status_name, result.nit, result.nfev) == (alone.status_name, alone.nit, alone.nfev), i
        if bounds is not None:
            np.testing.assert_array_equal(result.bounds["active"], alone.bounds["active"])
            assert result.bounds["num_projected"] == alone.bounds["num_projected"]
    assert len({result.status_name for result in batch}) >= 3 and batch.success.sum() >= 4


def test_padded_rows_keep_the_type_of_their_values():
    """Values of float32 have the digits of float32, padded or not: would catch a cast before their type is seen."""

    def noisy(X):
        values, gradients = fun(X)
        return (values + 1000).astype(np.float32), gradients.astype(np.float32)

    def alone(x):
        values, gradients = noisy(x[None])
        return values[0], gradients[0]

    X0 = starts(6)
    plain, padded = (loa.minimize_batch(noisy, X0, tol=1e-12, padded=padded) for padded in (False, True))
    for i, x0 in enumerate(X0):
        single_run = loa.minimize(alone, x0, jac=True, tol=1e-12)
        for result in (plain[i], padded[i]):
            assert result.x.tobytes() == single_run.x.tobytes() and result.fun == single_run.fun
            assert (result.status_name, result.nit, result.nfev) == (single_run.status_name, single_run.nit, single_run.nfev)
    assert "converged_to_working_precision" in {result.status_name for result in padded}
    with pytest.raises(ValueError, match=r"fun: values: expected shape \(6,\), found \(5,\)"):
        loa.minimize_batch(lambda X: (fun(X)[0][:5], fun(X)[1]), X0, padded=True)


@pytest.mark.parametrize("at_once", [0, -1, 2.5, "a"])
def test_what_is_no_number_of_problems_at_once_is_refused(at_once):
    with pytest.raises(ValueError, match="at_once: expected an integer of at least 1, found"):
        loa.minimize_batch(fun, starts(3), at_once=at_once)


def test_values_with_gradients_beside_jac_are_refused():
    with pytest.raises(ValueError, match="did you mean jac=True"):
        loa.minimize_batch(fun, starts(3), jac=lambda X: fun(X)[1])


@pytest.mark.parametrize("states", [False, True])
def test_batches_copy_and_pickle(states):
    batch = loa.minimize_batch(fun, starts(4), bounds=[(-1, 3)] * 3, states=states)
    for again in (copy.copy(batch), copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))):
        again = pickle.loads(pickle.dumps(again))  # a second time
        assert type(again) is loa.BatchResult and len(again) == 4 and repr(again) == repr(batch)
        for name in ("x", "fun", "jac", "nit", "nfev", "status", "success"):
            np.testing.assert_array_equal(getattr(again, name), getattr(batch, name))
        for result, expected in zip(again, batch):
            assert result.message == expected.message and result.x.tobytes() == expected.x.tobytes()
            np.testing.assert_array_equal(result.bounds["active"], expected.bounds["active"])
            np.testing.assert_array_equal(result.trace, expected.trace)
            assert ("state" in result) == ("hess_inv" in result) == states
            if states:
                assert result.state.to_bytes() == expected.state.to_bytes()
        again[0].x[:] = 7  # of this result alone
        assert again[0].x.tobytes() == batch[0].x.tobytes()
