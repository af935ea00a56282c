"""Pytrees of arrays as x0, and gradients of the same structure."""

from collections import namedtuple

import numpy as np
import pytest
from functions import START, rosenbrock

import loa

Pair = namedtuple("Pair", ["first", "second"])


def loss(p):
    """Of a dict with a list and a tuple inside."""
    W, b = p["layers"][0]
    residual = W @ np.array([1.0, 2.0]) + b - 3.0
    f = residual @ residual + (W**2).sum() + (p["scale"] - 2.0) ** 2
    return float(f), {
        "scale": 2 * (p["scale"] - 2.0),
        "layers": [(2 * np.outer(residual, [1.0, 2.0]) + 2 * W, 2 * residual)],
    }


X0 = {"layers": [(np.zeros((3, 2)), np.ones(3))], "scale": 5.0}


def test_a_nested_tree_comes_back_in_its_form():
    result = loa.minimize(loss, X0, jac=True)
    assert result.success
    W, b = result.x["layers"][0]
    assert isinstance(result.x["layers"], list) and W.shape == (3, 2) and b.shape == (3,)
    assert isinstance(result.x["scale"], float) and result.x["scale"] == pytest.approx(2, abs=1e-5)
    f, gradient = loss(result.x)
    assert f == result.fun
    np.testing.assert_array_equal(gradient["layers"][0][0], result.jac["layers"][0][0])
    assert gradient["scale"] == result.jac["scale"]


def test_a_tree_is_the_vector_of_its_leaves():
    def split(p):
        f, g = rosenbrock(np.concatenate([p[0], p[1]]))
        return f, [g[:1], g[1:]]

    result = loa.minimize(split, [START[:1], START[1:]], jac=True)
    flat = loa.minimize(rosenbrock, START, jac=True)
    assert np.concatenate(result.x).tobytes() == flat.x.tobytes() and result.nfev == flat.nfev


def test_named_tuples_callables_differences_and_args():
    start = Pair(np.zeros(2), np.ones((1, 2)))

    def fun(p, c):
        assert isinstance(p, Pair)
        return ((p.first - c) ** 2).sum() + (p.second**2).sum()

    def jac(p, c):
        return Pair(2 * (p.first - c), 2 * p.second)

    for how in (jac, None, "3-point"):
        result = loa.minimize(fun, start, args=(3.0,), jac=how)
        assert result.success and isinstance(result.x, Pair)
        np.testing.assert_allclose(result.x.first, 3, atol=1e-4)
        assert result.x.second.shape == (1, 2)


def test_callbacks_see_the_tree():
    seen = []
    loa.minimize(loss, X0, jac=True, callback=lambda p: seen.append(p["scale"]))
    assert seen and all(isinstance(scale, float) for scale in seen)

    def callback(intermediate_result):
        assert intermediate_result.x["layers"][0][0].shape == (3, 2)
        raise StopIteration

    assert loa.minimize(loss, X0, jac=True, callback=callback).nit == 1
    kept = loa.minimize(loss, X0, jac=True, options={"return_all": True})
    assert kept.allvecs[0]["scale"] == 5.0 and len(kept.allvecs) == kept.nit + 2


def test_float32_leaves_stay_float32():
    def fun(p):
        assert p["a"].dtype == np.float32
        return ((p["a"] - 1) ** 2).sum(), {"a": 2 * (p["a"] - 1)}

    result = loa.minimize(fun, {"a": np.zeros(4, np.float32)}, jac=True)
    assert result.success and result.x["a"].dtype == np.float32


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"gradient: expected the structure of x0, found nothing at \['scale'\]"):
        loa.minimize(lambda p: (1.0, {"layers": p["layers"]}), X0, jac=True)
    with pytest.raises(ValueError, match=r"gradient\['scale'\]: expected shape \(\), found \(2,\)"):
        loa.minimize(lambda p: (1.0, {**p, "scale": np.zeros(2)}), X0, jac=True)
    with pytest.raises(TypeError, match="expected real numbers"):
        loa.minimize(loss, {"a": np.array(["x"])}, jac=True)
    with pytest.raises(TypeError, match="expected a tuple"):
        loa.minimize(lambda p: 1.0, X0, jac=True)


def test_lists_of_numbers_are_vectors():
    assert loa.minimize(rosenbrock, list(START), jac=True).x.shape == (3,)
    with pytest.raises(ValueError, match="x0: expected shape"):
        loa.minimize(rosenbrock, [[1.0, 2.0]], jac=True)


@pytest.mark.parametrize("name", ["bounds", "warm", "hess_inv0", "hess", "hessp", "options"])
def test_what_has_no_form_for_trees_is_refused(name):
    vector = loa.minimize(rosenbrock, START, jac=True)
    value = {"warm": vector, "options": {"hess_inv0": np.eye(10)}}.get(name, [(0, 1)] * 10)
    with pytest.raises(TypeError, match=f"{name}: .*pytree"):
        loa.minimize(loss, X0, jac=True, **{name: value})
    if name == "warm":
        with pytest.raises(TypeError, match="found one on a pytree"):
            loa.minimize(rosenbrock, START, jac=True, warm=loa.minimize(loss, X0, jac=True))


def test_a_run_on_a_tree_is_resumed_on_one():
    for options in ({}, {"return_all": True}):
        whole = loa.minimize(loss, X0, jac=True, options=options)
        half = loa.minimize(loss, X0, jac=True, options={"maxiter": 3})
        form = {"layers": [(np.full((3, 2), 9.0), np.full(3, 9.0))], "scale": 9.0}  # its numbers do not matter
        rest = loa.minimize(loss, form, jac=True, state=half.state, options=options)
        assert rest.fun == whole.fun and (rest.nit, rest.nfev) == (whole.nit, whole.nfev)
        assert rest.x["scale"] == whole.x["scale"] and rest.x["layers"][0][0].tobytes() == whole.x["layers"][0][0].tobytes()
        assert rest.state.to_bytes() == whole.state.to_bytes()
    with pytest.raises(ValueError, match="x0: expected a pytree of 10 numbers, as the state has, found one of 3"):
        loa.minimize(loss, {"a": START}, jac=True, state=half.state)


def test_bfloat16_is_a_start_in_a_tree_and_alone():
    bfloat16 = pytest.importorskip("ml_dtypes").bfloat16
    start = np.array([-1.5, 1.0, 0.5], dtype=bfloat16)
    expected = loa.minimize(rosenbrock, start.astype(float), jac=True)
    assert loa.minimize(rosenbrock, start, jac=True).x.tobytes() == expected.x.tobytes()

    def of_tree(p):
        f, g = rosenbrock(p["a"].astype(float))
        return f, {"a": g}

    assert loa.minimize(of_tree, {"a": start}, jac=True, options={"maxiter": 2}).x["a"].dtype == bfloat16
