"""Training on one's own problems from Python: the same result for any number of processes, exceptions as they are, and
certificates.

Would catch: members that are shared out wrongly between processes, exceptions that are swallowed or wrapped, a list
that is too short, processes that are left behind, a generator without end that is read to its end.
"""

import itertools
import multiprocessing
import os
import signal
import threading
import time

import numpy as np
import pytest

import loa

SMALL = {"epochs": 6, "batch": 6, "population": 6, "validate_every": 2, "max_evaluations": 300, "progress": False}


def logistic(seed, rows=40, columns=6):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(rows, columns))
    y = np.sign(A @ rng.normal(size=columns) + rng.normal(size=rows))

    def f(x):
        e = np.exp(-y * (A @ x))
        return np.log1p(e).mean() + 0.005 * x @ x, -(A.T @ (y * e / (1 + e))) / rows + 0.01 * x

    return f, np.zeros(columns)


def families(count):
    return [logistic(seed, columns=4 + seed % 3) for seed in range(count)]


def train(problems, **options):
    return loa.train(problems=problems, jac=True, **{**SMALL, **options})


def test_fifty_objectives_of_ones_own():
    training = train(families(50), epochs=24, batch=20, population=12)
    assert training.preset == "own" and training.algorithm == "loa"
    assert training.own["training"] == 20 and training.own["validation"] == 10 and training.own["test"] == 20
    assert list(training.own["rows"]) == ["default", "loa", "constants", "trained", "series", "series trained"]
    assert training.verdict.startswith("kept: " if training.kept else "not kept: ")
    assert training.kept == (training.own["rows"]["trained"]["over_default"]["high"] < 1)
    assert training.verdict in str(training) and training.verdict in repr(training)
    f, x0 = logistic(1000)
    result = loa.minimize(f, x0, jac=True, algorithm="loa", weights=training.weights)
    assert result.success
    assert training.certificate and training.certificate.members == 20
    assert "P(reached within" in str(training.certificate)


def test_the_result_does_not_depend_on_the_processes(tmp_path):
    results = [train(families(24), processes=processes) for processes in (1, 2, 3)]
    for other in results[1:]:
        assert other.weights.theta.tobytes() == results[0].weights.theta.tobytes()
        for name in ("train_loss", "test_loss", "best_loss"):
            assert (other.history[name] == results[0].history[name]).all()
        assert other.own["evaluations"] == results[0].own["evaluations"]
        assert other.verdict == results[0].verdict
    assert train(families(24), seed=1).history["train_loss"][0] != results[0].history["train_loss"][0]
    path = tmp_path / "mine.safetensors"
    results[0].save(path)
    f, x0 = logistic(7)
    assert loa.minimize(f, x0, jac=True, algorithm="loa", weights=str(path)).success
    assert loa.load_weights(path).certificate.members == results[0].certificate.members


def test_all_that_minimize_takes_is_taken():
    class Fused:
        def __init__(self, seed):
            self.f, self.x0 = logistic(seed)

        def value_and_gradient(self, x):
            return self.f(x)

    fused = [Fused(seed) for seed in range(12)]
    expected = train([(o.f, o.x0) for o in fused], epochs=3)
    as_objects = loa.train(problems=[(o, o.x0) for o in fused], **{**SMALL, "epochs": 3})
    named = [loa.NamedObjective(str(i), o.f, o.x0, jac=True) for i, o in enumerate(fused)]
    as_named = loa.train(problems=named, **{**SMALL, "epochs": 3})
    assert as_objects.history["train_loss"].tolist() == expected.history["train_loss"].tolist()
    assert as_named.history["train_loss"].tolist() == expected.history["train_loss"].tolist()
    # Differences, args, built-in problems.
    by_differences = loa.train(
        problems=[(lambda x, a: o.f(x)[0] * a, o.x0) for o in fused], args=(2.0,), **{**SMALL, "epochs": 3}
    )
    assert by_differences.own["rows"]["default"]["reached"] > 0
    built_in = [loa.problem(f"quadratic:n=4,seed={seed}") for seed in range(12)]
    assert loa.train(problems=built_in, **{**SMALL, "epochs": 3}).own["test"] == 5
    specs = loa.train(problems="quadratic:n=4", functions=6, test_functions=4, held_out=8, **SMALL)
    assert specs.own["test"] == 8


def test_generators_may_have_no_end():
    endless = (logistic(seed) for seed in itertools.count())
    training = train(endless, count=15, epochs=3)
    assert training.own["training"] + training.own["validation"] + training.own["test"] == 15
    assert next(endless)[1].shape == (6,)


@pytest.mark.parametrize("processes", [1, 2])
def test_exceptions_come_out_as_they_are(processes):
    class Mine(Exception):  # cannot be pickled by name
        pass

    def broken(x):
        raise ZeroDivisionError("at member seven")

    def odd(x):
        raise Mine("odd")

    problems = families(20)
    problems[7] = (broken, np.zeros(3))
    with pytest.raises(ZeroDivisionError, match="at member seven") as caught:
        train(problems, processes=processes)
    if processes > 1:
        assert "in broken" in str(caught.value.__cause__)
    problems[7] = (odd, np.zeros(3))
    with pytest.raises((Mine, RuntimeError), match="odd"):
        train(problems, processes=processes)
    assert not multiprocessing.active_children()


