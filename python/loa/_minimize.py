"""minimize, and the same as a method for scipy.optimize.minimize."""

from __future__ import annotations

import inspect
import math
import os
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from loa import _loa
from loa._algorithm import Algorithm, as_algorithm, resolved
from loa._options import run_options
from loa._result import IntermediateResult, Result, make_result

_RULES = {
    None: _loa.GradientRule.forward,
    False: _loa.GradientRule.forward,
    "2-point": _loa.GradientRule.forward,
    "3-point": _loa.GradientRule.central,
}


def start_array(x0: Any) -> np.ndarray:
    """x0 as one row of doubles."""
    array = np.atleast_1d(np.asarray(x0))
    if array.dtype.kind not in "biuf":
        raise TypeError(f"x0: expected real numbers, found {array.dtype}")
    if array.ndim != 1:
        raise ValueError(f"x0: expected shape (n,), found {array.shape}")
    return array.astype(float)


def make_objective(
    fun: Any,
    jac: Any = None,
    args: Any = (),
    hess: Any = None,
    hessp: Any = None,
    eps: float = 0.0,
) -> _loa.Objective:
    """The callables in the form that C++ takes."""
    args = args if isinstance(args, tuple) else (args,)
    if hasattr(fun, "value_and_gradient"):
        if jac is not None:
            raise TypeError("jac: expected None, because fun has value_and_gradient")
        rule = _loa.GradientRule.fused
        value = getattr(fun, "value", None)
        hess = hess or getattr(fun, "hessian", None)
        hessp = hessp or getattr(fun, "hessian_vector", None)
        return _loa.Objective(fun.value_and_gradient, None, value, hess, hessp, args, rule, 0.0)
    if not callable(fun):
        raise TypeError(f"fun: expected a callable or an object with value_and_gradient, found {type(fun).__name__}")
    for name, part in (("hess", hess), ("hessp", hessp)):
        if part is not None and not callable(part):
            raise TypeError(f"{name}: expected a callable, found {part!r}")
    if callable(jac):
        rule = _loa.GradientRule.separate
    elif jac is True:
        rule, jac = _loa.GradientRule.fused, None
    elif jac is None or isinstance(jac, (bool, str)) and jac in _RULES:
        rule, jac = _RULES[jac], None
    else:
        raise ValueError(f"jac: expected a callable, True, None, '2-point' or '3-point', found {jac!r}")
    return _loa.Objective(fun, jac, None, hess, hessp, args, rule, float(eps or 0.0))


def bound_arrays(bounds: Any, n: int) -> tuple[np.ndarray, np.ndarray] | None:
    """(lower, upper) of length n from pairs, from an object with lb and ub such as scipy.optimize.Bounds, or from None."""
    if bounds is None:
        return None
    if hasattr(bounds, "lb") and hasattr(bounds, "ub"):
        sides = [bounds.lb, bounds.ub]
    else:
        try:
            pairs = [(low, high) for low, high in bounds]
        except (TypeError, ValueError):
            raise ValueError("bounds: expected a pair (lower, upper) for each variable, or an object with lb and ub, "
                             f"found {bounds!r}") from None  # fmt: skip
        if len(pairs) != n:
            raise ValueError(f"bounds: expected {n} pairs, one for each variable, found {len(pairs)}")
        sides = [
            [-math.inf if low is None else low for low, _ in pairs],
            [math.inf if high is None else high for _, high in pairs],
        ]
    try:
        lower, upper = (np.array(np.broadcast_to(np.asarray(side, dtype=float), (n,))) for side in sides)
    except ValueError:
        shapes = " and ".join(str(np.shape(side)) for side in sides)
        raise ValueError(f"bounds: expected lb and ub of shape ({n},) or numbers, found {shapes}") from None
    return lower, upper


def make_observer(callback: Any, calls: int) -> Callable[..., bool] | None:
    """What C++ calls after each iteration; true stops the run. The two styles of callbacks are those of SciPy."""
    if callback is None:
        return None
    try:
        takes_result = set(inspect.signature(callback).parameters) == {"intermediate_result"}
    except ValueError:  # a callable of C without a signature
        takes_result = False

    def observer(iteration, x, f, grad, grad_inf_norm, step_size, evaluations, fallbacks, seconds, running):  # type: ignore
        if iteration == 0:
            return False
        try:
            if takes_result:
                callback(
                    intermediate_result=IntermediateResult(
                        running,
                        x=x,
                        fun=f,
                        jac=grad,
                        nit=iteration,
                        nfev=evaluations["value"] * calls,
                        njev=evaluations["gradient"],
                        grad_inf_norm=grad_inf_norm,
                        step_size=step_size,
                        fallbacks=fallbacks,
                        seconds=seconds,
                    )
                )
            else:
                callback(x)
        except StopIteration:
            return True
        return False

    return observer


