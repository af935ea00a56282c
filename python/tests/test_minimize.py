"""loa.minimize: results, gradients, options, callbacks."""

import math
import re

import numpy as np
import pytest
from functions import START, gradient, rosenbrock, value

import loa


@pytest.mark.parametrize("algorithm", [entry["name"] for entry in loa.algorithms() if not entry["needs_hessian"]])
def test_every_algorithm_lowers_rosenbrock(algorithm):
    result = loa.minimize(rosenbrock, START, jac=True, algorithm=algorithm, options={"max_iterations": 200})
    assert result.fun < 0.5 * value(START)
    assert result.fun == value(result.x)
    np.testing.assert_array_equal(result.jac, gradient(result.x))


def test_the_result_has_what_scipy_documents_and_more():
    result = loa.minimize(rosenbrock, START, jac=True)
    assert result.success and result.status == 0 and result.status_name == "gradient_is_small"
    assert "Converged" in result.message
    np.testing.assert_allclose(result.x, 1, atol=1e-5)
    assert result.nit == result.trace["iteration"][-1] == result.state.iteration
    assert result.nfev == result.njev == result.evaluations["value"] == result.trace["evaluations"][-1]
    assert set(result.fallbacks) == {"model", "skipped", "restart", "spectrum", "search", "warm", "box"}
    assert result["fun"] == result.fun == result.trace["f"][-1]
    assert result.grad_inf_norm == np.abs(result.jac).max() <= 1e-5


def test_a_lower_point_is_kept_beside_a_success_without_a_decrease_test():
    def fun(x):  # two valleys; the first step crosses into the higher one
        near = x[0] < 2
        return (x[0] ** 2 if near else (x[0] - 4) ** 2 + 3), np.array([2 * x[0] if near else 2 * (x[0] - 4)])

    options = {"first_step": 4.0, "step_size": 0.25}
    result = loa.minimize(fun, [-0.5], jac=True, algorithm="gradient-descent", line_search="fixed", options=options)
    assert result.success and abs(result.x[0] - 4) < 1e-4
    assert result.lower["x"] == [-0.5] and result.lower["fun"] == 0.25 and result.lower["jac"] == [-1.0]
    assert loa.minimize(fun, [-0.5], jac=True).lower is None


def test_evaluations_are_those_that_were_made():
    calls = []

    def fun(x):
        calls.append(x)
        return rosenbrock(x)

    result = loa.minimize(fun, START, jac=True)
    assert result.nfev == len(calls)
    # The arrays are the callable's own: none was changed after it was given away.
    assert len({x.tobytes() for x in calls}) > 1
    np.testing.assert_array_equal(calls[0], START)


def test_jac_true_a_callable_and_an_object_are_the_same():
    class Objective:
        def value_and_gradient(self, x):
            return rosenbrock(x)

    fused = loa.minimize(rosenbrock, START, jac=True)
    separate = loa.minimize(value, START, jac=gradient)
    by_object = loa.minimize(Objective(), START)
    np.testing.assert_array_equal(fused.x, separate.x)
    np.testing.assert_array_equal(fused.x, by_object.x)


@pytest.mark.parametrize("jac, calls", [(None, 4), (False, 4), ("2-point", 4), ("3-point", 7)])
def test_differences_are_counted(jac, calls):
    counter = 0

    def fun(x):
        nonlocal counter
        counter += 1
        return value(x)

    result = loa.minimize(fun, START, jac=jac, options={"gtol": 1e-4})
    assert result.success
    assert result.nfev == counter == result.trace["evaluations"][-1]
    if isinstance(jac, str):
        assert counter == calls * result.njev  # None goes over to central differences, 7 calls each
    else:
        assert calls * result.njev <= counter <= 7 * result.njev
    np.testing.assert_allclose(result.x, 1, atol=1e-3)
    limited = loa.minimize(value, START, jac=jac, options={"max_evaluations": 50})
    assert limited.nfev <= 50 and limited.status_name == "evaluation_limit_reached"


def test_args_are_passed_to_all_callables():
    def fun(x, centre, scale):
        return scale * ((x - centre) ** 2).sum()

    def jac(x, centre, scale):
        return 2 * scale * (x - centre)

    np.testing.assert_allclose(loa.minimize(fun, [0.0, 0.0], args=(3.0, 2.0), jac=jac).x, 3)
    np.testing.assert_allclose(loa.minimize(lambda x, c: ((x - c) ** 2).sum(), [0.0], args=5.0).x, 5, atol=1e-4)


