"""Built-in problems, and objectives with a name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from loa import _conventions, _html, _loa
from loa._algorithm import Algorithm, as_algorithm, resolved
from loa._minimize import bound_arrays, check_state, make_objective, own_bounds, run, start_array
from loa._options import search_name
from loa._result import Result
from loa._typing import Sides


def problem(spec: str) -> _loa.Problem:
    """A built-in problem from `name` or `name:key=value,...`, for instance "rosenbrock:n=100"."""
    return _loa.Problem(spec)


@dataclass
class NamedObjective:
    """An objective of one's own for loa.check and loa.compare: what minimize takes, with a name and a start."""

    name: str
    fun: Any
    x0: Any
    jac: Any = None
    args: Any = ()
    hess: Any = None
    hessp: Any = None
    minimum: float | None = None  # the value of f at the minimizer, where that is known
    bounds: Any = None  # as for loa.minimize; of loa.check alone

    def objective(self) -> _loa.Objective:
        made = make_objective(self.fun, self.jac, self.args, self.hess, self.hessp)
        sides = self.sides()
        if sides is not None:
            made.set_bounds(*sides)
        return made

    def sides(self) -> Sides | None:
        return bound_arrays(self.bounds, self.start().size)

    def start(self) -> np.ndarray:
        return start_array(self.x0)


def solve(
    problem: str | _loa.Problem,
    algorithm: str | Algorithm = "auto",
    weights: str | _loa.Weights | None = None,
    line_search: str | None = None,
    options: Mapping[str, Any] | None = None,
    callback: Callable[..., Any] | None = None,
    tol: float | None = None,
    *,
    x0: Any = None,
    model: Any = None,
    state: _loa.State | None = None,
) -> Result:
    """Minimizes a built-in problem, as `loa solve` does; x0 is the problem's own start unless it is given."""
    line_search = search_name(line_search)
    check_state(state)
    made = _loa.Problem(problem) if isinstance(problem, str) else problem
    if x0 is not None and state is not None:
        raise TypeError("x0: expected None beside state, which has its own point, found both")
    start = made.start if x0 is None else start_array(x0)
    if start.shape != (made.n,):
        raise ValueError(f"x0: expected shape ({made.n},), found {start.shape}")
    sides = own_bounds(made)
    maker = as_algorithm(resolved(algorithm, made.n, state, options or {}, model, sides), weights, model).make()
    rest, conventions = _conventions.take(options or {}, tol)
    result = run(made, start, maker, line_search, rest, conventions, callback, state, sides=sides)
    result["problem"] = made.name
    if made.minimum is not None:
        result["gap"] = result["fun"] - made.minimum
    return result


def _problem_html(made: _loa.Problem) -> str:
    names = ("name", "n", "minimum", "lipschitz", "strong_convexity")
    return _html.table(("", "problem"), [(name, getattr(made, name)) for name in names])


_loa.Problem._repr_html_ = _problem_html  # type: ignore[attr-defined]
_loa.Problem.__repr__ = lambda made: f"<loa.Problem {made.name}, n = {made.n}>"  # type: ignore
