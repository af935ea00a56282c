"""What options of SciPy mean that are none of the core: taken out of the options before the run, seen to beside it."""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from loa import _loa
from loa._options import is_option, limit, real
from loa._result import STATUS, IntermediateResult, Price, Result
from loa._typing import Sides, Vector

if TYPE_CHECKING:
    from loa._without_scipy import OptimizeWarning
else:
    try:
        from scipy.optimize import OptimizeWarning
    except ImportError:
        from loa._without_scipy import OptimizeWarning

# What SciPy's methods have, and what it does here.
OPTIONS = {
    "c1": "sufficient decrease of the line search, more-thuente unless line_search names another",
    "c2": "curvature of the line search, likewise",
    "maxls": "trials of a line search",
    "xrtol": "stop when a step is within xrtol of x",
    "norm": "the norm of gtol",
    "return_all": "allvecs in the result",
    "eps": "step of differences",
    "finite_diff_rel_step": "relative step of differences",
    "workers": "a map for the calls of differences",
    "precision": "relative precision of the values of f",
    "hess_inv0": "an initial metric",
    "disp": "print how the run ended",
    "verbose": "print a line for each iteration, and how the run ended",
}
# Of SciPy's messages, which are warnings there too.
WARNINGS = {
    "iteration_limit_reached": "Maximum number of iterations has been exceeded.",
    "evaluation_limit_reached": "Maximum number of function evaluations has been exceeded.",
    "line_search_failed": "Desired error not necessarily achieved due to precision loss.",
    "stalled": "Desired error not necessarily achieved due to precision loss.",
    "start_is_not_finite": "NaN result encountered.",
}
# Of SciPy's L-BFGS-B, word for word, where it means the same. minimize(method=loa.method()) has them as its messages.
MESSAGES = {
    "iteration_limit_reached": "STOP: TOTAL NO. OF ITERATIONS REACHED LIMIT",
    "evaluation_limit_reached": "STOP: TOTAL NO. OF F,G EVALUATIONS EXCEEDS LIMIT",
}
FIXED = "All independent variables were fixed by bounds."  # of SciPy's minimize
LIMIT = "evaluation_limit_reached"
STOP_ITERATION = "`callback` raised `StopIteration`."


def _length(order: float, vector: Vector) -> float:
    return float(np.linalg.norm(vector, ord=order)) if vector.size else 0.0


def _projected(x: Vector, grad: Vector, sides: Sides | None) -> Vector:
    """x - P(x - g), P the projection onto the bounds; g without bounds. Either side may be empty."""
    if sides is None:
        return grad
    lower, upper = (side if side.size else None for side in sides)
    if lower is None and upper is None:
        return grad
    inside = np.minimum(grad, x - lower) if lower is not None else grad
    return inside if upper is None else np.maximum(inside, x - upper)


