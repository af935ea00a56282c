"""What the program's commands do: list, solve, compare, check, train."""

import json

import numpy as np
import pytest

import loa


def test_the_registry():
    names = [entry["name"] for entry in loa.algorithms()]
    assert {"bfgs", "loa-bfgs", "newton"} <= set(names)
    assert "rosenbrock" in [entry["name"] for entry in loa.problems()]
    assert len({entry["name"]: entry["problems"] for entry in loa.problem_sets()}["named"]) == 64
    assert "more-thuente" in [entry["name"] for entry in loa.line_searches()]
    assert {"name", "description", "algorithm"} <= set(loa.weights()[0])
    assert "bfgs" in str(loa.algorithms()) and "<table>" in loa.algorithms()._repr_html_()


def test_solve():
    result = loa.solve("rosenbrock:n=20", "loa-bfgs")
    assert result.success and result.gap < 1e-8 and result.problem == "rosenbrock:n=20"
    assert loa.solve("rosenbrock:n=4", x0=np.zeros(4)).trace["f"][0] != loa.solve("rosenbrock:n=4").trace["f"][0]
    assert loa.solve("quadratic:n=5,seed=1", "newton").success
    with pytest.raises(ValueError, match="nobody"):
        loa.solve("nobody")

    def stop(xk):
        raise StopIteration

    assert loa.solve("rosenbrock:n=20", callback=stop).nit == 1


def test_problems_are_objectives_in_python():
    problem = loa.problem("rosenbrock:n=4")
    f, grad = problem.value_and_gradient(problem.start)
    assert f == problem.value(problem.start) and grad.shape == (4,) and problem.minimum == 0
    assert problem.hessian(problem.start).shape == (4, 4)
    in_cpp = loa.minimize(problem, problem.start)
    in_python = loa.minimize(lambda x: problem.value_and_gradient(x), problem.start, jac=True)
    assert in_cpp.x.tobytes() == in_python.x.tobytes()
    assert loa.check_gradient(problem, problem.start)
    assert "rosenbrock" in repr(problem) and "rosenbrock" in problem._repr_html_()


def test_compare(tmp_path):
    comparison = loa.compare(
        ["rosenbrock:n=10", "quadratic:n=20,seed=1"], ["bfgs", "loa-bfgs:label=learned"], starts=2, seed=3
    )
    assert len(comparison.runs) == 8 and comparison.algorithms == ["bfgs", "learned"]
    assert comparison.relative_evaluations["bfgs"] == 1
    row = comparison.summary["relative_evaluations"][1]
    assert row["algorithm"] == "learned" and row["low"] <= row["ratio"] <= row["high"]
    assert row["ratio"] == comparison.relative_evaluations["learned"]
    assert comparison.summary["oracle"]["problems"] == 2
    other = loa.compare("rosenbrock:n=2", ["bfgs", "sr1"], against=["sr1"]).summary["relative_evaluations"]
    assert [row["against"] for row in other] == ["bfgs", "bfgs", "sr1", "sr1"]
    files = comparison.save(tmp_path / "out")
    assert "results.csv" in files and json.loads((tmp_path / "out" / "summary.json").read_text())
    assert "rosenbrock:n=10" in str(comparison) and "<table>" in comparison._repr_html_()
    with pytest.raises(ValueError, match="found 'startz'.*did you mean 'starts'"):
        loa.compare("rosenbrock:n=2", "bfgs", startz=2)
    with pytest.raises(ValueError, match="twice"):
        loa.compare(["rosenbrock:n=2", "rosenbrock:n=2"], "bfgs")
    with pytest.raises(ValueError, match="nobody"):
        loa.compare("rosenbrock:n=2", "nobody")


