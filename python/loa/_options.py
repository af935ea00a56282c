"""Options by name."""

from __future__ import annotations

import difflib
import math
import sys
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

from loa import _loa


def members(struct: type) -> list[str]:
    """The options that a C++ struct has, which all come from one list there."""
    return [name for name in vars(struct) if not name.startswith("_")]


HYPER_PARAMETERS = tuple(members(_loa.HyperParameters))
# minimize() has arguments of its own for the others.
RUN = tuple(
    name
    for name in members(_loa.Options)
    if name not in ("algorithm", "weights", "line_search", "hyper_parameters")
)
NO_LIMIT = 2**63 - 1  # the largest count there is
# What SciPy's methods call the same things.
ALIASES = {
    "maxiter": "max_iterations",
    "maxfun": "max_evaluations",
    "maxfev": "max_evaluations",
    "maxcor": "memory",
}
SAFEGUARDS = {"off": _loa.Safeguard.off, "on": _loa.Safeguard.on, "spectrum": _loa.Safeguard.spectrum}
# Names of before, which the next version drops.
RENAMED = dict(_loa.RENAMED)


def callers_level() -> int:
    """The stacklevel of a warning that names the line of the user, by whatever door the call came: the first frame that is
    neither of loa nor of SciPy."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("loa", "scipy"):
        level, frame = level + 1, frame.f_back
    return level


def of_today(name: Any) -> Any:
    """The name of today of an option or a word, with a warning when the given name is an old one."""
    if name not in RENAMED:
        return name
    warnings.warn(f"{name!r} is deprecated, use {RENAMED[name]!r}", DeprecationWarning, stacklevel=5)
    return RENAMED[name]


def is_option(name: str) -> bool:
    """Whether run_options() knows the name."""
    name = RENAMED.get(name, ALIASES.get(name, name))
    return name in RUN or name in HYPER_PARAMETERS


def suggestion(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def unknown(what: str, name: str, known: Iterable[str]) -> ValueError:
    known = list(known)
    return ValueError(f"{what}: found {name!r}, expected one of {', '.join(known)}{suggestion(name, known)}")


def real(name: str, value: Any) -> float:
    """An option that is a number; an integer beyond all doubles is infinite."""
    if isinstance(value, (str, bytes)) or not hasattr(value, "__float__") or getattr(value, "ndim", 0) > 0:
        raise TypeError(f"{name}: expected a number, found {value!r}")
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def limit(name: str, value: Any) -> int:
    """An option that limits a count, rounded up, because SciPy goes on while nit < maxiter."""
    number = real(name, value)
    if math.isnan(number):
        raise ValueError(f"{name}: found {value!r}, expected a number")
    if number >= NO_LIMIT:
        return NO_LIMIT
    return -1 if number < 0 else math.ceil(number)  # the core complains of what is negative


def search_name(line_search: Any) -> str | None:
    """The name of a line search, which may be in capitals."""
    if line_search is None:
        return None
    if not isinstance(line_search, str):
        raise TypeError(f"line_search: expected a name, found {type(line_search).__name__}")
    return line_search.lower()


def set_attribute(target: Any, name: str, value: Any, given: str = "") -> None:
    """Sets a member of a C++ struct, with a complaint that names it as it was given."""
    try:
        if isinstance(getattr(target, name), bool):
            value = bool(value)
        elif isinstance(getattr(target, name), int) and isinstance(value, float) and value.is_integer():
            value = int(value)
        setattr(target, name, value)
    except TypeError:
        old = getattr(target, name)
        expected = "a number" if old is None else type(old).__name__
        raise TypeError(f"{given or name}: expected {expected}, found {value!r}") from None


def set_all(target: Any, values: Mapping[str, Any], what: str) -> None:
    """Sets members of a C++ struct by name."""
    known = [name for name in dir(target) if not name.startswith("_")]
    for name, value in values.items():
        if name not in known:
            raise unknown(what, name, known)
        set_attribute(target, name, value)


def run_options(
    options: Mapping[str, Any], line_search: str | None, calls: int = 1, beside: Iterable[str] = ()
) -> _loa.Options:
    """The options of a run. `calls`: how many calls of fun one evaluation costs; max_evaluations counts calls. `beside`:
    names that are known as well, for a complaint."""
    result = _loa.Options()
    hyper_parameters = result.hyper_parameters
    for given, value in options.items():
        name = of_today(ALIASES.get(given, given))
        if name not in RUN and name not in HYPER_PARAMETERS:
            raise unknown("options", given, [*RUN, *HYPER_PARAMETERS, *ALIASES, *beside])
        if value is None:
            continue  # SciPy's way to say "the default"
        if name in HYPER_PARAMETERS:
            set_attribute(hyper_parameters, name, value, given)
        elif name == "safeguard":
            word = of_today(value) if isinstance(value, str) else None
            if word not in SAFEGUARDS:
                raise ValueError(f"safeguard: found {value!r}, expected on, off or spectrum")
            result.safeguard = SAFEGUARDS[word]
        elif name == "max_evaluations":
            if not real(given, value) >= 1:
                raise ValueError(f"{given}: found {value!r}, expected an integer of at least 1, or inf")
            most = limit(given, value)
            result.max_evaluations = NO_LIMIT if most == NO_LIMIT else max(1, int(value) // calls)
        elif name == "max_iterations":
            result.max_iterations = limit(given, value)
        else:
            set_attribute(result, name, value, given)
    result.hyper_parameters = hyper_parameters
    if line_search is not None:
        result.line_search = line_search
    return result


def print_line(line: str) -> None:
    """What a run with `verbose` gives its lines to. Looked up anew each time, for those who put another sys.stdout in place."""
    print(line, flush=True)
