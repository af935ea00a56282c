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

    @property
    def best_loss(self) -> float:
        return float(self.history["best_loss"][-1])

    def save(self, path: str | Path) -> None:
        """Writes the weights as a safetensors file."""
        save_weights(self.weights, path)

    def __repr__(self) -> str:
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
    checkpoint  a file that is written after each epoch; with resume=True one that exists is continued, bit for bit.
    callback    called with a dict after each epoch; StopIteration ends the training.
    options     seed, epochs, start, functions, starts, dimension, iterations, window, batch, learning_rate,
                threads, ...: the names of the options of `loa train`, with underscores.
    """
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

    weights, last, stopped = _loa.train(chosen, str(checkpoint or ""), resume, observer, make, start)
    rows = reports or [last]
    types = [(name, np.int64 if isinstance(value, int) else np.float64) for name, value in last.items()]
    history = np.array([tuple(row.values()) for row in rows], dtype=types)
    trained = None if model is None else _with_theta(model, weights.theta)
    return Training(weights, history, stopped, chosen.preset, chosen.algorithm, trained, chosen.trainer)


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