def test_newton_uses_hess_and_exact_uses_hessp():
    A = np.diag([1.0, 10.0, 100.0])
    fun, jac = lambda x: 0.5 * x @ A @ x, lambda x: A @ x
    newton = loa.minimize(fun, [1.0, 1.0, 1.0], jac=jac, hess=lambda x: A, algorithm="newton")
    assert newton.success and newton.nhev >= 1 and newton.nit <= 2
    exact = loa.minimize(fun, [1.0, 1.0, 1.0], jac=jac, hessp=lambda x, v: A @ v, line_search="exact")
    assert exact.success and exact.evaluations["hessian_vector"] > 0
    with pytest.raises(ValueError, match="newton: expected hess"):
        loa.minimize(fun, [1.0, 1.0, 1.0], jac=jac, algorithm="newton")
    with pytest.warns(RuntimeWarning, match="hess"):
        loa.minimize(fun, [1.0, 1.0, 1.0], jac=jac, hess=lambda x: A)
    with pytest.warns(RuntimeWarning, match="hessp"):
        loa.minimize(fun, [1.0, 1.0, 1.0], jac=jac, hessp=lambda x, v: A @ v)


def test_no_limit_is_infinity():
    for name in ("max_evaluations", "maxfev", "max_iterations", "maxiter"):
        assert loa.minimize(value, START, jac=gradient, options={name: math.inf}).success
    for wrong in (math.nan, -math.inf):
        with pytest.raises(ValueError, match="max_evaluations: found .*, expected an integer of at least 1, or inf"):
            loa.minimize(value, START, jac=gradient, options={"max_evaluations": wrong})


def test_options_have_an_effect_and_unknown_ones_are_refused(capsys):
    limited = loa.minimize(rosenbrock, START, jac=True, options={"maxiter": 3})
    assert limited.nit == 3 and not limited.success and limited.status == 1
    loose = loa.minimize(rosenbrock, START, jac=True, tol=1.0)
    assert loose.success and 1e-5 < loose.grad_inf_norm <= 1.0
    guarded = loa.minimize(rosenbrock, START, jac=True, options={"safeguard": "spectrum"})
    assert guarded.guarantee["smallest_eigenvalue"] < guarded.guarantee["largest_eigenvalue"]
    old = {"safeguard": "bounded", "lower_bound": 1e-3, "upper_bound": 1e-2}
    with pytest.warns(DeprecationWarning, match="deprecated, use") as warned:
        before = loa.minimize(rosenbrock, START, jac=True, options=old)
    assert len(warned) == 3 and all(warning.filename == __file__ for warning in warned)
    now = {"safeguard": "spectrum", "smallest_eigenvalue": 1e-3, "largest_eigenvalue": 1e-2}
    after = loa.minimize(rosenbrock, START, jac=True, options=now)
    assert after.guarantee["largest_eigenvalue"] == before.guarantee["largest_eigenvalue"] == 1e-2
    assert after.x.tobytes() == before.x.tobytes() and after.fallbacks == before.fallbacks
    with pytest.raises(ValueError, match="found 'gtoll', expected one of .*did you mean 'gtol'"):
        loa.minimize(rosenbrock, START, jac=True, options={"gtoll": 1})
    with pytest.raises(TypeError, match="gtol: expected float, found 'small'"):
        loa.minimize(rosenbrock, START, jac=True, options={"gtol": "small"})
    for name in ("max_evaluations", "maxfun", "maxfev"):
        for value in (0, -1, 0.5):
            with pytest.raises(ValueError, match=f"{name}: found {value}, expected an integer of at least 1"):
                loa.minimize(rosenbrock, START, options={name: value})
    with pytest.raises(ValueError, match="safeguard"):
        loa.minimize(rosenbrock, START, jac=True, options={"safeguard": "maybe"})
    loa.minimize(rosenbrock, START, jac=True, options={"disp": True})
    assert "Converged" in capsys.readouterr().out


def test_none_is_the_default_of_every_option():
    plain = loa.minimize(rosenbrock, START, jac=True)
    names = ["gtol", "gtol_relative", "ftol", "max_iterations", "max_evaluations", "max_seconds", "first_step", "lipschitz",
             "safeguard", "step_size", "momentum", "beta1", "beta2", "memory", "smallest_eigenvalue", "largest_eigenvalue", "maxiter",
             "maxfun", "maxfev", "maxcor", "maxls", "c1", "c2", "xrtol", "norm", "return_all", "workers",
             "finite_diff_rel_step", "eps", "disp", "verbose"]  # fmt: skip
    same = loa.minimize(rosenbrock, START, jac=True, options=dict.fromkeys(names), tol=None)
    assert same.x.tobytes() == plain.x.tobytes() and same.nfev == plain.nfev


def test_names_that_are_unknown_are_refused():
    with pytest.raises(ValueError, match="found 'bgfs', expected one of .*loa-bfgs.*did you mean"):
        loa.minimize(rosenbrock, START, jac=True, algorithm="bgfs")
    with pytest.raises(ValueError, match="expected a file that exists or one of"):
        loa.minimize(rosenbrock, START, jac=True, algorithm="loa-bfgs", weights="nobody")
    with pytest.raises(ValueError, match="expected no weights"):
        loa.minimize(rosenbrock, START, jac=True, algorithm="bfgs", weights="loa-bfgs")
    with pytest.raises(ValueError, match="line"):
        loa.minimize(rosenbrock, START, jac=True, line_search="nobody")
    with pytest.raises(ValueError, match="jac: expected"):
        loa.minimize(rosenbrock, START, jac="4-point")


