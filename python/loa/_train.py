"""Learning theta."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from loa import _html, _loa
from loa._algorithm import callables
from loa._options import set_all
from loa._own import Members, ProgressLine, specs_of
from loa._weights import save_weights


@dataclass
class Training:
    """What train returns."""

    weights: _loa.Weights
    history: np.ndarray  # one row an epoch
    stopped: bool  # by the callback
    preset: str
    algorithm: str
    model: Any = None  # one's own, with the theta of the best epoch
    trainer: str = "unroll"
    own: dict[str, Any] | None = None  # the report of a training on one's own problems

    @property
    def kept(self) -> bool:
        """Whether trained weights came back: they were better than the default on members never seen."""
        return self.own is None or bool(self.own["kept"])

    @property
    def verdict(self) -> str:
        """One sentence on what a training on one's own problems was worth."""
        return "" if self.own is None else str(self.own["verdict"])

    @property
    def certificate(self) -> _loa.Certificate:
        """P(a member is solved within K evaluations) >= p, which the weights carry; false where there is none."""
        return self.weights.certificate

    @property
    def best_loss(self) -> float:
        return float(self.history["best_loss"][-1])

    def save(self, path: str | Path) -> None:
        """Writes the weights as a safetensors file."""
        save_weights(self.weights, path)

    def __str__(self) -> str:
        return repr(self) if self.own is None else str(self.own["text"])

    def __repr__(self) -> str:
        if self.own is not None:
            return f"<loa.Training of {self.algorithm}, {self.verdict}>"
        return f"<loa.Training of {self.algorithm}, {len(self.history)} epochs, best loss {self.best_loss:.4g}>"

    def _repr_html_(self) -> str:
        names = ("epoch", "train_loss", "test_loss", "best_loss", "best_epoch")
        shown = self.history if len(self.history) <= 10 else self.history[-10:]
        return _html.table(names, [[row[name].item() for name in names] for row in shown], caption=repr(self))


def train(
    preset: str | None = None,
    *,
    algorithm: str | None = None,
    trainer: str | None = None,
    model: Any = None,
    problems: Any = None,
    jac: Any = None,
    args: Any = (),
    processes: int | None = None,
    count: int | None = None,
    progress: bool = True,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    callback: Callable[[dict[str, Any]], Any] | None = None,
    **options: Any,
) -> Training:
    """Learns the weights of an algorithm, as `loa train` does.

    preset      where the other values come from, "paper" for instance; None: that of the algorithm.
    algorithm   one that has weights: "loa-bfgs", "l2l-gd" or "rnnprop".
    trainer     "unroll", by derivatives, or "evolution", by the number of evaluations; None: that of the preset.
    model       one's own in place of the network of loa-bfgs: an object with predict(input), an attribute `theta`,
                which is where it starts and which is set on copies of it, and pullback(input, d_y), which returns
                (d_vectors, d_theta): given d_y, the derivative of a loss by y, those by input.vectors and by theta.
                Evolution needs no pullback.
    problems    one's own: a list or a generator of pairs (f, x0), the f as minimize() takes them with jac and args; or
                loa.NamedObjective; or SPECs that take a seed. At least 12, of which some are held out: the weights
                come back if they are better than the default on members that were never seen, else theta = 0, which
                is the default method; see .kept, .verdict and print(training).
                ("quadratics" and "gaussian" are problems of unrolling.)
    processes   for problems in Python, forked; None: one for each core; 1: this one alone. The result does not depend
                on it.
    count       of problems, at most so many; None: 200 of a generator.
    progress    of problems of one's own: lines on standard error.
    checkpoint  a file that is written after each epoch; with resume=True one that exists is continued, bit for bit.
    callback    called with a dict after each epoch; StopIteration ends the training.
    options     seed, epochs, start, functions, starts, dimension, iterations, window, batch, learning_rate,
                threads, ...: the names of the options of `loa train`, with underscores. With problems of one's own:
                epochs, functions, test_functions and held_out (members to train on, to choose by, for the report),
                gtol, max_evaluations, loss_after_evaluations, loss_after_seconds, budget_seconds, ...
    """
    if isinstance(problems, str) and problems in ("quadratics", "gaussian"):
        options["problems"], problems = problems, None
    if problems is not None and preset is None:
        preset = "own"
    if preset is None:
        preset = _loa.default_training_preset(algorithm or "loa-bfgs", trainer or "")
    chosen = _loa.training_preset(preset)
    if trainer is not None and trainer != chosen.trainer:
        raise ValueError(f"trainer: found {trainer!r}, expected {chosen.trainer!r}, for which {preset} is made")
    if algorithm is not None and preset == "evolution":
        chosen.algorithm = algorithm  # made for any
    if algorithm is not None and algorithm != chosen.algorithm:
        raise ValueError(f"algorithm: found {algorithm!r}, expected {chosen.algorithm!r}, for which {preset} is made")
    set_all(chosen, options, "train")
    reports: list[dict[str, Any]] = []

    def observer(report: dict[str, Any]) -> bool:
        reports.append(report)
        if callback is not None:
            try:
                callback(report)
            except StopIteration:
                return True
        return False

    make, start = None, None
    if model is not None:
        if not hasattr(model, "theta") or (chosen.trainer == "unroll" and not hasattr(model, "pullback")):
            raise TypeError("model: expected pullback(input, d_y) and theta, without which it cannot be trained")
        start = np.array(model.theta, dtype=float).ravel()

        def make(theta: np.ndarray) -> tuple[Any, Any]:
            return callables(_with_theta(model, theta))

    def run(source: Any, own_observer: Any) -> Any:
        return _loa.train(chosen, str(checkpoint or ""), resume, observer, make, start, source, own_observer)

    if problems is None:
        weights, last, stopped, own = run(None, None)
    else:
        weights, last, stopped, own = _on_own(problems, jac, args, processes, count, progress, chosen, run)
    rows = reports or [last]
    types = [(name, np.int64 if isinstance(value, int) else np.float64) for name, value in last.items()]
    history = np.array([tuple(row.values()) for row in rows], dtype=types)
    trained = None if model is None else _with_theta(model, weights.theta)
    return Training(weights, history, stopped, chosen.preset, chosen.algorithm, trained, chosen.trainer, own)


def _on_own(
    problems: Any, jac: Any, args: Any, processes: Any, count: Any, progress: bool, chosen: Any, run: Callable[..., Any]
) -> Any:
    line = ProgressLine(progress)
    specs = specs_of(problems)
    try:
        if specs is not None:
            return run(specs, line.show)
        with Members(problems, jac, args, None, processes, count) as members:
            if members.why_one:
                line.say(members.why_one)
            chosen.threads = members.processes
            return run(members, line.show)
    finally:
        line.clear()


def _with_theta(model: Any, theta: np.ndarray) -> Any:
    changed = copy.copy(model)
    changed.theta = theta.reshape(np.shape(model.theta))
    return changed


def evaluate_weights(weights: Iterable[str] = (), **options: Any) -> list[dict[str, Any]]:
    """The training loss of weights on fresh quadratics, beside classical methods: `loa weights evaluate`.

    options: problems, dimension, iterations, seed, threads.
    """
    chosen = _loa.EvaluationOptions()
    set_all(chosen, options, "evaluate_weights")
    return _loa.evaluate_weights([weights] if isinstance(weights, str) else list(weights), chosen)
