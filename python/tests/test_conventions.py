"""SciPy's options, numbers and messages. tools/scipy_suite runs SciPy's own tests."""

import copy
import pickle

import numpy as np
import pytest
from functions import START, gradient, rosenbrock, value

import loa


def run(**options):
    return loa.minimize(rosenbrock, START, jac=True, options=options)


def test_constants_of_the_line_search_take_effect_and_are_checked():
    plain = run()
    assert run(c2=0.01).nfev > plain.nfev
    # They are those of the strong Wolfe conditions, unless a search is named that has others.
    own = {"c1": 1e-4, "c2": 0.97}  # those of the default algorithm
    weak, strong = (
        loa.minimize(rosenbrock, START, jac=True, line_search=name, options=own) for name in ("weak-wolfe", "more-thuente")
    )
    assert weak.x.tobytes() == plain.x.tobytes()
    assert strong.x.tobytes() == run(**own).x.tobytes() != plain.x.tobytes()
    for wrong in ({"c1": 0.5, "c2": 2}, {"c1": -0.1, "c2": 0.1}, {"c1": 0.2, "c2": 0.1}):
        with pytest.raises(ValueError, match="'c1' and 'c2'"):
            run(**wrong)
    named = loa.minimize(rosenbrock, START, jac=True, line_search="more-thuente", options={"c2": 0.1})
    assert named.success and named.nfev != plain.nfev


def test_a_limit_on_the_trials_of_a_search():
    def trials(**options):
        counts = [0]

        def fun(x):
            counts[-1] += 1
            return rosenbrock(x)

        def callback(x):
            counts.append(0)

        options |= {"c2": 1e-3}  # searches that take many trials
        result = loa.minimize(fun, START, jac=True, line_search="more-thuente", callback=callback, options=options)
        return counts[1:-1], result

    counts, plain = trials()
    assert max(counts) > 5 and plain.success
    assert trials(maxls=max(counts))[0] == counts
    first = next(k for k, count in enumerate(counts) if count > 4)
    limited, other = trials(maxls=4)
    # The same up to there; then the search is given up after four trials.
    assert limited[:first] == counts[:first] and limited[first] != counts[first] and other.nfev != plain.nfev
    stopped = run(maxls=1)
    assert not stopped.success and stopped.status == 2
    with pytest.raises(ValueError, match="maxls"):
        run(maxls=0)


def test_xrtol_stops_at_a_small_step():
    result = run(xrtol=1e-2, return_all=True)
    assert result.success and result.status == 0 and result.status_name == "step_is_small"
    assert result.grad_inf_norm > 1e-5
    lengths = [np.linalg.norm(b - a) / (1e-2 + np.linalg.norm(b)) for a, b in zip(result.allvecs[1:], result.allvecs[2:])]
    assert lengths[-1] <= 1e-2 and all(length > 1e-2 for length in lengths[:-1])


def test_other_norms_of_the_gradient():
    for norm, length in ((1, 1), (2, 2), (np.inf, np.inf)):
        result = run(norm=norm, gtol=1e-3)
        assert result.success and result.status_name == "gradient_is_small"
        assert np.linalg.norm(result.jac, ord=length) <= 1e-3
    assert run(norm=1, gtol=1e-3).nit >= run(norm=np.inf, gtol=1e-3).nit


def test_all_iterates():
    result = run(return_all=True)
    assert len(result.allvecs) == result.nit + 2  # the start, x_0, and one for each iteration
    np.testing.assert_array_equal(result.allvecs[0], START)
    np.testing.assert_array_equal(result.allvecs[-1], result.x)
    assert "allvecs" not in run()


