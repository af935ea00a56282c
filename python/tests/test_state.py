"""States: pickled, saved, resumed."""

import copy
import pickle

import numpy as np
import pytest
from functions import START, rosenbrock

import loa


@pytest.mark.parametrize("algorithm", [info["name"] for info in loa.algorithms() if not info["needs_hessian"]])
def test_a_resumed_run_equals_the_uninterrupted_one(algorithm, tmp_path):
    options = {"max_iterations": 40}
    whole = loa.minimize(rosenbrock, START, jac=True, algorithm=algorithm, options=options)
    half = loa.minimize(rosenbrock, START, jac=True, algorithm=algorithm, options={"max_iterations": 11})
    half.state.save(str(tmp_path / "state"))
    for state in (
        half.state,
        pickle.loads(pickle.dumps(half.state)),
        copy.deepcopy(half.state),
        loa.State.load(str(tmp_path / "state")),
    ):
        resumed = loa.minimize(rosenbrock, jac=True, algorithm=algorithm, state=state, options=options)
        assert resumed.x.tobytes() == whole.x.tobytes()
        assert (resumed.nit, resumed.nfev) == (whole.nit, whole.nfev)


@pytest.mark.parametrize("algorithm", [info["name"] for info in loa.algorithms() if not info["needs_hessian"]])
def test_a_run_goes_on_from_what_a_callback_saved(algorithm, tmp_path):
    options = {"max_iterations": 30}
    whole = loa.minimize(rosenbrock, START, jac=True, algorithm=algorithm, options=options)
    copies, seen = [], []

    def callback(intermediate_result):
        seen.append(intermediate_result)
        if intermediate_result.nit == 5:
            intermediate_result.save(tmp_path / "state")
            copies.append(intermediate_result.state)

    watched = loa.minimize(rosenbrock, START, jac=True, algorithm=algorithm, options=options, callback=callback)
    saved = loa.State.load(str(tmp_path / "state"))
    assert saved.iteration == 5 and saved.to_bytes() == copies[0].to_bytes()
    resumed = loa.minimize(rosenbrock, jac=True, algorithm=algorithm, state=saved, options=options)
    for other in (watched, resumed):
        assert other.x.tobytes() == whole.x.tobytes()
        assert (other.nit, other.nfev, other.status) == (whole.nit, whole.nfev, whole.status)
    assert "state" not in seen[0] and "x" in seen[0]
    with pytest.raises(ValueError, match="inside the callback"):
        seen[0].state
    with pytest.raises(ValueError, match="inside the callback"):
        seen[0].save(tmp_path / "late")
    assert not (tmp_path / "late").exists()
    for kept in (pickle.loads(pickle.dumps(seen[0])), copy.deepcopy(seen[0])):
        assert kept.nit == 1 and kept.x.tobytes() == seen[0].x.tobytes() and not hasattr(kept, "state")


def test_a_callback_that_cannot_save_says_why(tmp_path):
    def callback(intermediate_result):
        intermediate_result.save(tmp_path / "no" / "state")

    with pytest.raises(ValueError, match="cannot be written"):
        loa.minimize(rosenbrock, START, jac=True, callback=callback)


def test_a_start_beside_a_state_is_refused():
    state = loa.minimize(rosenbrock, START, jac=True).state
    with pytest.raises(TypeError, match="x0: expected None beside state"):
        loa.minimize(rosenbrock, START, jac=True, state=state)
    state = loa.solve("rosenbrock:n=2", options={"max_iterations": 3}).state
    with pytest.raises(TypeError, match="x0: expected None beside state"):
        loa.solve("rosenbrock:n=2", x0=[1.0, 2.0], state=state)


def test_what_is_no_state_is_refused():
    result = loa.minimize(rosenbrock, START, jac=True)
    for wrong, name in (("x", "str"), (result, "Result"), (START, "ndarray")):
        with pytest.raises(TypeError, match=f"state: expected a loa.State, such as result.state .*, found {name}"):
            loa.minimize(rosenbrock, jac=True, state=wrong)
        with pytest.raises(TypeError, match=f"state: expected a loa.State, .*, found {name}"):
            loa.solve("rosenbrock:n=2", state=wrong)


def copies_of(thing):
    return copy.copy(thing), copy.deepcopy(thing), pickle.loads(pickle.dumps(thing))


