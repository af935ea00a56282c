"""Pictures with matplotlib (pip install matplotlib), in the colours of the program's figures.

    loa.plot.convergence(result)          # or {"bfgs": result, ...}, or a loa.Comparison
    loa.plot.profiles(comparison)
    loa.plot.learning_curve(training)

Each returns the matplotlib Figure.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from loa import _loa
from loa._compare import Comparison
from loa._result import Result
from loa._train import Training

try:
    from matplotlib.figure import Figure
except ImportError as error:
    raise ImportError("loa.plot: expected matplotlib, found none; pip install matplotlib") from error

# gnuplot's dash types 1 to 5, in units of the line's width.
_DASHES: dict[int, Any] = {1: "-", 2: (0, (5, 2)), 3: (0, (1, 2)), 4: (0, (5, 2, 1, 2)), 5: (0, (5, 2, 1, 2, 1, 2))}


def line_styles(labels: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Keyword arguments of matplotlib's plot for each label: the styles of the program's figures."""
    labels = list(labels)
    return {
        label: {
            "color": style["colour"],
            "linestyle": _DASHES[style["dash"]],
            "linewidth": 1.5 * style["width"],
            "zorder": 3 if style["on_top"] else 2,
            "label": label,
        }
        for label, style in zip(labels, _loa.curve_styles(labels))
    }


def _figure(panels: int) -> tuple[Figure, list[Any]]:
    columns = min(panels, 3)
    rows = math.ceil(panels / columns)
    figure = Figure(figsize=(4.2 * columns, 3.2 * rows), layout="constrained")
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for extra in axes[panels:]:
        extra.set_visible(False)
    return figure, axes[:panels]


def _as_results(results: Result | Mapping[str, Result] | Iterable[Result]) -> dict[str, Result]:
    if isinstance(results, Result):
        results = [results]
    if isinstance(results, Mapping):
        return dict(results)
    named: dict[str, Result] = {}
    for result in results:
        label = result["algorithm"]
        while label in named:
            label += "/again"
        named[label] = result
    return named


def convergence(
    results: Comparison | Result | Mapping[str, Result] | Iterable[Result],
    *,
    over: str = "evaluations",
    minimum: float | None = None,
) -> Figure:
    """f along runs, or the relative gaps of a comparison: medians as lines, the middle half of the runs as bands.

    over       "evaluations" or "iterations"
    minimum    of f, for results: the gap to it is drawn; None: the size of the gradient is.
    """
    if over not in ("evaluations", "iterations"):
        raise ValueError(f"over: found {over!r}, expected evaluations or iterations")
    if isinstance(results, Comparison):
        return _comparison_convergence(results, over)
    named = _as_results(results)
    styles = line_styles(named)
    figure, (axes,) = _figure(1)
    for label, result in named.items():
        trace = result["trace"]
        y = trace["grad_inf_norm"] if minimum is None else trace["f"] - minimum
        y = np.where(y > 0, y, np.nan)  # nothing to show on a logarithmic axis
        axes.plot(trace["iteration" if over == "iterations" else over], y, **styles[label])
    axes.set(xlabel=over, ylabel=r"$\|g\|_\infty$" if minimum is None else r"$f - f^*$", yscale="log")
    axes.legend()
    return figure


def _comparison_convergence(comparison: Comparison, over: str) -> Figure:
    styles = line_styles(comparison.algorithms)
    figure, panels = _figure(len(comparison.problems))
    for index, (name, axes) in enumerate(zip(comparison.problems, panels)):
        for label, x, median, low, high in comparison._comparison.bands(index, over == "evaluations"):
            shown = np.maximum(median, 1e-16)
            axes.plot(x, shown, **styles[label])
            if len(low):
                axes.fill_between(
                    x, np.maximum(low, 1e-16), np.maximum(high, 1e-16), color=styles[label]["color"], alpha=0.2, lw=0
                )
        axes.set(title=name, xlabel=over, ylabel="relative gap", yscale="log")
    panels[0].legend()
    return figure


def profiles(comparison: Comparison, gap: float = 1e-6) -> Figure:
    """The performance profile (Dolan and More 2002) and the data profile (More and Wild 2009) to a relative gap."""
    styles = line_styles(comparison.algorithms)
    figure, panels = _figure(2)
    inner = comparison._comparison
    for axes, curves, label in (
        (panels[0], inner.performance_profile(gap), "evaluations / those of the best"),
        (panels[1], inner.data_profile(gap), "evaluations / (n + 1)"),
    ):
        for name, x, fraction in curves:
            finite = np.isfinite(x)
            axes.step(x[finite], fraction[finite], where="post", **styles[name])
        axes.set(xlabel=label, ylabel="fraction solved", xscale="log", ylim=(0, 1.05))
    panels[0].legend()
    return figure


def learning_curve(training: Training) -> Figure:
    """The loss along a training: the band of the batches, the mean of each epoch, and the loss on the test problems.

    Of evolution: the band of the samples, their median, and the loss of the mean on families left out.
    """
    history = training.history
    evolution = training.trainer == "evolution"
    colour = line_styles([training.algorithm])[training.algorithm]["color"]
    figure, (axes,) = _figure(1)
    axes.fill_between(
        history["epoch"], history["lowest_batch"], history["highest_batch"], color=colour, alpha=0.2, lw=0
    )
    axes.plot(history["epoch"], history["train_loss"], color=colour, label="training")
    axes.plot(history["epoch"], history["test_loss"], color="black", linestyle="--", label="test")
    if training.algorithm == "loa-bfgs" or evolution:
        bfgs = line_styles(["bfgs"])["bfgs"]
        axes.axhline(0.0 if evolution else math.log(2), **{**bfgs, "linewidth": 1, "label": "BFGS"})
    ylabel = "mean log(evaluations/evaluations of BFGS)" if evolution else "loss"
    axes.set(xlabel="generation" if evolution else "epoch", ylabel=ylabel)
    axes.legend()
    return figure
