"""Which principles algorithms obey, and whether a gradient is right."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from loa import _html, _loa
from loa._algorithm import Algorithm, as_algorithm
from loa._minimize import bound_arrays, make_objective, own_bounds, start_array
from loa._problem import NamedObjective


class Check:
    """The paper's Table 1, measured. str() is the table of `loa check`."""

    def __init__(self, rows: list[dict[str, Any]], table: str, details: str):
        self.rows = rows
        self.table = table
        self.details = details

    @property
    def as_claimed(self) -> bool:
        """Whether every algorithm has what it claims."""
        return all(row["as_claimed"] for row in self.rows)

    def verdict(self, algorithm: str, principle: str) -> str:
        """ "holds", "tuned" or "fails"."""
        for row in self.rows:
            if row["algorithm"] == algorithm:
                return str(row[principle]["verdict"])
        raise KeyError(algorithm)

    def __str__(self) -> str:
        return self.table

    def __repr__(self) -> str:
        return f"<loa.Check of {', '.join(row['algorithm'] for row in self.rows)}>"

    def _repr_html_(self) -> str:
        def cell(entry: dict[str, Any]) -> str:
            mark = "" if entry["as_claimed"] else " !"
            return f"{entry['verdict']}{mark} ({entry['deviation']:.1e})"

        rows = [[row["algorithm"], *(cell(row[p]) for p in _loa.principles)] for row in self.rows]
        return _html.table(["algorithm", *_loa.principles], rows)


def check(
    algorithms: str | Algorithm | Iterable[str | Algorithm] | None = None,
    *,
    weights: str | None = None,
    problems: Iterable[str | NamedObjective] | None = None,
    iterations: int = 20,
    seed: int = 0,
    jobs: int | None = None,
    bounds: bool = False,
) -> Check:
    """Measures which principles algorithms obey, as `loa check` does. None: all the named ones.

    With bounds=True on problems with bounds, as `loa check --bounds` does; None stands for the algorithms that take bounds
    then. Problems of one's own have theirs in loa.NamedObjective."""
    registry = {entry["name"]: entry for entry in _loa.algorithms()}
    if algorithms is None:
        algorithms = [name for name in registry if not bounds or as_algorithm(name, None).make().takes_bounds]
    if isinstance(algorithms, (str, Algorithm)):
        algorithms = [algorithms]
    chosen = []
    for algorithm in algorithms:
        learned = isinstance(algorithm, str) and registry.get(algorithm, {}).get("learned", False)
        own = as_algorithm(algorithm, weights if learned else None)
        # A named algorithm has the claims of the registry; with a model of one's own nothing is claimed.
        claims = own.claims if own.claims is not None or own.model is None else {}
        chosen.append((own.make(), None if claims is None else dict(claims)))
    given: list[Any] | None = None
    if problems is not None:
        given = [p if isinstance(p, str) else _parts(p) for p in problems]
    return Check(*_loa.check(chosen, given, iterations, seed, jobs or os.cpu_count() or 1, bounds))


def _parts(problem: NamedObjective) -> tuple[Any, ...]:
    return problem.name, problem.objective(), problem.start(), *(problem.sides() or (None, None))


@dataclass
class GradientCheck:
    """What check_gradient found; true when every coordinate agrees."""

    ok: bool
    max_error: float
    worst: int
    gradient: float
    difference: float
    message: str

    def __bool__(self) -> bool:
        return self.ok

    def _repr_html_(self) -> str:
        return _html.table(("", "gradient"), [(name, getattr(self, name)) for name in self.__dataclass_fields__])


def check_gradient(
    fun: Any, x: Any, jac: Any = None, args: Sequence[Any] = (), tolerance: float = 1e-5, *, bounds: Any = None
) -> GradientCheck:
    """Compares a gradient with finite differences, the first thing to try when a line search fails.

    With bounds, as for loa.minimize (None: those of a loa.Problem that has some), fun is not called outside: x is moved
    inside, differences go to one side where a bound is near, and variables that the bounds fix are not compared."""
    if jac is None and not hasattr(fun, "value_and_gradient"):
        raise TypeError("jac: expected a callable, or True when fun returns (value, gradient), found None")
    objective = fun if isinstance(fun, _loa.Problem) else make_objective(fun, jac, tuple(args))
    point = start_array(x)
    sides = bound_arrays(bounds, point.size)
    if isinstance(objective, _loa.Problem):
        sides = sides or own_bounds(objective)
    elif sides is not None:
        objective.set_bounds(*sides)
    return GradientCheck(**_loa.check_gradient(objective, point, tolerance, *(sides or (None, None))))
