"""Many problems of the same size, minimized in lock step with one vectorized call for all of them."""

from __future__ import annotations

import copy
import numbers
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from loa import _conventions, _html, _loa
from loa._algorithm import Algorithm, as_algorithm, resolved
from loa._minimize import bound_arrays
from loa._options import run_options, search_name
from loa._result import STATUS, Result, make_result
from loa._tree import numbers_of
from loa._typing import Array, Vector


class _Summaries:
    """What C++ keeps of a batch, in Python, where it can be pickled."""

    def __init__(self, summaries: list[dict[str, Any]]):
        self._summaries = summaries

    def __len__(self) -> int:
        return len(self._summaries)

    def summary(self, i: int) -> dict[str, Any]:
        return copy.deepcopy(self._summaries[i])


class BatchResult(Sequence[Result]):
    """The results of minimize_batch, in the order of the problems. `results[i]` is what loa.minimize returns; x, fun, jac,
    nit, nfev, status and success are arrays with a row, or a number, for each problem."""

    x: Vector
    fun: Vector
    jac: Vector
    nit: npt.NDArray[np.int64]
    nfev: npt.NDArray[np.int64]
    status: npt.NDArray[np.int64]
    success: npt.NDArray[np.bool_]
    calls: int  # of fun, each for all problems that were running
    _summary: _loa.BatchSummary | _Summaries

    def __init__(self, summary: _loa.BatchSummary, algorithm: str, calls: int, has_states: bool):
        self._summary = summary
        self._has_states = has_states
        self._algorithm = algorithm
        self.calls = calls
        self.x, self.fun, self.jac = summary.x, summary.f, summary.grad
        self.nit = summary.iterations.astype(np.int64)
        self.nfev = summary.evaluations.astype(np.int64)
        self.success = summary.success.astype(bool)
        statuses, places = np.unique(summary.statuses, return_inverse=True)
        numbers = [STATUS.get(_loa.status_name(int(status)), 2) for status in statuses]
        self.status = np.array(numbers, dtype=np.int64)[places]
        self.status[self.success] = 0

    def __len__(self) -> int:
        return len(self._summary)

    @overload
    def __getitem__(self, key: int) -> Result: ...
    @overload
    def __getitem__(self, key: slice) -> list[Result]: ...
    def __getitem__(self, key: int | slice) -> Result | list[Result]:
        if isinstance(key, slice):
            return [self[i] for i in range(*key.indices(len(self)))]
        index = range(len(self))[key]  # complains, and counts from the end where it is negative
        return make_result(self._summary.summary(index), self._algorithm, has_state=self._has_states)

    def __iter__(self) -> Iterator[Result]:
        return (self[i] for i in range(len(self)))

    def __getstate__(self) -> dict[str, Any]:
        summaries = [self._summary.summary(i) for i in range(len(self))]
        for summary in summaries:
            if not self._has_states:
                summary["state"] = None
        return {**self.__dict__, "_summary": _Summaries(summaries)}

    def __repr__(self) -> str:
        return f"<loa.BatchResult: {int(self.success.sum())} of {len(self)} converged, {self.calls} calls>"

    def _repr_html_(self) -> str:
        rows = [("problems", len(self)), ("converged", int(self.success.sum())), ("calls", self.calls)]
        return _html.table(("", "batch"), rows)


def rows(found: Any, what: str, shape: tuple[int, ...]) -> Array:
    """What fun returns for all problems, in its own type, which says how many digits there are; a list is one of doubles."""
    array = np.asarray(found) if hasattr(found, "dtype") else np.asarray(found, dtype=float)
    if array.shape != shape:
        raise ValueError(f"fun: {what}: expected shape {shape}, found {array.shape}")
    return array