def test_a_worker_that_dies_is_named():
    problems = families(20)
    problems[4] = (lambda x: os._exit(3), np.zeros(3))
    with pytest.raises(RuntimeError, match=r"ended while it ran problems\[4\]"):
        train(problems, processes=2)
    assert not multiprocessing.active_children()


def test_ctrl_c_ends_a_training_and_its_processes():
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        train(families(24), processes=2, epochs=100000)
    assert time.monotonic() - begun < 20 and not multiprocessing.active_children()


def test_a_callback_may_stop_and_a_checkpoint_goes_on(tmp_path):
    whole = train(families(20))

    def stop(report):
        if report["epoch"] == 3:
            raise StopIteration

    path = tmp_path / "own.checkpoint"
    stopped = train(families(20), checkpoint=path, callback=stop)
    assert stopped.stopped and len(stopped.history) == 3 and stopped.own["test"] == 8
    resumed = train(families(20), checkpoint=path, resume=True, processes=2)
    assert resumed.weights.theta.tobytes() == whole.weights.theta.tobytes()


def test_starts_that_are_not_finite_are_left_out():
    problems = families(20)
    for bad in (2, 5):
        problems[bad] = (problems[bad][0], problems[bad][1] + np.nan)
    training = train(problems, epochs=3)
    assert training.own["left_out"] == 2


def test_mistakes_are_named():
    f, x0 = logistic(0)
    with pytest.raises(ValueError, match="at least 12 problems, found 1: some must be held out"):
        train([(f, x0)])
    with pytest.raises(TypeError, match="found a single pair"):
        train((f, x0))
    with pytest.raises(TypeError, match="expected a list or a generator"):
        train(f)
    with pytest.raises(TypeError, match=r"problems\[1\]: expected a pair"):
        train([(f, x0), f])
    with pytest.raises(ValueError, match=r"problems\[0\]: x0: expected shape"):
        train([(f, np.zeros((2, 2)))])
    with pytest.raises(TypeError, match=r"problems\[0\]: fun: expected a callable"):
        train([(3, x0)])
    with pytest.raises(ValueError, match="found none"):
        train([])
    with pytest.raises(ValueError, match="processes"):
        train(families(12), processes=0)
    with pytest.raises(ValueError, match="gradient"):
        train([(lambda x: (0.0, np.zeros(9)), x0)] * 12)
    with pytest.raises(ValueError, match="nix"):
        loa.train(problems="nix")


def test_where_there_is_no_fork_one_process_does_it(monkeypatch, capfd):
    expected = train(families(16))
    monkeypatch.setattr(multiprocessing, "get_all_start_methods", lambda: ["spawn"])
    training = train(families(16), processes=2, progress=True)
    assert training.weights.theta.tobytes() == expected.weights.theta.tobytes()
    lines = capfd.readouterr().err
    assert "in one process, because this system cannot fork" in lines
    assert "from a probe" in lines


def test_costs_and_budgets():
    by_loss = train(families(16), loss_after_evaluations=5, epochs=3)
    assert "f - f*" in by_loss.verdict
    begun = time.monotonic()
    limited = train(families(16), epochs=100000, budget_seconds=0.5)
    assert limited.own["out_of_time"] and time.monotonic() - begun < 20
    with pytest.raises(ValueError, match="not both"):
        train(families(16), loss_after_evaluations=5, loss_after_seconds=1.0)


def test_certificates():
    problems = families(30)
    certificate = loa.certify("loa", problems, jac=True, gtol=1e-4)
    assert certificate.members == 20 and certificate.algorithm == "loa" and certificate.gtol == 1e-4
    assert all(row["probability"] <= row["reached"] / 20 for row in certificate.rows)
    plain = loa.certify(None, problems, algorithm="auto", jac=True, within=[3, 200], processes=1)
    assert plain.members == 30 and [row["evaluations"] for row in plain.rows] == [3, 200]
    assert plain.rows[1]["reached"] == 30
    assert plain.rows[1]["probability"] == pytest.approx(0.025 ** (1 / 30), rel=1e-9)  # two rows
    other = loa.certify("loa-bfgs", "quadratic:n=4", members=30)
    assert other.algorithm == "loa-bfgs" and other.members == 20
    weights = loa.load_weights("loa")
    assert not weights.certificate
    weights.certificate = certificate
    assert weights.certificate.members == 20
    changed = weights.with_tensors({"bias": np.zeros((3, 1))})
    assert not changed.certificate  # it was for other numbers
    with pytest.raises(TypeError, match="found both"):
        loa.certify("loa", problems, algorithm="bfgs")
    with pytest.raises(TypeError, match="found neither"):
        loa.certify(None, problems)
    with pytest.raises(ValueError, match="at least 6"):
        loa.certify("loa", problems[:5], jac=True)