def test_steps_of_differences():
    plain = loa.minimize(value, START)
    for options in ({"eps": np.full(3, 1e-7)}, {"finite_diff_rel_step": 1e-7}, {"workers": map}, {"workers": 2}):
        # Without a rule a run may change to central ones: where it does depends on the last bits of value().
        for rule in (None, "2-point"):
            result = loa.minimize(value, START, jac=rule, options={"gtol": 1e-3, **options})
            assert result.success and (rule is None or result.nfev == 4 * result.njev)
            np.testing.assert_allclose(result.x, 1, atol=1e-3)
    for rule in ("2-point", "3-point"):
        serial = loa.minimize(value, START, jac=rule)
        mapped = loa.minimize(value, START, jac=rule, options={"workers": map})
        assert serial.x.tobytes() == mapped.x.tobytes() and serial.nfev == mapped.nfev
    with pytest.raises(ValueError, match="workers"):
        loa.minimize(value, START, options={"workers": 0})
    assert loa.minimize(value, START, options={"eps": 1e-3}).x.tobytes() != plain.x.tobytes()


def test_complex_steps():
    def fun(x):
        return ((x - 1) ** 2).sum() + ((x - 1) ** 4).sum()

    result = loa.minimize(fun, START, jac="cs")
    assert result.success and result.nfev == 4 * result.njev
    np.testing.assert_allclose(result.x, 1, atol=1e-5)
    np.testing.assert_allclose(result.jac, 2 * (result.x - 1) + 4 * (result.x - 1) ** 3, rtol=1e-9, atol=1e-15)


def test_numbers_of_statuses_are_those_of_scipy():
    def stop(x):
        raise StopIteration

    assert run().status == 0
    assert run(maxiter=2).status == run(maxfun=2).status == run(max_seconds=0).status == 1
    assert loa.minimize(lambda x: (float(x @ x), -2 * x), START, jac=True).status == 2
    assert loa.minimize(lambda x: (np.nan, x), START, jac=True).status == 3
    stopped = loa.minimize(rosenbrock, START, jac=True, callback=stop)
    assert stopped.status == 99 and stopped.message == "`callback` raised `StopIteration`."


def test_messages_of_scipy_where_scipy_asks():
    """Would catch: SciPy's words in loa.minimize, or loa's in loa.method() where SciPy has words of the same meaning."""
    for limit, message in (
        ({"maxiter": 3}, "STOP: TOTAL NO. OF ITERATIONS REACHED LIMIT"),
        ({"maxfun": 3}, "STOP: TOTAL NO. OF F,G EVALUATIONS EXCEEDS LIMIT"),
    ):
        asked = loa.method()(rosenbrock, START, jac=True, **limit)
        assert asked.message == message and not asked.success and asked.status == 1
        own = loa.minimize(rosenbrock, START, jac=True, options=limit)
        assert own.message.startswith("Stopped: ") and own.status_name == asked.status_name
    fixed = [(x, x) for x in START]
    assert loa.method()(rosenbrock, START, jac=True, bounds=fixed).message == "All independent variables were fixed by bounds."
    assert loa.minimize(rosenbrock, START, jac=True, bounds=fixed).message.startswith("Converged: ")
    assert loa.method()(rosenbrock, START, jac=True, bounds=[(0, 9)] * len(START)).message.startswith("Converged: ")


def test_limits_need_not_be_integers():
    assert run(maxiter=3.5).nit == 4 and run(maxiter=3.0).nit == 3
    assert run(maxfun=7.5).nfev == 7


def test_disp_prints_a_success_and_warns_of_a_failure(capsys):
    run(disp=True)
    assert "Converged" in capsys.readouterr().out
    with pytest.warns(UserWarning, match="Maximum number of iterations") as warned:
        run(disp=True, maxiter=2)
    assert warned[0].filename == __file__


def test_disp_prints_what_scipy_prints(capsys):
    optimize = pytest.importorskip("scipy.optimize")
    optimize.minimize(rosenbrock, START, jac=True, method="BFGS", options={"disp": True})
    labels = [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()[1:]]
    result = run(disp=True)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == result.message
    assert [line.partition(":")[0] for line in lines[1:]] == labels
    assert lines[3].endswith(f": {result.nfev}")