@dataclass
class Conventions:
    """The options of one run, and what an observer has seen of it."""

    c1: float | None = None
    c2: float | None = None
    maxls: float | None = None
    xrtol: float = 0.0
    norm: float = math.inf
    return_all: bool = False
    eps: Any = None
    finite_diff_rel_step: Any = None
    workers: Any = None
    precision: float = 0.0  # 0: by the type of the first value
    hess_inv0: Any = None
    disp: bool = False
    verbose: bool = False
    gtol: float = 0.0  # with another norm than the largest component
    allvecs: list[Vector] = field(default_factory=list)
    ended: str = ""  # why the observer stopped the run
    max_calls: float = math.inf  # of fun, where evaluations do not all cost the same

    def __post_init__(self) -> None:
        for name in ("c1", "c2", "maxls", "xrtol", "norm", "precision"):
            if getattr(self, name) is not None:
                setattr(self, name, real(name, getattr(self, name)))
        if not self.xrtol >= 0:
            raise ValueError(f"xrtol: found {self.xrtol!r}, expected a number of at least 0")
        if math.isnan(self.norm):
            raise ValueError("norm: found nan, expected the order of a norm")
        if not 0 <= self.precision < 1:
            raise ValueError(f"precision: found {self.precision!r}, expected a number of at least 0 and less than 1")
        c1 = 1e-4 if self.c1 is None else self.c1
        c2 = max(c1, 0.9) if self.c2 is None else self.c2
        if not 0 < c1 < c2 < 1:
            raise ValueError("'c1' and 'c2' do not satisfy '0 < c1 < c2 < 1'.")

    def given(self) -> set[str]:
        """The names of the options that are not at their defaults."""
        plain = Conventions()
        return {name for name in OPTIONS if np.any(getattr(self, name) != getattr(plain, name))}

    @property
    def wants_differences_in_python(self) -> bool:
        own_steps = self.eps is not None and np.ndim(self.eps) > 0
        return own_steps or self.finite_diff_rel_step is not None or self.workers is not None

    @property
    def watches(self) -> bool:
        """Whether the options need an observer."""
        return self.xrtol > 0 or self.norm != math.inf or self.return_all or self.max_calls < math.inf

    def search(self, maker: _loa.AlgorithmMaker, line_search: str | None) -> tuple[_loa.AlgorithmMaker, str | None]:
        """The algorithm with the constants and limits of these options, and the line search that is still to be named."""
        if self.c1 is None and self.c2 is None and self.maxls is None:
            return maker, line_search
        maxls = None if self.maxls is None else limit("maxls", self.maxls)
        return _loa.with_search(maker, line_search or "", self.c1, self.c2, maxls), None

    def observer(
        self, callback: Callable[..., Any] | None, price: Price, sides: Sides | None = None
    ) -> Callable[..., bool] | None:
        """What C++ calls at x_0 and after each iteration; true stops the run. The callback has one of SciPy's styles. `sides`:
        the bounds of the run, with which `norm` is that of the projected gradient."""
        watches = self.watches
        if callback is None and not watches:
            return None
        tell = _teller(callback, price)
        x_before: list[Vector] = []

        def observer(iteration, x, f, grad, grad_inf_norm, step_size, evaluations, fallbacks, seconds, running):  # type: ignore[no-untyped-def]
            if self.return_all:
                self.allvecs.append(x.copy())
            if iteration > 0:
                try:
                    tell(iteration, x, f, grad, grad_inf_norm, step_size, evaluations, fallbacks, seconds, running)
                except StopIteration:
                    self.ended = STOP_ITERATION
                    return True
            if not watches:
                return False
            if self.norm != math.inf and _length(self.norm, _projected(x, grad, sides)) <= self.gtol:
                self.ended = "gradient_is_small"
            elif self.xrtol > 0 and x_before:
                if _length(2, x - x_before[0]) <= self.xrtol * (self.xrtol + _length(2, x)):
                    self.ended = "step_is_small"
            if not self.ended and price.calls(evaluations["value"], evaluations["refined_at"]) >= self.max_calls:
                self.ended = LIMIT
            x_before[:] = [x.copy()]
            return self.ended != ""

        return observer

    def finish(self, result: Result) -> None:
        """Says in the result what the observer has decided, and prints what `disp` and `verbose` want, as SciPy does."""
        if result["status_name"] == "stopped_by_observer" and self.ended:
            if self.ended == STOP_ITERATION:
                result["message"] = STOP_ITERATION
            elif self.ended == LIMIT:
                result["status_name"], result["status"] = LIMIT, STATUS[LIMIT]
                result["message"] = "Stopped: the limit on evaluations was reached."
            else:
                result["status_name"] = self.ended
                result["success"], result["status"] = True, 0
                what = f"the gradient is within its tolerance (norm {self.norm:g})"
                if self.ended == "step_is_small":
                    what = "the last step is within xrtol of x"
                result["message"] = f"Converged: {what}."
        if self.return_all:
            result["allvecs"] = self.allvecs
        if self.disp or self.verbose:
            if result["success"]:
                print(result["message"])
            else:
                sentence = WARNINGS.get(result["status_name"], "")
                warnings.warn(f"{sentence} {result['message']}".strip(), OptimizeWarning, stacklevel=4)
            print(
                f"         Current function value: {result['fun']:.9g}\n"
                f"         Iterations: {result['nit']}\n"
                f"         Function evaluations: {result['nfev']}\n"
                f"         Gradient evaluations: {result['njev']}",
                flush=True,
            )


def as_scipy_says(result: Result, sides: Sides | None) -> Result:
    """The result of a run that SciPy's minimize has asked for: its message is SciPy's where SciPy has one of the same meaning."""
    if result["success"] and sides is not None and sides[0].size > 0 and (sides[0] == sides[1]).all():
        result["message"] = FIXED
    result["message"] = MESSAGES.get(result["status_name"], result["message"])
    return result


def takes_result(callback: Callable[..., Any]) -> bool:
    """Whether the callback is of SciPy's newer style."""
    try:
        return set(inspect.signature(callback).parameters) == {"intermediate_result"}
    except ValueError:  # a callable of C without a signature
        return False


def _teller(callback: Callable[..., Any] | None, price: Price) -> Callable[..., None]:
    if callback is None:
        return lambda *what: None
    wants_result = takes_result(callback)

    def tell(iteration, x, f, grad, grad_inf_norm, step_size, evaluations, fallbacks, seconds, running):  # type: ignore[no-untyped-def]
        if not wants_result:
            callback(x)
            return
        callback(
            intermediate_result=IntermediateResult(
                running,
                x=x,
                fun=f,
                jac=grad,
                nit=iteration,
                nfev=int(price.calls(evaluations["value"], evaluations["refined_at"])),
                njev=evaluations["gradient"],
                grad_inf_norm=grad_inf_norm,
                step_size=step_size,
                fallbacks=fallbacks,
                seconds=seconds,
            )
        )

    return tell


def take(options: Mapping[str, Any], tol: float | None = None) -> tuple[dict[str, Any], Conventions]:
    """The options of the core, and those that are seen to in Python. None is the default, as in SciPy."""
    rest = {name: value for name, value in options.items() if name not in OPTIONS}
    given = {name: value for name, value in options.items() if name in OPTIONS and value is not None}
    if tol is not None and rest.get("gtol") is None:
        rest["gtol"] = tol
    conventions = Conventions(**given)
    if conventions.norm != math.inf:
        gtol = rest.get("gtol")
        conventions.gtol = 1e-5 if gtol is None else real("gtol", gtol)
        rest["gtol"] = 0.0
    return rest, conventions


def known(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options without those that loa does not have, after a warning that is SciPy's."""
    names = [name for name in options if name not in OPTIONS and not is_option(name)]
    if names:
        # From here to minimize of SciPy: known, Method, minimize, the caller.
        warnings.warn(f"Unknown solver options: {', '.join(names)}", OptimizeWarning, stacklevel=4)
    return {name: value for name, value in options.items() if name not in names}
