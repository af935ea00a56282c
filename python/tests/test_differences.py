"""Runs without a gradient: forward differences, and central ones where those can not go on."""

import numpy as np
import pytest

import loa

CRAWL = [3.735075639827371, 2.736201792300132, 3.2951254335710867]  # with forward differences alone: 1.6e7 calls


def rosen(x):
    return float(np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2))


def rosen_gradient(x):
    r = x[1:] - x[:-1] ** 2
    gradient = np.zeros(x.size)
    gradient[:-1] = -400.0 * x[:-1] * r - 2.0 * (1.0 - x[:-1])
    gradient[1:] += 200.0 * r
    return gradient


class Counted:
    def __init__(self, fun):
        self.fun, self.calls = fun, 0

    def __call__(self, x):
        self.calls += 1
        return self.fun(x)


@pytest.mark.parametrize("options", [{}, {"workers": map}, {"eps": np.full(3, 1.5e-8)}])
def test_a_run_does_not_follow_the_error_of_its_gradient(options):
    fun = Counted(rosen)
    result = loa.minimize(fun, CRAWL, options=options)
    assert result.success and fun.calls == result.nfev < 500
    assert np.abs(rosen_gradient(result.x)).max() < 2e-5


def test_named_differences_stay_what_they_are():
    fun = Counted(rosen)
    result = loa.minimize(fun, CRAWL, jac="2-point")
    # The searches notice the noise: the run reaches what its own gradient says, within the error of that.
    assert result.status_name == "gradient_is_small" and np.abs(rosen_gradient(result.x)).max() < 2e-5
    assert fun.calls == result.nfev == 4 * result.njev


def test_success_is_true():
    rng = np.random.default_rng(5)
    for i in range(40):
        result = loa.minimize(rosen, 2.0 * rng.standard_normal(2 + i % 5))
        assert result.success
        assert np.abs(rosen_gradient(result.x)).max() < 2e-5  # the curvature met along steps is not the largest one


def test_calls_are_counted_and_limited():
    for limit in range(100, 400, 25):
        fun, seen = Counted(rosen), []

        def callback(intermediate_result):
            seen.append((intermediate_result.nfev, fun.calls))

        result = loa.minimize(fun, CRAWL, options={"maxfun": limit, "gtol": 1e-11}, callback=callback)
        assert fun.calls == result.nfev
        assert all(nfev == calls for nfev, calls in seen)
        if not result.success:
            assert result.status_name == "evaluation_limit_reached" and result.status == 1
            # Central differences are counted after an iteration, of which this has at most 40 with 7 calls.
            assert result.nfev <= limit + 40 * 7


def test_a_run_goes_on_with_the_differences_it_had():
    whole = loa.minimize(rosen, CRAWL, tol=1e-9)
    part = loa.minimize(rosen, CRAWL, tol=1e-9, options={"maxiter": whole.nit - 1})
    rest = loa.minimize(rosen, algorithm=part.algorithm, tol=1e-9, state=part.state)
    assert (rest.x == whole.x).all() and rest.nfev == whole.nfev


def test_steps_are_those_of_the_values():
    """Values in float32 have 1.2e-7 of themselves as their spacing, and steps of 1.5e-8 see nothing of f."""
    scale = np.arange(1.0, 5.0)

    def fun(x):
        return np.float32(np.sum(scale * (x - 1.0) ** 2))

    result = loa.minimize(fun, np.zeros(4))
    assert result.success
    assert np.abs(result.x - 1.0).max() < 0.02