def test_verbose_prints_a_line_for_each_iteration_meanwhile(capsys):
    seen = []
    tell = lambda x: seen.append(capsys.readouterr().out)  # noqa: E731
    result = loa.minimize(rosenbrock, START, jac=True, callback=tell, options={"verbose": True})
    assert "evaluations" in seen[0].splitlines()[0] and "|g|_inf" in seen[0].splitlines()[0]
    assert len(seen) == result.nit and len(seen[0].splitlines()) == 3
    assert all(len(lines.splitlines()) == 1 for lines in seen[1:])
    assert capsys.readouterr().out.startswith(result.message)
    silent = run()
    assert capsys.readouterr().out == "" and silent.x.tobytes() == result.x.tobytes()
    loa.minimize(rosenbrock, START, jac=True, algorithm="bfgs", options={"verbose": None})
    assert capsys.readouterr().out == ""


def test_verbose_meets_an_exception_of_its_own_stdout(monkeypatch):
    class Broken:
        def write(self, text):
            raise OSError("no room")

        def flush(self):
            pass

    monkeypatch.setattr("sys.stdout", Broken())
    with pytest.raises(OSError, match="no room"):
        run(verbose=True)


def test_methods_and_results_copy_and_pickle():
    for made in (loa.method(), loa.method("sr1"), loa.method(loa.Algorithm("mine", base="loa-bfgs"))):
        again = pickle.loads(pickle.dumps(made))
        assert again(rosenbrock, START, jac=True).x.tobytes() == made(rosenbrock, START, jac=True).x.tobytes()
    assert loa.method()(value, START, jac=gradient).algorithm == loa.minimize(value, START, jac=gradient).algorithm
    result = run()
    for again in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert type(again) is loa.Result and again.x.tobytes() == result.x.tobytes()
        np.testing.assert_array_equal(again.hess_inv @ START, result.hess_inv @ START)


def test_hess_inv_is_an_operator():
    linalg = pytest.importorskip("scipy.sparse.linalg")
    B = run().hess_inv
    assert isinstance(B, linalg.LinearOperator)
    dense = B.todense()
    for product in (B @ START, B(START), B.matvec(START), B.T @ START, B.dot(START)):
        np.testing.assert_allclose(product, dense @ START, rtol=1e-12)
    np.testing.assert_allclose(B @ np.eye(3), dense)
    np.testing.assert_allclose((2 * B) @ START, 2 * dense @ START)
    assert np.diag(B).shape == (3,)
    other = linalg.aslinearoperator(np.diag(START))
    np.testing.assert_allclose((B + other) @ START, dense @ START + START**2)
    np.testing.assert_allclose((B - other) @ START, dense @ START - START**2)
    np.testing.assert_allclose((B * other) @ START, dense @ START**2)
    assert copy.deepcopy(B)[0, 0] == pickle.loads(pickle.dumps(B))[0, 0] == dense[0, 0]


def test_hess_inv_in_the_arithmetic_of_covariances():
    """What is written after SciPy's BFGS, whose hess_inv is an array."""
    result = run()
    B, dense = result.hess_inv, result.hess_inv.todense()
    variance = np.float64(2.5) * result.fun / 7
    for scaled in (B * variance, variance * B, B / (1 / variance), B * np.array(variance), -B * -variance):
        np.testing.assert_allclose(np.sqrt(np.diag(scaled)), np.sqrt(np.diag(dense) * variance), rtol=1e-14)
        np.testing.assert_allclose(scaled @ START, variance * (dense @ START), rtol=1e-14)
        assert pickle.loads(pickle.dumps(scaled))[1, 2] == scaled[1, 2]
    np.testing.assert_array_equal(B.diagonal(), np.diag(dense))
    assert len(B) == 3
    A = np.arange(9.0).reshape(3, 3)
    for found, expected in (
        (B + A, dense + A), (A + B, A + dense), (B - A, dense - A), (A - B, A - dense), (B - B, np.zeros((3, 3))),
        (A @ B, A @ dense), (B @ A, dense @ A), (2 * B + B, 3 * dense), (np.linalg.inv(B), np.linalg.inv(dense)),
    ):  # fmt: skip
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-18)
    assert np.allclose(B, dense)


def test_a_list_of_value_and_gradient_is_a_pair():
    plain = run()
    assert loa.minimize(lambda x: list(rosenbrock(x)), START, jac=True).x.tobytes() == plain.x.tobytes()
    with pytest.raises(TypeError, match="expected a tuple"):
        loa.minimize(lambda x: [*rosenbrock(x), 0], START, jac=True)