def minimize_batch(
    fun: Callable[..., Any],
    X0: Any,
    args: Any = (),
    jac: Any = True,
    algorithm: str | Algorithm = "auto",
    weights: str | _loa.Weights | None = None,
    line_search: str | None = None,
    options: Mapping[str, Any] | None = None,
    tol: float | None = None,
    *,
    indices: bool = False,
    padded: bool = False,
    at_once: int = 16384,
    states: bool = False,
    bounds: Any = None,
) -> BatchResult:
    """Minimizes from each row of X0, all of them in lock step.

    fun      fun(X, *args) -> values of shape (k,), or (values, gradients of shape (k, n)) with jac=True. X has a row for each
             of the k problems that are still running. jac may be a callable that returns the gradients.
    indices  fun and jac get the numbers of these problems, the rows of X0, as an array after X.
    padded   X has all problems in each call, those that have ended with their last point, and what fun returns for these is
             not looked at: for functions that are compiled for one shape (jax.jit).
    at_once  the most problems that run at the same time, at most 16384, which is the default. When one ends the next begins.
             With 64 to 256 all of them fit into a cache, which is faster where a call of fun costs little, and takes less
             memory (about 0.25 MB for each of them).
    states   keep the state of each run, for resuming and hess_inv: much memory where the problems are many.
    bounds   of all problems, as for loa.minimize.

    The other arguments are those of loa.minimize. Each result is bit for bit that of loa.minimize for the problem alone,
    if fun gives the same bits for a row whatever the other rows are.
    """
    line_search = search_name(line_search)
    if not isinstance(at_once, numbers.Integral) or at_once < 1:
        raise ValueError(f"at_once: expected an integer of at least 1, found {at_once!r}")
    starts = numbers_of(X0)
    if starts.ndim != 2 or starts.dtype.kind not in "biuf":
        raise ValueError(f"X0: expected real numbers of shape (problems, n), found {starts.dtype} {starts.shape}")
    starts = starts.astype(float)
    num, n = starts.shape
    if not callable(fun):
        raise TypeError(f"fun: expected a callable, found {type(fun).__name__}")
    if jac is not True and not callable(jac):
        raise ValueError(f"jac: expected True or a callable, found {jac!r}")
    args = args if isinstance(args, tuple) else (args,)
    chosen = as_algorithm(resolved(algorithm, n, None, options or {}), weights)
    if chosen.model is not None:
        raise ValueError("algorithm: expected one without a model in Python, found one")
    rest, conventions = _conventions.take(options or {}, tol)
    differs = conventions.wants_differences_in_python or conventions.eps is not None
    if conventions.watches or differs or conventions.hess_inv0 is not None or conventions.verbose:
        names = "xrtol, norm, return_all, eps, workers, hess_inv0, verbose"
        raise ValueError(f"options: expected none of {names} in a batch, found some")
    maker, line_search = conventions.search(chosen.make(), line_search)
    if maker.needs_hessian or (line_search or maker.line_search) == "exact":
        raise ValueError(f"{maker.name}: expected an algorithm without Hessians in a batch")
    calls = 0
    lower, upper = bound_arrays(bounds, n) or (None, None)
    last = starts.copy() if lower is None else np.clip(starts, lower, upper)

    def evaluate(X: Vector, numbers: Vector) -> tuple[Any, Any]:
        nonlocal calls
        calls += 1
        active = numbers.astype(np.int64)
        if padded:
            last[active] = X
            X = last.copy()
            more = (np.arange(num), *args) if indices else args
        else:
            more = (active, *args) if indices else args
        if jac is True:
            pair = fun(X, *more)
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise TypeError(f"fun: expected a tuple (values, gradients), found {type(pair).__name__}")
            values, gradients = pair
        else:
            values, gradients = fun(X, *more), jac(X, *more)
            if isinstance(values, tuple) and len(values) == 2:
                raise ValueError("fun: expected values, found two parts; did you mean jac=True?")
        if padded:
            return rows(values, "values", (num,))[active], rows(gradients, "gradients", (num, n))[active]
        return values, gradients

    run = run_options(rest, line_search, 1, _conventions.OPTIONS)
    most = min(int(at_once), max(num, 1))
    summary = _loa.minimize_batch(evaluate, starts, num, n, maker, run, most, states, conventions.precision, lower, upper)
    result = BatchResult(summary, maker.name, calls, states)
    if conventions.disp:
        print(result)
    return result
