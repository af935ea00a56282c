"""What comes in and out as arrays."""

import numpy as np
import pytest
from functions import START, gradient, rosenbrock, value

import loa

EXPECTED = loa.minimize(rosenbrock, [-1.0, 2.0], jac=True).x


@pytest.mark.parametrize(
    "x0",
    [
        [-1, 2],
        (-1.0, 2.0),
        np.array([-1, 2]),
        np.array([-1, 2], dtype=np.float32),
        np.array([-1.0, 9.0, 2.0, 9.0])[::2],
        np.array([2.0, -1.0])[::-1],
        np.array([[-1.0, 2.0]])[0],
    ],
)
def test_starts_of_all_kinds(x0):
    before = np.array(x0, copy=True)
    np.testing.assert_array_equal(loa.minimize(rosenbrock, x0, jac=True).x, EXPECTED)
    np.testing.assert_array_equal(before, x0)


@pytest.mark.parametrize(
    "convert",
    [
        list,
        tuple,
        lambda g: np.repeat(g, 2)[::2],
        lambda g: g[::-1].copy()[::-1],
        lambda g: g.astype(object),
        lambda g: np.asfortranarray(g),
    ],
)
def test_gradients_of_all_kinds(convert):
    result = loa.minimize(lambda x: (rosenbrock(x)[0], convert(rosenbrock(x)[1])), [-1.0, 2.0], jac=True)
    np.testing.assert_array_equal(result.x, EXPECTED)


def test_float32_gradients_are_converted():
    result = loa.minimize(lambda x: (x @ x, (2 * x).astype(np.float32)), START, jac=True)
    assert result.success


@pytest.mark.parametrize("convert", [np.float64, np.array, lambda f: np.array([f]), np.float32, int])
def test_values_of_all_kinds(convert):
    assert loa.minimize(lambda x: (convert(0.0), np.zeros(3)), START, jac=True).fun == 0.0


def test_wrong_shapes_are_refused_with_both_shapes():
    with pytest.raises(ValueError, match=r"x0: expected shape \(n,\), found \(2, 2\)"):
        loa.minimize(rosenbrock, np.ones((2, 2)), jac=True)
    with pytest.raises(ValueError, match=r"jac: expected shape \(3,\), found \(4,\)"):
        loa.minimize(lambda x: 0.0, START, jac=lambda x: np.ones(4))
    with pytest.raises(ValueError, match=r"gradient: expected shape \(3,\), found \(3, 1\)"):
        loa.minimize(lambda x: (0.0, np.ones((3, 1))), START, jac=True)
    with pytest.raises(ValueError, match=r"fun: expected one number, found shape \(3,\)"):
        loa.minimize(lambda x: x, START, jac=lambda x: x)
    with pytest.raises(ValueError, match=r"hess: expected shape \(3, 3\), found \(2, 2\)"):
        loa.minimize(value, START, jac=gradient, hess=lambda x: np.eye(2), algorithm="newton")
    with pytest.raises(ValueError, match=r"x0: expected shape \(20,\), found \(3,\)"):
        loa.solve("rosenbrock:n=20", x0=START)


def test_wrong_types_are_refused():
    with pytest.raises(TypeError, match="x0: expected real numbers, found complex128"):
        loa.minimize(rosenbrock, [1j, 2.0], jac=True)
    with pytest.raises(TypeError, match=r"fun: expected a tuple \(value, gradient\), found float"):
        loa.minimize(lambda x: 0.0, START, jac=True)
    with pytest.raises(TypeError, match="fun: expected a callable"):
        loa.minimize(3, START)
    with pytest.raises(TypeError, match="fun: expected numbers, found text"):
        loa.minimize(lambda x: "text", START)
    with pytest.raises(TypeError, match="fun: expected numbers, found None"):
        loa.minimize(lambda x: None, START)


def test_a_callable_that_changes_x_does_no_harm():
    def fun(x):
        f, g = rosenbrock(x)
        x[:] = 1e9
        return f, g

    np.testing.assert_array_equal(loa.minimize(fun, [-1.0, 2.0], jac=True).x, EXPECTED)


def test_a_callable_may_keep_a_part_of_x():
    kept = []

    def fun(x):
        kept.append((x[:1], float(x[0])))
        return rosenbrock(x)

    loa.minimize(fun, START, jac=True)
    assert all(view[0] == number for view, number in kept)


@pytest.mark.parametrize("jac", [True, "separate"])
def test_an_array_that_was_kept_does_not_change(jac):
    kept = []

    def fun(x):
        kept.append((x, x.copy()))
        return rosenbrock(x) if jac is True else rosenbrock(x)[0]

    def gradient_of(x):
        kept.append((x, x.copy()))
        return rosenbrock(x)[1]

    result = loa.minimize(fun, [-1.0, 2.0], jac=True if jac is True else gradient_of)
    assert len(kept) == result.nfev * (1 if jac is True else 2)
    assert all(array.tobytes() == copy.tobytes() for array, copy in kept)
    np.testing.assert_array_equal(result.x, EXPECTED)


class Plain(np.ndarray):
    """A subclass."""


def unaligned(g):
    raw = np.zeros(g.nbytes + 1, dtype=np.uint8)[1:]
    array = raw.view(np.float64)
    array[:] = g
    return array


def read_only(g):
    g = g.copy()
    g.flags.writeable = False
    return g


@pytest.mark.parametrize(
    "convert",
    [
        lambda g: g.view(Plain),
        lambda g: np.ma.masked_array(g),
        lambda g: g.astype(">f8"),
        lambda g: g.astype(np.dtype(np.float64, metadata={"unit": "m"})),
        lambda g: g.astype(np.longdouble),
        lambda g: np.broadcast_to(g, (3, 2))[1],
        unaligned,
        read_only,
    ],
    ids=["subclass", "masked", "big endian", "metadata", "long double", "broadcast", "unaligned", "read only"],
)
def test_gradients_in_memory_of_all_kinds(convert):
    result = loa.minimize(lambda x: (rosenbrock(x)[0], convert(rosenbrock(x)[1])), [-1.0, 2.0], jac=True)
    np.testing.assert_array_equal(result.x, EXPECTED)


@pytest.mark.parametrize("convert", [lambda f: np.array([[f]]), lambda f: np.array([f, 0.0])[::2], lambda f: [f]])
def test_values_in_arrays_with_one_number(convert):
    result = loa.minimize(lambda x: (convert(rosenbrock(x)[0]), rosenbrock(x)[1]), [-1.0, 2.0], jac=True)
    np.testing.assert_array_equal(result.x, EXPECTED)


def test_an_array_of_integers_is_no_array_of_doubles():
    result = loa.minimize(lambda x: (float(x @ x), np.array([2, 0])), [1.0, 0.0], jac=True, options={"max_evaluations": 1})
    np.testing.assert_array_equal(result.jac, [2.0, 0.0])