def test_warm_starts_copy_and_pickle():
    result = loa.minimize(rosenbrock, START, jac=True, options={"maxiter": 9})
    matrix = np.diag([1.0, 2.0, 3.0])
    point = loa.minimize(rosenbrock, START, jac=True, algorithm="gradient-descent", options={"maxiter": 9}).state
    for warm in (loa.WarmStart(result.state), loa.WarmStart(START, matrix), loa.WarmStart(point)):
        plain = loa.minimize(rosenbrock, jac=True, warm=warm)
        for again in copies_of(warm):
            assert (again.algorithm, again.has_inverse_hessian) == (warm.algorithm, warm.has_inverse_hessian)
            assert again.x.tobytes() == warm.x.tobytes()
            found = loa.minimize(rosenbrock, jac=True, warm=again)
            assert found.x.tobytes() == plain.x.tobytes() and found.nfev == plain.nfev


def test_problems_copy_and_pickle():
    problem = loa.problem("quadratic:n=20,seed=3")
    for again in copies_of(problem):
        assert repr(again) == repr(problem) and again.minimum == problem.minimum
        assert again.value(problem.start) == problem.value(problem.start)
    assert loa.solve(copy.deepcopy(problem)).x.tobytes() == loa.solve(problem).x.tobytes()


def test_comparisons_copy_and_pickle(tmp_path):
    own = loa.NamedObjective("own", lambda x: rosenbrock(x), START, jac=True, minimum=0.0)
    comparison = loa.compare(["mgh:wood", own], ["bfgs", "sr1", "bfgs+d"], starts=2, against=["sr1"], jobs=1)
    comparison.save(tmp_path / "first")
    for number, again in enumerate(copies_of(comparison)):
        assert str(again) == str(comparison) and repr(again) == repr(comparison) and again.runs == comparison.runs
        assert again.summary == comparison.summary and again.relative_evaluations == comparison.relative_evaluations
        names = again.save(tmp_path / str(number))
        assert names
        for name in names:
            assert (tmp_path / str(number) / name).read_bytes() == (tmp_path / "first" / name).read_bytes()


def test_pickled_states_are_state_files(tmp_path):
    state = loa.minimize(rosenbrock, START, jac=True).state
    state.save(str(tmp_path / "state"))
    assert (tmp_path / "state").read_bytes() == state.to_bytes() == state.__getstate__()
    assert loa.State.from_bytes(state.to_bytes()).to_bytes() == state.to_bytes()


def test_results_pickle_with_their_state():
    result = loa.minimize(rosenbrock, START, jac=True)
    again = pickle.loads(pickle.dumps(result))
    assert type(again) is loa.Result and again.message == result.message
    np.testing.assert_array_equal(again.trace, result.trace)
    np.testing.assert_array_equal(np.asarray(again.hess_inv), np.asarray(result.hess_inv))


def test_a_state_that_does_not_fit_is_refused(tmp_path):
    state = loa.minimize(rosenbrock, START, jac=True, algorithm="bfgs").state
    with pytest.raises(ValueError, match="expected a state of 'sr1', found one of 'bfgs'"):
        loa.minimize(rosenbrock, jac=True, algorithm="sr1", state=state)
    with pytest.raises(ValueError):
        loa.State.from_bytes(b"nothing of the kind")
    with pytest.raises(ValueError):
        loa.State.from_bytes(state.to_bytes()[:-8])
    with pytest.raises(ValueError, match="none"):
        loa.State.load(str(tmp_path / "none"))
    with pytest.raises(TypeError, match="x0: expected a start or a state"):
        loa.minimize(rosenbrock, jac=True)


def test_a_state_shows_what_it_holds():
    result = loa.minimize(rosenbrock, START, jac=True)
    state = result.state
    np.testing.assert_array_equal(state.x, result.x)
    np.testing.assert_array_equal(state.grad, result.jac)
    assert (state.algorithm, state.n, state.iteration) == ("bfgs+d", 3, result.nit)
    assert "bfgs+d" in repr(state) and "bfgs+d" in state._repr_html_()
    B = state.inverse_hessian()
    np.testing.assert_array_equal(B, B.T)
    np.testing.assert_allclose(state.apply_inverse_hessian([1.0, 2.0, 3.0]), B @ [1.0, 2.0, 3.0])