@pytest.mark.parametrize("how", [{}, {"bounds": [(-1, 9)] * 3}, {"hess_inv0": np.eye(3)}, {"algorithm": "l-bfgs+"}])
def test_no_iterations_are_one_evaluation_at_the_start(how):
    start = np.clip(START, -1, 9) if "bounds" in how else START
    result = loa.minimize(rosenbrock, START, jac=True, options={"maxiter": 0, "return_all": True}, **how)
    np.testing.assert_array_equal(result.x, start)
    assert result.fun == value(start) and (result.nit, result.nfev, result.status) == (0, 1, 1)
    assert result.status_name == "iteration_limit_reached" and not result.success and len(result.allvecs) == 1
    # The run goes on as one that was not stopped.
    whole, rest = (
        loa.minimize(rosenbrock, x0, jac=True, state=state, **how) for x0, state in ((START, None), (None, result.state))
    )
    assert rest.x.tobytes() == whole.x.tobytes() and (rest.nit, rest.nfev) == (whole.nit, whole.nfev)


def test_no_iterations_elsewhere():
    optimize = pytest.importorskip("scipy.optimize")
    options = {"maxiter": 0}
    for method in (loa.method(), "BFGS"):
        result = optimize.minimize(rosenbrock, START, jac=True, method=method, options=options)
        np.testing.assert_array_equal(result.x, START)
        assert (result.nit, result.nfev, result.status, result.success) == (0, 1, 1, False)
    by_loa = optimize.minimize(rosenbrock, START, jac=True, method=loa.method(), options=options)
    assert by_loa.message == "STOP: TOTAL NO. OF ITERATIONS REACHED LIMIT"
    assert loa.minimize(value, START, options=options).nfev == 4
    arrived = run(maxiter=0, gtol=1e9)
    assert arrived.success and arrived.nfev == 1 and arrived.status_name == "gradient_is_small"
    batch = loa.minimize_batch(lambda X: ((X**2).sum(axis=1), 2 * X), np.ones((2, 3)), options=options)
    assert (batch.x == 1).all() and (batch.status == 1).all() and (batch.nfev == 1).all()


@pytest.mark.parametrize("precision", [1, 2, -1, np.inf, np.nan])
def test_a_precision_that_is_none_is_refused(precision):
    with pytest.raises(ValueError, match="precision: found .*, expected a number of at least 0 and less than 1"):
        run(precision=precision)


@pytest.mark.parametrize(
    "name",
    ["precision", "maxfun", "maxfev", "maxiter", "maxls", "c1", "c2", "xrtol", "norm", "maxcor", "gtol", "first_step"],
)
def test_options_that_are_no_numbers_are_refused_by_name(name):
    for wrong in ("a", "5", [1.0, 2.0]):
        with pytest.raises(TypeError, match=f"^{name}: expected .*, found "):
            run(**{name: wrong})


def test_limits_beyond_all_integers_are_none():
    plain = run()
    for huge in (1e30, 10**30, 10**400, np.inf):
        for name in ("maxiter", "maxfun", "maxls"):
            assert run(**{name: huge}).nfev == plain.nfev
    for name in ("maxiter", "maxfun", "maxls"):
        with pytest.raises(ValueError, match=f"{name}: found nan"):
            run(**{name: np.nan})


def test_steps_of_differences_beside_a_gradient_are_ignored():
    plain = run()
    for eps in (1e-8, [1e-8] * 3, np.full(3, 1e-8), np.full(7, 1e-8)):
        assert run(eps=eps).x.tobytes() == plain.x.tobytes()
        apart = loa.minimize(value, START, jac=gradient, options={"eps": eps})
        assert apart.x.tobytes() == plain.x.tobytes()
    for name in ("eps", "finite_diff_rel_step"):
        with pytest.raises(ValueError, match=f"{name}: expected .* 3 variables, found shape"):
            loa.minimize(value, START, options={name: [1e-8] * 2})
        with pytest.raises(TypeError, match=f"{name}: expected a number"):
            loa.minimize(value, START, options={name: "a"})
    with pytest.raises(ValueError, match="workers: expected"):
        loa.minimize(value, START, options={"workers": "a"})