def test_names_may_be_in_capitals_and_near_misses_are_named():
    plain = loa.minimize(rosenbrock, START, jac=True, algorithm="l-bfgs")
    for name in ("L-BFGS", "L-bfgs"):
        assert loa.minimize(rosenbrock, START, jac=True, algorithm=name).x.tobytes() == plain.x.tobytes()
        assert loa.method(name)(rosenbrock, START, jac=True).algorithm == "l-bfgs"
    auto = loa.minimize(rosenbrock, START, jac=True)
    assert loa.minimize(rosenbrock, START, jac=True, algorithm="AUTO").x.tobytes() == auto.x.tobytes()
    assert loa.method("Auto")(rosenbrock, START, jac=True).algorithm == auto.algorithm
    for wrong, right in (("bfg", "bfgs"), ("L-BFGS-B", "l-bfgs"), ("bfgs_d", "bfgs+d"), ("LOABFGS", "loa-bfgs")):
        with pytest.raises(ValueError, match=f"did you mean '{re.escape(right)}'"):
            loa.minimize(rosenbrock, START, jac=True, algorithm=wrong)
    with pytest.raises(ValueError, match="did you mean 'weak-wolfe'"):
        loa.minimize(rosenbrock, START, jac=True, line_search="weak_wolfe")


def test_callbacks_of_both_styles_see_every_iteration_and_may_stop():
    seen = []
    result = loa.minimize(rosenbrock, START, jac=True, callback=seen.append)
    assert len(seen) == result.nit
    np.testing.assert_array_equal(seen[-1], result.x)
    assert not np.array_equal(seen[0], seen[-1])

    iterations = []

    def callback(intermediate_result):
        iterations.append((intermediate_result.nit, intermediate_result.fun))
        assert intermediate_result.fun == value(intermediate_result.x)
        if intermediate_result.nit == 4:
            raise StopIteration

    stopped = loa.minimize(rosenbrock, START, jac=True, callback=callback)
    assert [n for n, _ in iterations] == [1, 2, 3, 4]
    assert stopped.status_name == "stopped_by_observer" and not stopped.success and stopped.nit == 4


@pytest.mark.parametrize(
    "fun, status",
    [
        (lambda x: (float("nan"), x), "start_is_not_finite"),
        (lambda x: (0.0, np.zeros_like(x)), "gradient_is_small"),
        (lambda x: (x.sum() if x.sum() > -1e6 else -np.inf, np.ones_like(x)), "objective_is_unbounded"),
    ],
)
def test_numerical_outcomes_are_statuses(fun, status):
    assert loa.minimize(fun, START, jac=True).status_name == status


def test_a_domain_is_respected():
    def fun(x):
        with np.errstate(invalid="ignore", divide="ignore"):
            return float(x[0] - np.log(x[0])), np.array([1 - 1 / x[0]])

    result = loa.minimize(fun, [20.0], jac=True)
    assert result.success
    np.testing.assert_allclose(result.x, 1, atol=1e-4)


def test_no_variables_and_one_variable():
    assert loa.minimize(lambda x: (1.0, x), [], jac=True).success
    assert loa.minimize(lambda x: (x[0] - 3) ** 2, 1.0).x.shape == (1,)


def test_equal_calls_give_equal_bits():
    first, second = (loa.minimize(rosenbrock, START, jac=True, algorithm="loa-bfgs") for _ in range(2))
    assert first.x.tobytes() == second.x.tobytes() and first.nfev == second.nfev


def test_hess_inv_is_the_inverse_hessian_of_a_quadratic():
    A = np.array([[4.0, 1.0], [1.0, 3.0]])
    result = loa.minimize(lambda x: (0.5 * x @ A @ x, A @ x), [3.0, -2.0], jac=True, options={"gtol": 1e-9})
    np.testing.assert_allclose(np.asarray(result.hess_inv), np.linalg.inv(A), rtol=0.02)  # of the last iterate but one
    np.testing.assert_allclose(result.hess_inv @ [1.0, 2.0], result.hess_inv.todense() @ [1.0, 2.0])
    assert result.hess_inv[0, 1] == result.hess_inv[1, 0] and result.hess_inv.shape == (2, 2)
    assert "hess_inv" not in loa.minimize(rosenbrock, START, jac=True, algorithm="gradient-descent")


def test_auto_is_dense_for_few_variables_and_limited_for_many():
    def fun(x):
        return 0.5 * float(x @ x), x

    for n, name in ((5, "bfgs+d"), (6001, "l-bfgs+d")):
        result = loa.minimize(fun, np.ones(n), jac=True)
        assert result.success
        assert result.state.algorithm == name
        again = loa.minimize(fun, jac=True, state=result.state)
        assert np.array_equal(again.x, result.x)
    assert loa.minimize(fun, np.ones(501), jac=True, options={"safeguard": "spectrum"}).state.algorithm == "bfgs"


def test_threads():
    before = loa.num_threads()
    loa.set_num_threads(1)
    assert loa.num_threads() == 1
    loa.set_num_threads(0)
    assert loa.num_threads() == before
    with pytest.raises(ValueError):
        loa.set_num_threads(-1)
