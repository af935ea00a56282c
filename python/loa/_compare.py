"""Algorithms on problems, compared by their evaluations."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from loa import _html, _loa
from loa._algorithm import Algorithm
from loa._options import search_name, set_all
from loa._problem import NamedObjective


class Comparison:
    """What compare returns. str() is the table of `loa compare`; loa.plot draws it."""

    def __init__(self, comparison: _loa.Comparison):
        self._comparison = comparison

    @property
    def algorithms(self) -> list[str]:
        return list(self._comparison.labels)

    @property
    def problems(self) -> list[str]:
        return list(self._comparison.problems)

    @property
    def runs(self) -> list[dict[str, Any]]:
        """One dict a run; pandas.DataFrame takes it."""
        return self._comparison.runs

    @property
    def relative_evaluations(self) -> dict[str, float]:
        """The geometric mean of the evaluations relative to the baseline, over what both solve."""
        rows = self._comparison.relative_evaluations(self._comparison.baseline())
        return {row["algorithm"]: row["ratio"] for row in rows}

    @property
    def summary(self) -> dict[str, Any]:
        """What summary.json has: among others the paired ratios with their intervals, the virtual best and the oracle."""
        found: dict[str, Any] = json.loads(self._comparison.summary_json())
        return found

    @property
    def below_optimum(self) -> list[str]:
        """Runs that found less than the optimum, which is wrong then."""
        return list(self._comparison.below_optimum)

    def save(self, folder: str | Path) -> list[str]:
        """Writes the tables that `loa compare --out` writes; returns their names."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        return self._comparison.write(str(folder))

    def __str__(self) -> str:
        return self._comparison.table()

    def __repr__(self) -> str:
        return f"<loa.Comparison of {len(self.algorithms)} algorithms on {len(self.problems)} problems>"

    def _repr_html_(self) -> str:
        keys = ("problem", "n", "algorithm", "start", "status", "solved", "gap", "evaluations", "iterations")
        return _html.table(keys, [[run[key] for key in keys] for run in self.runs])


def compare(
    problems: str | NamedObjective | Iterable[str | NamedObjective] | None = None,
    algorithms: str | Algorithm | Iterable[str | Algorithm] | None = None,
    *,
    jobs: int | None = None,
    **options: Any,
) -> Comparison:
    """Runs algorithms on problems from the same starts, as `loa compare` does.

    problems    specs of built-in problems, and loa.NamedObjective for one's own.
    algorithms  names, or "name:key=value,..." as for the program, and loa.Algorithm.
    options     weights, line_search, safeguard, starts, random_starts, seed, first_step, gtol, gap, max_iterations,
                max_evaluations, against (labels to compare with besides the baseline).
    """
    plan = _loa.ComparisonPlan()
    if "line_search" in options:
        options["line_search"] = search_name(options["line_search"]) or ""
    set_all(plan, options, "compare")
    plan.jobs = jobs or os.cpu_count() or 1
    if isinstance(problems, (str, NamedObjective)):
        problems = [problems]
    if isinstance(algorithms, (str, Algorithm)):
        algorithms = [algorithms]
    chosen_problems = list(plan.problems if problems is None else problems)
    chosen_algorithms = list(plan.algorithms if algorithms is None else algorithms)
    return Comparison(
        _loa.compare(
            plan,
            [p if isinstance(p, str) else (p.name, p.objective(), p.start(), p.minimum) for p in chosen_problems],
            [a if isinstance(a, str) else a.make() for a in chosen_algorithms],
        )
    )
