"""minimize, and the same as a method for scipy.optimize.minimize."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from loa import _conventions, _loa
from loa._algorithm import Algorithm, as_algorithm, resolved
from loa._differences import RULES, Differences, as_map, step_sizes
from loa._options import NO_LIMIT, callers_level, print_line, real, run_options, search_name
from loa._result import Price, Result, make_result
from loa._tree import Tree, is_tree, numbers_of
from loa._typing import Sides

_RULES = {
    None: _loa.GradientRule.forward_then_central,
    False: _loa.GradientRule.forward_then_central,
    "2-point": _loa.GradientRule.forward,
    "3-point": _loa.GradientRule.central,
}

# SciPy's words.
WRONG_LENGTH = "The number of bounds is not compatible with the length of `x0`."
CROSSED = "An upper bound is less than the corresponding lower bound."


def start_array(x0: Any) -> np.ndarray:
    """x0 as one row of doubles."""
    array = np.atleast_1d(numbers_of(x0))
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


def price_of(objective: Any, n: int) -> Price:
    """What evaluations of an objective in the form of C++ cost."""
    return Price(objective.calls(n), objective.calls(n, True)) if isinstance(objective, _loa.Objective) else Price()


def bound_arrays(bounds: Any, n: int) -> Sides | None:
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
            raise ValueError(f"bounds: expected {n} pairs, one for each variable, found {len(pairs)}. {WRONG_LENGTH}")
        sides = [
            [-math.inf if low is None else low for low, _ in pairs],
            [math.inf if high is None else high for _, high in pairs],
        ]
    try:
        lower, upper = (np.array(np.broadcast_to(np.asarray(side, dtype=float), (n,))) for side in sides)
    except ValueError:
        shapes = " and ".join(str(np.shape(side)) for side in sides)
        raise ValueError(f"bounds: expected lb and ub of shape ({n},) or numbers, found {shapes}. {WRONG_LENGTH}") from None
    if (lower > upper).any():
        raise ValueError(f"bounds: expected lower <= upper, found {lower} and {upper}. {CROSSED}")
    return lower, upper


def own_bounds(problem: _loa.Problem) -> Sides | None:
    """Those that a built-in problem brings."""
    return (problem.lower, problem.upper) if problem.lower.size + problem.upper.size > 0 else None


def hide_unknown(result: Result, objective: Any, sides: Sides | None) -> None:
    """Puts nan, as SciPy does, for the derivatives by differences that are not made, those of variables fixed by bounds. The
    run took 0 for them, which does not matter to it."""
    if sides is None or not isinstance(objective, _loa.Objective) or not objective.by_differences:
        return
    fixed = sides[0] == sides[1]
    result["jac"][fixed] = math.nan
    if result["bounds"] is not None:
        result["bounds"]["multipliers"][fixed] = math.nan


def _used_hessians(algorithm: _loa.AlgorithmMaker, line_search: str | None, hess: Any, hessp: Any) -> tuple[Any, Any]:
    """hess and hessp where something uses them; None, after a warning, where nothing does."""
    exact = (line_search or algorithm.line_search) == "exact"
    if hess is not None and not (algorithm.needs_hessian or exact):
        text = f"algorithm {algorithm.name} does not use Hessian information (hess)"
        warnings.warn(text, RuntimeWarning, stacklevel=callers_level())
        hess = None
    if hessp is not None and not exact:
        text = f"algorithm {algorithm.name} does not use Hessian-vector products (hessp); line_search='exact' does"
        warnings.warn(text, RuntimeWarning, stacklevel=callers_level())
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
        if is_tree(source["x"]):
            raise TypeError("warm: expected the result of a run on a vector, found one on a pytree")
        return _loa.WarmStart(source["state"]).at(source["x"])
    raise TypeError(f"warm: expected a Result, a State, a WarmStart or a file, found {type(source).__name__}")


def _product(hess_inv0: Any, n: int) -> Callable[[np.ndarray], Any]:
    """hess_inv0 as a function v -> H v."""
    if callable(hess_inv0):
        product: Callable[[np.ndarray], Any] = hess_inv0
        return product
    matrix = np.asarray(hess_inv0)
    expected = f"hess_inv0: expected a callable or a symmetric array of shape {(n, n)}"
    if matrix.dtype.kind not in "biuf":
        raise TypeError(f"{expected}, found {matrix.dtype}")
    matrix = matrix.astype(float)
    if matrix.shape != (n, n):
        raise ValueError(f"{expected}, found one of shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        raise ValueError(f"{expected} of finite numbers, found nan or infinity in it")
    if not (matrix == matrix.T).all():
        raise ValueError(f"{expected}, found one that is not symmetric: it differs from its transpose by up to "
                         f"{np.abs(matrix - matrix.T).max():.3g}")  # fmt: skip
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        raise ValueError("hess_inv0: expected a positive definite array. 'hess_inv0' matrix isn't positive definite.") from None
    return matrix.dot


def run(
    objective: Any,
    x0: Any,
    algorithm: _loa.AlgorithmMaker,
    line_search: str | None,
    options: Mapping[str, Any],
    conventions: _conventions.Conventions,
    callback: Any,
    state: _loa.State | None,
    price: Price = Price(),
    sides: Sides | None = None,
    warm: _loa.WarmStart | None = None,
) -> Result:
    """One run with everything in the form that C++ takes, options of the core by name, those of SciPy in `conventions`.
    `sides`: the bounds."""
    n = len(x0) if state is None else state.n
    name = algorithm.name
    algorithm, line_search = conventions.search(algorithm, line_search)
    chosen: Any = run_options(options, line_search, price.first, _conventions.OPTIONS)
    if conventions.verbose:
        chosen._set_progress(print_line)
    if warm is not None:
        chosen._set_warm(warm)
    if conventions.hess_inv0 is not None:
        chosen._set_initial_inverse_hessian(_product(conventions.hess_inv0, n))
    if conventions.return_all and state is None:
        conventions.allvecs.append(x0.copy())
    if isinstance(objective, _loa.Objective):
        objective.precision = conventions.precision
    if price.refined > price.first and chosen.max_evaluations < NO_LIMIT:
        conventions.max_calls = chosen.max_evaluations * price.first
    observer = conventions.observer(callback, price, sides)
    summary = _loa.minimize(objective, x0, algorithm, chosen, observer, state, *(sides or (None, None)))
    result = make_result(summary, name, price)
    hide_unknown(result, objective, sides)
    conventions.finish(result)
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
                verbose (a line for each iteration),
                eps (the step of differences), and what SciPy's methods call by other names or have beside: docs/python.md.
    callback    callback(xk), or callback(intermediate_result=...), after each iteration; StopIteration ends the run.
                intermediate_result.save(path) writes the state, from which a killed run goes on, and
                intermediate_result.state is a copy of it: loa.minimize(fun, state=loa.State.load(path), ...).
    tol         the same as options={"gtol": tol}. As in SciPy, None stands for the default, here and in options.
    hess, hessp hess(x, *args) for `newton`, hessp(x, v, *args) for the line search `exact`.
    model       an object with predict(input) in place of the algorithm's own model.
    bounds      a pair (lower, upper) for each variable, None or an infinity where there is none, or scipy.optimize.Bounds.
                fun is not called outside, not by differences either; a start outside is moved inside. result.bounds has
                the active set and the multipliers. For auto, bfgs+d, bfgs+, sr1+, loa, bfgs, l-bfgs+d, l-bfgs+,
                l-bfgs.
    state       of an earlier result: the run goes on from there, bit for bit. In place of x0, which must be None; or a
                pytree, of which the form alone is used.
    warm        what a run on a problem like this one knew: its result, its state, a file of that, or a loa.WarmStart.
                The run begins at that point with that inverse Hessian, and cold at x0 (None: the same point) where that
                leads nowhere: fallbacks["warm"] counts it. A result of more than one such run is a loa.Series.
    hess_inv0   an initial metric: a symmetric positive definite array, or a callable v -> H v. B begins as a multiple
                of it. SciPy's way, options={"hess_inv0": ...}, is understood.

    The gradient, and any exception of fun, come out as they are. A numerical outcome is never an exception: see
    result.success, result.message and result.status_name.
    """
    if warm is not None and state is not None:
        raise TypeError("warm: expected None beside state, found both")
    line_search = search_name(line_search)
    check_state(state)
    tree = Tree(x0) if is_tree(x0) else None
    options = dict(options or {})
    if tree is not None:
        given = {"bounds": bounds, "warm": warm, "hess_inv0": hess_inv0, "hess": hess, "hessp": hessp}
        refuse_beside_tree({**given, "options: hess_inv0": options.get("hess_inv0")})
    if hess_inv0 is not None:
        options["hess_inv0"] = hess_inv0
    warm = None if warm is None else warm_start(warm)
    if x0 is None and warm is not None:
        x0 = warm.x
    if x0 is None and state is None:
        raise TypeError("x0: expected a start or a state to go on from, found neither")
    if tree is not None:
        more = (algorithm, weights, line_search, options, callback, tol)
        return _minimize_tree(tree, fun, x0, args, jac, *more, model=model, state=state)
    if x0 is not None and state is not None:
        raise TypeError("x0: expected None beside state, which has its own point, found both")
    start = None if x0 is None else start_array(x0)
    n = start.size if start is not None else state.n  # type: ignore[union-attr]
    sides = bound_arrays(bounds, n)
    if sides is None and isinstance(fun, _loa.Problem):
        sides = own_bounds(fun)
    maker = as_algorithm(resolved(algorithm, n, state, options, model, sides), weights, model).make()
    hess, hessp = _used_hessians(maker, line_search, hess, hessp)
    rest, conventions = _conventions.take(options, tol)
    if isinstance(fun, _loa.Problem):
        if jac is not None:
            raise TypeError("jac: expected None, because the problem has a gradient")
        return run(fun, start, maker, line_search, rest, conventions, callback, state, sides=sides, warm=warm)
    if maker.needs_hessian and hess is None and not hasattr(fun, "hessian"):
        raise ValueError(f"{maker.name}: expected hess, found none")
    if jac == "cs" or conventions.wants_differences_in_python and (jac is None or jac in _RULES):
        with as_map(1 if conventions.workers is None else conventions.workers) as workers:
            args = args if isinstance(args, tuple) else (args,)
            rule = jac if jac in RULES else "2-point"
            eps = step_sizes("eps", conventions.eps, n)
            rel_step = step_sizes("finite_diff_rel_step", conventions.finite_diff_rel_step, n)
            differences = Differences(fun, args, rule, eps, rel_step, workers, sides)
            objective = make_objective(differences, None, (), hess, hessp)
            objective.by_differences = True
            price = Price(differences.calls(n, False), differences.calls(n, True))
            if jac in (None, False):
                objective.gradient_error = differences
            return run(objective, start, maker, line_search, rest, conventions, callback, state, price, sides, warm)
    has_gradient = callable(jac) or jac is True or hasattr(fun, "value_and_gradient")
    # Beside a gradient it is ignored, as in SciPy.
    step = 0.0 if has_gradient or conventions.eps is None else real("eps", conventions.eps)
    objective = make_objective(fun, jac, args, hess, hessp, step)
    if sides is not None:
        objective.set_bounds(*sides)
    price = price_of(objective, n)
    return run(objective, start, maker, line_search, rest, conventions, callback, state, price, sides, warm)