def _used_hessians(algorithm: _loa.AlgorithmMaker, line_search: str | None, hess: Any, hessp: Any) -> tuple[Any, Any]:
    """hess and hessp where something uses them; None, after a warning, where nothing does."""
    exact = (line_search or algorithm.line_search) == "exact"
    if hess is not None and not (algorithm.needs_hessian or exact):
        text = f"algorithm {algorithm.name} does not use Hessian information (hess)"
        warnings.warn(text, RuntimeWarning, stacklevel=3)
        hess = None
    if hessp is not None and not exact:
        text = f"algorithm {algorithm.name} does not use Hessian-vector products (hessp); line_search='exact' does"
        warnings.warn(text, RuntimeWarning, stacklevel=3)
        hessp = None
    return hess, hessp


def warm_start(source: Any) -> _loa.WarmStart:
    """From a Result, a State, a WarmStart or the file of a state."""
    if isinstance(source, _loa.WarmStart):
        return source
    if isinstance(source, _loa.State):
        return _loa.WarmStart(source)
    if isinstance(source, (str, os.PathLike)):
        return _loa.WarmStart.load(os.fspath(source))
    if isinstance(source, Mapping) and isinstance(source.get("state"), _loa.State):
        return _loa.WarmStart(source["state"]).at(source["x"])
    raise TypeError(f"warm: expected a Result, a State, a WarmStart or a file, found {type(source).__name__}")


def _product(hess_inv0: Any, n: int) -> Callable[[np.ndarray], Any]:
    """hess_inv0 as a function v -> H v."""
    if callable(hess_inv0):
        return hess_inv0
    matrix = np.asarray(hess_inv0, dtype=float)
    if matrix.shape != (n, n) or not np.isfinite(matrix).all() or not (matrix == matrix.T).all():
        raise ValueError(
            f"hess_inv0: expected a callable or a symmetric finite array of shape {(n, n)}, "
            f"found another or one of shape {matrix.shape}"
        )
    return matrix.dot


def run(
    objective: Any,
    x0: Any,
    algorithm: _loa.AlgorithmMaker,
    line_search: str | None,
    options: Mapping[str, Any],
    callback: Any,
    tol: float | None,
    state: _loa.State | None,
    warm: _loa.WarmStart | None = None,
    hess_inv0: Any = None,
    bounds: Any = None,
) -> Result:
    """One run with everything in the form that C++ takes, options but for `disp` by name."""
    options = dict(options)
    disp = options.pop("disp", False)
    if tol is not None:
        options.setdefault("gtol", tol)
    n = len(x0) if state is None else state.n
    lower, upper = bound_arrays(bounds, n) or (None, None)
    if bounds is None and isinstance(objective, _loa.Problem):  # its own
        lower, upper = objective.lower, objective.upper
    if lower is not None and isinstance(objective, _loa.Objective):
        objective.set_bounds(lower, upper)
    calls = objective.calls(n) if isinstance(objective, _loa.Objective) else 1
    chosen = run_options(options, line_search, calls)
    if warm is not None:
        chosen._set_warm(warm)
    if hess_inv0 is not None:
        chosen._set_initial_inverse_hessian(_product(hess_inv0, n))
    summary = _loa.minimize(objective, x0, algorithm, chosen, make_observer(callback, calls), state, lower, upper)
    result = make_result(summary, algorithm.name, calls)
    if disp:
        print(f"{result.message}\n  f = {result.fun:.9g}, {result.nit} iterations, {result.nfev} evaluations")
    return result