def test_an_initial_metric_that_is_none_is_refused_for_what_it_is():
    for wrong, match in (
        (np.eye(3) + np.eye(3, k=1), "found one that is not symmetric: it differs from its transpose by up to 1"),
        (np.eye(2), r"expected .* of shape \(3, 3\), found one of shape \(2, 2\)"),
        (np.diag([1, np.nan, 1]), "found nan or infinity"),
        (-np.eye(3), "positive definite"),
    ):
        with pytest.raises(ValueError, match=f"hess_inv0: .*{match}"):
            loa.minimize(rosenbrock, START, jac=True, hess_inv0=wrong)
    with pytest.raises(TypeError, match="hess_inv0: .*found <U1"):
        loa.minimize(rosenbrock, START, jac=True, hess_inv0="a")


def test_line_searches_may_be_in_capitals():
    def same(first, second):
        assert first.x.tobytes() == second.x.tobytes() and first.nfev == second.nfev

    def fourth_powers(X):
        return (X**4).sum(axis=1), 4 * X**3

    for names in (("hager-zhang", "Hager-Zhang"), ("more-thuente", "MORE-THUENTE")):
        same(*(loa.minimize(rosenbrock, START, jac=True, line_search=name) for name in names))
        same(*(loa.minimize(rosenbrock, START, jac=True, line_search=name, options={"c2": 0.5}) for name in names))
        same(*(loa.method(line_search=name)(rosenbrock, START, jac=True) for name in names))
        same(*(loa.solve("rosenbrock:n=4", line_search=name) for name in names))
        same(*(loa.Series(line_search=name).minimize(rosenbrock, START, jac=True) for name in names))
        same(*(loa.minimize_batch(fourth_powers, [START], line_search=name)[0] for name in names))
        runs = [loa.compare("rosenbrock:n=2", "bfgs", line_search=name, jobs=1).runs[0] for name in names]
        assert runs[0]["evaluations"] == runs[1]["evaluations"]
    exact = loa.minimize(value, START, jac=gradient, hess=lambda x: np.eye(3), line_search="Exact", options={"maxiter": 1})
    assert exact.nhev + exact.evaluations["hessian_vector"] > 0
    with pytest.raises(TypeError, match="line_search: expected a name, found int"):
        loa.minimize(rosenbrock, START, jac=True, line_search=3)


def test_functions_of_numpy_take_hess_inv_as_an_array():
    B = run().hess_inv
    dense, A = B.todense(), np.arange(1.0, 10.0).reshape(3, 3)
    for of in (
        np.isfinite, np.sum, np.mean, np.max, np.trace, np.abs, np.sqrt, np.copy, np.size, np.linalg.eigvalsh,
        lambda h: np.multiply(h, 2), lambda h: np.multiply(2, h), lambda h: np.divide(h, 2), lambda h: np.multiply(h, A),
        lambda h: h.copy(), lambda h: h.size, lambda h: h.sum(axis=0), lambda h: h.tolist(), lambda h: h.T,
        lambda h: h * A, lambda h: A * h, lambda h: h * h, lambda h: np.multiply(h, h), lambda h: h * START,
        lambda h: h / A, lambda h: A / h, lambda h: h / h, lambda h: A - h,
        lambda h: h @ A, lambda h: A @ h, lambda h: START @ h, lambda h: A.tolist() @ h, lambda h: np.dot(h, A),
        lambda h: np.add.reduce(h), lambda h: np.float64(3) * h, lambda h: h * 1j,
        lambda h: np.add(h, h, out=np.empty((3, 3))),
    ):  # fmt: skip
        np.testing.assert_allclose(np.asarray(of(B)), np.asarray(of(dense)), rtol=1e-12)
    np.testing.assert_array_equal(np.diag(2.0 * B), np.diag(2.0 * dense))
    assert isinstance(np.float64(3) * B, loa.InverseHessian) and not hasattr(B, "nothing")
    with pytest.raises(ValueError, match="found a number"):
        B @ 2.0