def refuse_beside_tree(given: Mapping[str, Any]) -> None:
    """What has no form yet where x0 is a pytree."""
    for name, value in given.items():
        if value is not None:
            raise TypeError(f"{name}: expected None where x0 is a pytree, found {type(value).__name__}")


def check_state(state: Any) -> None:
    if state is not None and not isinstance(state, _loa.State):
        found = type(state).__name__
        raise TypeError(f"state: expected a loa.State, such as result.state or loa.State.load(path), found {found}")


def _minimize_tree(tree: Tree, fun: Any, x0: Any, args: Any, jac: Any, *more: Any, model: Any, state: Any) -> Result:
    """minimize() where x0 is a pytree: the same with its numbers in one vector."""
    if state is not None and state.n != tree.size:
        raise ValueError(f"x0: expected a pytree of {state.n} numbers, as the state has, found one of {tree.size}")
    algorithm, weights, line_search, options, callback, tol = more
    if hasattr(fun, "value_and_gradient") and jac is None:
        fun, jac = fun.value_and_gradient, True
    of_vector = tree.value_and_gradient(fun) if jac is True else tree.value(fun)
    if callback is not None:
        callback = tree.callback(callback, _conventions.takes_result(callback))
    result = minimize(
        of_vector,
        tree.flatten(x0) if state is None else None,
        args,
        tree.gradient(jac) if callable(jac) else jac,
        algorithm,
        weights,
        line_search,
        options,
        callback,
        tol,
        model=model,
        state=state,
    )
    for name in ("x", "jac"):
        result[name] = tree.unflatten(result[name])
    if "allvecs" in result:
        result["allvecs"] = [tree.unflatten(x) for x in result["allvecs"]]
    return result


