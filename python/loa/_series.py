"""Related problems one after the other."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from loa import _conventions, _loa
from loa._minimize import bound_arrays, hide_unknown, make_objective, own_bounds, price_of, start_array
from loa._options import print_line, run_options, search_name
from loa._result import Result, make_result
from loa._typing import Sides


def _sides(bounds: Any) -> Sides | None:
    """Of as many variables as the bounds say."""
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        shape = np.broadcast_shapes(np.shape(bounds.lb), np.shape(bounds.ub))
        if not shape:
            raise ValueError("bounds: expected lb or ub of a series as a vector, found numbers")
        return bound_arrays(bounds, shape[0])
    return bound_arrays(bounds, len(bounds) if hasattr(bounds, "__len__") else 0)


class Series:
    """Minimizes again and again, and learns from one solve for the next.

        series = loa.Series(tol=1e-8)
        for l2 in np.geomspace(1, 1e-4, 20):
            result = series.minimize(fun, x0, args=(l2,), jac=True)

    The options are those of loa.minimize; max_evaluations counts gradients, whatever one costs. `bounds` are those of all
    problems: pairs, or an object with vectors lb and ub. x0 is where a run without a memory begins. A series pickles, and
    `save` and `load` keep what it has learned in a file.
    """

    def __init__(
        self,
        algorithm: str = "auto",
        weights: str | None = None,
        line_search: str | None = None,
        options: Mapping[str, Any] | None = None,
        tol: float | None = None,
        *,
        bounds: Any = None,
    ):
        if not isinstance(algorithm, str):
            raise TypeError(f"algorithm: expected a name, found {type(algorithm).__name__}")
        line_search = search_name(line_search)
        self._arguments = (algorithm, weights, line_search, dict(options or {}), tol)
        self._sides = _sides(bounds)
        rest, self._conventions = _conventions.take(options or {}, tol)
        refused = self._conventions.given() - {"disp", "verbose", "precision"}
        if refused:
            raise ValueError(f"options: expected none of those for single runs in a series, found {', '.join(sorted(refused))}")
        made: Any = run_options(rest, line_search, beside=("disp", "verbose", "precision"))
        if self._conventions.verbose:
            made._set_progress(print_line)
        made.algorithm = algorithm
        made.weights = weights or ""
        if self._sides is not None:
            made._set_bounds(*self._sides)
        self._series = _loa.Series(made)

    def minimize(
        self,
        fun: Any,
        x0: Any,
        args: Any = (),
        jac: Any = None,
        callback: Callable[..., Any] | None = None,
        *,
        hess: Callable[..., Any] | None = None,
        hessp: Callable[..., Any] | None = None,
    ) -> Result:
        """Minimizes fun, and learns from it; fun, jac and callback as for loa.minimize."""
        start = start_array(x0)
        objective = self._objective(fun, jac, args, hess, hessp)
        price = price_of(objective, len(start))
        conventions = replace(self._conventions)
        summary = self._series.minimize(objective, start, conventions.observer(callback, price, self._sides))
        result = make_result(summary, self._arguments[0], price)
        hide_unknown(result, objective, self._sides)
        conventions.finish(result)
        return result

    def minimize_batch(
        self,
        fun: Any,
        X0: Any,
        args: Sequence[Any] | None = None,
        jac: Any = None,
        *,
        hess: Callable[..., Any] | None = None,
        hessp: Callable[..., Any] | None = None,
    ) -> list[Result]:
        """Minimizes from each row of X0: all begin from what the series knows now, and it learns from all of them afterwards.

        fun     one for all, or a sequence with one for each row; as for loa.minimize
        args    a sequence with those of each row: fun(x, *args[i])

        The runs take turns in several threads, so fun must not keep anything between its calls. The first exception of
        fun comes out when all runs have ended. For one vectorized call a step see loa.minimize_batch, which has no memory.
        """
        starts = [start_array(x0) for x0 in X0]
        several = isinstance(fun, Sequence)
        funs = list(fun) if several else [fun] * len(starts)
        arguments = [()] * len(starts) if args is None else list(args)
        for name, given in (("fun", funs), ("args", arguments)):
            if len(given) != len(starts):
                raise ValueError(f"{name}: expected {len(starts)} of them, one for each row of X0, found {len(given)}")
        objectives = [self._objective(f, jac, more, hess, hessp) for f, more in zip(funs, arguments)]
        summaries = self._series.minimize_batch(objectives, starts)
        results = []
        for objective, start, summary in zip(objectives, starts, summaries):
            results.append(make_result(summary, self._arguments[0], price_of(objective, len(start))))
            hide_unknown(results[-1], objective, self._sides)
        return results

    def _objective(self, fun: Any, jac: Any, args: Any, hess: Any, hessp: Any) -> Any:
        if isinstance(fun, _loa.Problem):
            if own_bounds(fun) is not None and self._sides is None:
                raise ValueError(f"{fun.name}: expected a series with bounds for a problem with bounds, found none")
            return fun
        objective = make_objective(fun, jac, args, hess, hessp)
        if self._sides is not None:
            objective.set_bounds(*self._sides)
        objective.precision = self._conventions.precision
        return objective

    @property
    def report(self) -> dict[str, Any]:
        """What was decided for the last solve, and what is known after it: see docs/warm-starts.md."""
        return self._series.report

    def clear(self) -> None:
        """Forgets all solves."""
        self._series.clear()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes what was learned to a file; a kill meanwhile leaves the old file."""
        self._series.save(os.fspath(path))

    def load(self, path: str | os.PathLike[str]) -> None:
        """Takes what another series with the same options has learned."""
        self._series.load(os.fspath(path))

    def __getstate__(self) -> Any:
        return self._arguments, self._sides, self._series.to_bytes()

    def __setstate__(self, state: Any) -> None:
        arguments, sides, content = state
        self.__init__(*arguments, bounds=None if sides is None else np.transpose(sides))  # type: ignore[misc]
        self._series.from_bytes(content)