def minimize(
    fun: Any,
    x0: Any = None,
    args: Any = (),
    jac: Any = None,
    algorithm: str | Algorithm = "auto",
    weights: str | _loa.Weights | None = None,
    line_search: str | None = None,
    options: Mapping[str, Any] | None = None,
    callback: Callable[..., Any] | None = None,
    tol: float | None = None,
    *,
    hess: Callable[..., Any] | None = None,
    hessp: Callable[..., Any] | None = None,
    model: Any = None,
    state: _loa.State | None = None,
    warm: Any = None,
    hess_inv0: Any = None,
    bounds: Any = None,
) -> Result:
    """Minimizes fun from x0.

    fun         fun(x, *args) -> f, or (f, gradient) with jac=True; or an object with value_and_gradient(x), and perhaps
                value(x), hessian_vector(x, v) and hessian(x); or a loa.Problem.
    jac         True, a callable, or None for forward differences ('3-point': central ones), whose calls are counted.
    algorithm   a name of loa.algorithms(), or a loa.Algorithm, or "auto": by the number of variables.
    weights     of learned algorithms: a name of loa.weights(), a file, or loa.Weights.
    line_search a name of loa.line_searches(); None: the algorithm's own.
    options     gtol, gtol_relative, ftol, max_iterations, max_evaluations, max_seconds, first_step, safeguard ('on',
                'off', 'spectrum'), lipschitz, step_size, momentum, beta1, beta2, memory, smallest_eigenvalue, largest_eigenvalue, disp,
                eps (the step of differences). SciPy's maxiter, maxfun and maxfev are understood.
    callback    callback(xk), or callback(intermediate_result=...), after each iteration; StopIteration ends the run.
                intermediate_result.save(path) writes the state, from which a killed run goes on, and
                intermediate_result.state is a copy of it: loa.minimize(fun, state=loa.State.load(path), ...).
    tol         the same as options={"gtol": tol}. As in SciPy, None stands for the default, here and in options.
    hess, hessp hess(x, *args) for `newton`, hessp(x, v, *args) for the line search `exact`.
    model       an object with predict(input) in place of the algorithm's own model.
    bounds      a pair (lower, upper) for each variable, None or an infinity where there is none, or scipy.optimize.Bounds.
                fun is not called outside, not by differences either; a start outside is moved inside. result.bounds has
                the active set and the multipliers. For auto, bfgs+d, bfgs+, loa, bfgs, l-bfgs+d, l-bfgs+, l-bfgs.
    state       of an earlier result: the run goes on from there, bit for bit. In place of x0, which must be None.
    warm        what a run on a problem like this one knew: its result, its state, a file of that, or a loa.WarmStart.
                The run begins at that point with that inverse Hessian, and cold at x0 (None: the same point) where that
                leads nowhere: fallbacks["warm"] counts it. A result of more than one such run is a loa.Series.
    hess_inv0   an initial metric: a symmetric positive definite array, or a callable v -> H v. B begins as a multiple
                of it. SciPy's way, options={"hess_inv0": ...}, is understood.

    The gradient, and any exception of fun, come out as they are. A numerical outcome is never an exception: see
    result.success, result.message and result.status_name.
    """
    options = dict(options or {})
    eps = options.pop("eps", 0.0)
    hess_inv0 = options.pop("hess_inv0", None) if hess_inv0 is None else hess_inv0
    if warm is not None and state is not None:
        raise TypeError("warm: expected None beside state, found both")
    warm = None if warm is None else warm_start(warm)
    if x0 is None and warm is not None:
        x0 = warm.x
    if x0 is None and state is None:
        raise TypeError("x0: expected a start or a state to go on from, found neither")
    if x0 is not None and state is not None:
        raise TypeError("x0: expected None beside state, which has its own point, found both")
    start = None if x0 is None else start_array(x0)
    if algorithm == "auto" and hess_inv0 is not None and state is None:
        algorithm = "l-bfgs+"  # as in C++
    algorithm = resolved(algorithm, start.size if state is None else 0, state, options, model)
    maker = as_algorithm(algorithm, weights, model).make()
    hess, hessp = _used_hessians(maker, line_search, hess, hessp)
    if isinstance(fun, _loa.Problem):
        if jac is not None:
            raise TypeError("jac: expected None, because the problem has a gradient")
        objective: Any = fun
    else:
        objective = make_objective(fun, jac, args, hess, hessp, eps)
        if maker.needs_hessian and hess is None and not hasattr(fun, "hessian"):
            raise ValueError(f"{maker.name}: expected hess, found none")
    return run(objective, start, maker, line_search, options, callback, tol, state, warm, hess_inv0, bounds)


def _given(constraint: Any) -> bool:
    return constraint is not None and (not hasattr(constraint, "__len__") or len(constraint) > 0)


def method(
    algorithm: str | Algorithm = "loa-bfgs",
    weights: str | _loa.Weights | None = None,
    line_search: str | None = None,
    *,
    model: Any = None,
) -> Callable[..., Result]:
    """An algorithm for scipy.optimize.minimize(fun, x0, method=loa.method("loa-bfgs"))."""
    chosen = as_algorithm(algorithm, weights, model)

    def loa_method(
        fun: Any,
        x0: Any,
        args: Any = (),
        jac: Any = None,
        hess: Any = None,
        hessp: Any = None,
        bounds: Any = None,
        constraints: Any = (),
        callback: Any = None,
        tol: float | None = None,
        **options: Any,
    ) -> Result:
        if _given(constraints):
            raise ValueError(f"loa {chosen.name}: expected no constraints, found some: it minimizes without them")
        return minimize(
            fun, x0, args, jac, chosen, None, line_search, options, callback, tol, hess=hess, hessp=hessp, bounds=bounds
        )

    loa_method.__name__ = f"loa_{chosen.name.replace('-', '_').replace('/', '_')}"
    loa_method.__doc__ = f"{chosen.name} of loa, as a method of scipy.optimize.minimize."
    return loa_method