def _given(constraint: Any) -> bool:
    return constraint is not None and (not hasattr(constraint, "__len__") or len(constraint) > 0)


class Method:
    """An algorithm in the form that scipy.optimize.minimize(method=...) takes. Pickles where its weights and model do."""

    def __init__(self, algorithm: str | Algorithm, weights: Any, line_search: str | None, model: Any):
        self.algorithm = algorithm
        self.weights = weights
        self.line_search = line_search
        self.model = model
        name = algorithm.name if isinstance(algorithm, Algorithm) else algorithm
        self.__name__ = f"loa_{name.replace('-', '_').replace('/', '_')}"
        self.__doc__ = f"{name} of loa, as a method of scipy.optimize.minimize."

    def __call__(
        self,
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
            raise ValueError(f"{self.__name__}: expected no constraints, found some: it minimizes without them")
        result = minimize(
            fun,
            x0,
            args,
            jac,
            self.algorithm,
            self.weights,
            self.line_search,
            _conventions.known(options),
            callback,
            tol,
            hess=hess,
            hessp=hessp,
            model=self.model,
            bounds=bounds,
        )
        sides = None if bounds is None else bound_arrays(bounds, result["jac"].size)
        return _conventions.as_scipy_says(result, sides)

    def __repr__(self) -> str:
        return f"<{self.__name__}, a method for scipy.optimize.minimize>"


def method(
    algorithm: str | Algorithm = "auto",
    weights: str | _loa.Weights | None = None,
    line_search: str | None = None,
    *,
    model: Any = None,
) -> Method:
    """An algorithm for scipy.optimize.minimize(fun, x0, method=loa.method()); the default is that of loa.minimize."""
    if not isinstance(algorithm, str) or algorithm.lower() != "auto":
        as_algorithm(algorithm, weights, model).make()  # complains
    return Method(algorithm, weights, search_name(line_search), model)
