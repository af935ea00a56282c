"""The names that the library knows, the same as those of `loa list`."""

from __future__ import annotations

from typing import Any

from loa import _html, _loa


class Entries(list):  # type: ignore[type-arg]
    """A list of dicts that shows itself as a table."""

    def __str__(self) -> str:
        width = max((len(entry["name"]) for entry in self), default=0)
        return "\n".join(f"{entry['name']:<{width}}  {entry['description']}" for entry in self)

    def _repr_html_(self) -> str:
        keys = list(self[0]) if self else []
        return _html.table(keys, [[entry[key] for key in keys] for entry in self])


def algorithms() -> list[dict[str, Any]]:
    """Name, description, default line search, whether it is learned and whether it needs a Hessian."""
    return Entries(_loa.algorithms())


def problems() -> list[dict[str, Any]]:
    """Name and description, with the keys that a spec may have."""
    return Entries(_loa.problems())


def problem_sets() -> list[dict[str, Any]]:
    """Name, description and specs of the sets of problems; `compare` takes the specs."""
    return Entries(_loa.problem_sets())


def line_searches() -> list[dict[str, Any]]:
    """Name and description."""
    return Entries(_loa.line_searches())


def weights() -> list[dict[str, Any]]:
    """Name, description and algorithm of the weights that are compiled in."""
    return Entries(_loa.weights())