def test_check():
    check = loa.check(["bfgs", "adam"])
    assert check.verdict("bfgs", "orthogonal") == "holds" and check.verdict("adam", "orthogonal") == "fails"
    assert check.verdict("adam", "geometric_scaling") == "tuned"
    assert check.as_claimed and "adam" in str(check) and check.details
    assert check.rows == loa.check(["bfgs", "adam"], jobs=1).rows
    with pytest.raises(ValueError, match="nobody"):
        loa.check("nobody")
    with pytest.raises(ValueError, match="claims"):
        loa.check(loa.Algorithm("mine", claims={"translation": "perhaps"}))


SMALL = {"functions": 2, "dimension": 10, "test_functions": 2, "iterations": 10, "seed": 1}


def test_train(tmp_path):
    reports = []
    training = loa.train("paper", epochs=4, callback=reports.append, **SMALL)
    assert [report["epoch"] for report in reports] == [1, 2, 3, 4] == list(training.history["epoch"])
    assert training.best_loss == training.history["train_loss"].min()
    assert training.weights.algorithm == "loa-bfgs" and training.weights.metadata["training.seed"] == "1"
    result = loa.solve("rosenbrock:n=10", "loa-bfgs", weights=training.weights)
    training.save(tmp_path / "w.safetensors")
    by_file = loa.solve("rosenbrock:n=10", "loa-bfgs", weights=tmp_path / "w.safetensors")
    assert result.success and result.x.tobytes() == by_file.x.tobytes()
    assert "4 epochs" in repr(training) and "<table>" in training._repr_html_()

    def stop(report):
        raise StopIteration

    checkpoint = tmp_path / "checkpoint"
    stopped = loa.train("paper", epochs=4, checkpoint=checkpoint, callback=stop, **SMALL)
    assert stopped.stopped and len(stopped.history) == 1
    resumed = loa.train("paper", epochs=4, checkpoint=checkpoint, resume=True, **SMALL)
    np.testing.assert_array_equal(resumed.weights.theta, training.weights.theta)
    with pytest.raises(ValueError, match="found 'epoch', expected"):
        loa.train("paper", epoch=3)
    with pytest.raises(ValueError, match="expected"):
        loa.train("nobody")
    with pytest.raises(ValueError, match="expected 'loa-bfgs'"):
        loa.train("paper", algorithm="rnnprop")


def test_train_by_evolution(tmp_path):
    options = {
        "families": ["quadratic:n=4", "quadratic:n=6", "logistic:n=3,m=10"],
        "functions": 6,
        "test_functions": 3,
        "batch": 4,
        "population": 4,
        "sigma": 0.05,
        "validate_every": 1,
        "max_evaluations": 200,
    }
    training = loa.train(trainer="evolution", epochs=3, only=["linear"], **options)
    assert training.trainer == "evolution" and training.preset == "evolution"
    assert training.weights.metadata["training.only"] == "linear"
    assert list(training.history["epoch"]) == [1, 2, 3]
    assert training.best_loss <= min(0.0, training.history["test_loss"].min())  # BFGS-like at the start: 0
    checkpoint = tmp_path / "c"
    loa.train(trainer="evolution", epochs=1, only=["linear"], checkpoint=checkpoint, **options)
    resumed = loa.train(trainer="evolution", epochs=3, only=["linear"], checkpoint=checkpoint, resume=True, **options)
    np.testing.assert_array_equal(resumed.weights.theta, training.weights.theta)
    other = loa.train("evolution", algorithm="rnnprop", epochs=1, **options)
    assert other.weights.algorithm == "rnnprop"
    with pytest.raises(ValueError, match="expected 'unroll', for which paper is made"):
        loa.train("paper", trainer="evolution")
    with pytest.raises(ValueError, match="found 'nix'"):
        loa.train("evolution", only=["nix"], **options)


def test_evaluate_weights():
    rows = loa.evaluate_weights("bfgs-like", problems=3, dimension=10, iterations=10)
    losses = {row["name"]: row["final_loss"] for row in rows}
    assert losses["bfgs-like"] == pytest.approx(np.log(2)) == losses["bfgs"]
