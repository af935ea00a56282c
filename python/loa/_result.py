"""What a run returns."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from loa import _html, _loa
from loa._typing import Array, Vector

if TYPE_CHECKING:

    class OptimizeResult(dict[str, Any]):
        """SciPy's where SciPy is installed."""

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

    class LinearOperator:
        """SciPy's where SciPy is installed."""

        shape: tuple[int, int]
        dtype: np.dtype[Any]

        def __init__(self, dtype: Any, shape: tuple[int, int]) -> None: ...
        def matvec(self, x: Any) -> Vector: ...
        def matmat(self, X: Any) -> Vector: ...
        def dot(self, x: Any) -> Any: ...
        def __matmul__(self, x: Any) -> Any: ...
        def __add__(self, x: Any) -> Any: ...
        def __call__(self, x: Any) -> Any: ...
        @property
        def T(self) -> InverseHessian: ...

else:
    try:
        from scipy.optimize import OptimizeResult
        from scipy.sparse.linalg import LinearOperator
    except ImportError:
        from loa._without_scipy import LinearOperator, OptimizeResult


class IntermediateResult(OptimizeResult):
    """What a callback sees: x, fun, jac, nit, nfev, njev, grad_inf_norm, step_size, fallbacks, seconds, and the state.

    The state is copied, or saved, only when it is asked for, which must be before the callback returns.
    """

    _running: _loa.RunningState

    def __init__(self, running: _loa.RunningState, **content: Any):
        super().__init__(**content)
        object.__setattr__(self, "_running", running)

    @property
    def state(self) -> _loa.State:
        """A copy: loa.minimize(fun, state=state, ...) goes on from there, bit for bit as if the run had not stopped."""
        return self._running.copy()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the state to a file for loa.State.load, or `loa solve --resume`; a kill meanwhile leaves the old file."""
        self._running.save(os.fspath(path))

    def __reduce__(self) -> Any:
        return OptimizeResult, (dict(self),)  # copies outlive the callback, so they have no state


TRACE = np.dtype(
    [
        ("iteration", np.int64),
        ("f", np.float64),
        ("grad_inf_norm", np.float64),
        ("step_size", np.float64),
        ("evaluations", np.int64),
        ("seconds", np.float64),
    ]
)


class InverseHessian(LinearOperator):
    """B, the approximation of the inverse Hessian at the end of a run: a scipy.sparse.linalg.LinearOperator where SciPy is
    installed, made dense only when someone looks.

    Understands B @ v, B(v), B.matvec(v), B[i, j], B.shape, B.diagonal() and B.todense(). Times a number it stays what it is,
    so that numpy.diag(s * B) are variances. To NumPy's functions, to the other operators beside an array, and where a method
    of arrays is asked for, it is the array numpy.asarray(B). Pickles with its state.
    """

    ndim = 2

    def __init__(self, state: _loa.State, factor: float = 1.0):
        super().__init__(np.dtype(np.float64), (state.n, state.n))
        self._state = state
        self._factor = factor

    def todense(self) -> Vector:
        dense = self._state.inverse_hessian()
        return dense if self._factor == 1.0 else self._factor * dense

    def diagonal(self) -> Vector:
        return np.diagonal(self.todense()).copy()

    def _matvec(self, v: Any) -> Vector:
        product = self._state.apply_inverse_hessian(np.asarray(v, dtype=float).reshape(-1))
        return product if self._factor == 1.0 else self._factor * product

    def _matmat(self, other: Any) -> Vector:
        return np.asarray(self.todense() @ other)

    def _adjoint(self) -> InverseHessian:
        return self

    _transpose = _adjoint

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        dense = self.todense()
        return dense if dtype is None else dense.astype(dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        if method == "__call__" and ufunc is np.multiply and not keywords and min(map(np.ndim, inputs)) == 0:
            first, second = inputs
            return self * (second if first is self else first)
        return getattr(ufunc, method)(*(x.todense() if isinstance(x, InverseHessian) else x for x in inputs), **keywords)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.todense(), name)

    @property
    def size(self) -> int:
        return self.shape[0] * self.shape[1]

    def __getitem__(self, key: Any) -> Any:
        return self.todense()[key]

    def __len__(self) -> int:
        return self.shape[0]

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, LinearOperator) and not isinstance(other, InverseHessian):
            return self.dot(other)
        if np.ndim(other) == 0 and np.isrealobj(other):
            return InverseHessian(self._state, self._factor * float(other))
        return self.todense() * np.asarray(other)

    __rmul__ = __mul__

    # SciPy's are made of __mul__, which is a product of elements here.
    def __matmul__(self, other: Any) -> Any:
        if np.ndim(other) == 0 and not isinstance(other, LinearOperator):
            raise ValueError("hess_inv @ x: expected a vector or a matrix, found a number; use * instead")
        return self.dot(other)

    def __rmatmul__(self, other: Any) -> Any:
        return np.asarray(other) @ self.todense()

    def __call__(self, other: Any) -> Any:
        return self.dot(other)

    def __truediv__(self, other: Any) -> Any:
        if np.ndim(other) == 0 and np.isrealobj(other):
            return InverseHessian(self._state, self._factor / float(other))
        return self.todense() / np.asarray(other)

    def __neg__(self) -> InverseHessian:
        return InverseHessian(self._state, -self._factor)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, LinearOperator) and not isinstance(other, InverseHessian):
            return super().__add__(other)
        return self.todense() + np.asarray(other)

    def __sub__(self, other: Any) -> Any:
        return self + -other

    def __rsub__(self, other: Any) -> Any:
        return -self + other

    __radd__ = __add__

    def __reduce__(self) -> Any:
        return InverseHessian, (self._state, self._factor)

    def __repr__(self) -> str:
        return f"<{self.shape[0]}x{self.shape[1]} inverse Hessian, numpy.asarray() makes it dense>"


class Result(OptimizeResult):
    """SciPy's OptimizeResult with x, fun, jac, nit, nfev, njev, nhev, status, success, message, hess_inv, and

    status_name   how the run ended, as `loa solve --json` calls it; `status` is 0 for every success
    fallbacks     how often the safeguard replaced something: model, skipped, restart, spectrum, search, warm, box
    state         to resume from: loa.minimize(fun, state=result.state, ...)
    trace         a structured array with a row for each iterate
    bounds        None, or of a run with bounds: active (-1, 0 or 1 for each variable), multipliers, num_active, num_projected
    lower         None, or x, fun and jac of a visibly lower point that a method without a decrease test has seen
    grad_inf_norm, seconds, evaluations, guarantee, algorithm
    """

    x: Any  # an array of doubles, or a pytree of arrays as x0 was
    fun: float
    jac: Any  # the gradient at x, in the form of x
    nit: int
    nfev: int
    njev: int
    nhev: int
    status: int
    status_name: str
    success: bool
    message: str
    hess_inv: InverseHessian  # where the algorithm has one
    algorithm: str
    grad_inf_norm: float
    fallbacks: dict[str, int]
    evaluations: dict[str, int]
    guarantee: dict[str, Any] | None
    lower: dict[str, Any] | None
    seconds: float
    state: _loa.State
    trace: Array
    allvecs: list[Vector]  # with return_all

    def _repr_html_(self) -> str:
        shown = ("message", "status_name", "algorithm", "fun", "grad_inf_norm", "nit", "nfev", "njev", "fallbacks",
                 "seconds")  # fmt: skip
        rows = [(key, self[key]) for key in shown if key in self]
        x = np.array2string(self["x"], threshold=10) if "x" in self else ""
        return _html.table(("", "result"), [*rows, ("x", x)])

    def __reduce__(self) -> Any:
        # hess_inv is a view of the state, which pickles as loa's state file.
        content = {key: value for key, value in self.items() if key != "hess_inv"}
        return _restored, (content,)


# The numbers of SciPy's BFGS for what is no success; 2 for all others.
STATUS = {
    "iteration_limit_reached": 1,
    "evaluation_limit_reached": 1,
    "time_limit_reached": 1,
    "start_is_not_finite": 3,
    "objective_became_not_finite": 3,
    "stopped_by_observer": 99,
}


def _restored(content: dict[str, Any]) -> Result:
    result = Result(content)
    add_hess_inv(result)
    return result


def add_hess_inv(result: Result) -> None:
    if "state" in result and result["state"].has_inverse_hessian:
        result["hess_inv"] = InverseHessian(result["state"])


class Price(NamedTuple):
    """How many calls of fun an evaluation of value and gradient costs, before and after gradients were refined."""

    first: int = 1
    refined: int = 1

    def calls(self, evaluations: Any, refined_at: int) -> Any:
        """Of so many evaluations, in a run that refined its gradients after `refined_at` of them; 0: it did not."""
        if refined_at == 0:
            return evaluations * self.first
        return evaluations * self.first + np.maximum(evaluations - refined_at, 0) * (self.refined - self.first)


def make_result(summary: dict[str, Any], algorithm: str, price: Price = Price(), has_state: bool = True) -> Result:
    """From what C++ returns."""
    evaluations = dict(summary["evaluations"])
    evaluations["value"] = int(price.calls(evaluations["value"], summary["refined_at"]))
    trace = np.frombuffer(summary["trace"], dtype=TRACE).copy()
    if price != Price():
        trace["evaluations"] = price.calls(trace["evaluations"], summary["refined_at"])
    bounds = summary["bounds"]
    if bounds is not None:
        bounds["active"] = bounds["active"].astype(int)
    result = Result(
        message=summary["message"],
        success=summary["success"],
        status=0 if summary["success"] else STATUS.get(summary["status_name"], 2),
        status_name=summary["status_name"],
        fun=summary["f"],
        x=summary["x"],
        nit=summary["iterations"],
        jac=summary["grad"],
        nfev=evaluations["value"],
        njev=evaluations["gradient"],
        nhev=evaluations["hessian"],
        grad_inf_norm=summary["grad_inf_norm"],
        algorithm=algorithm,
        fallbacks=summary["fallbacks"],
        evaluations=evaluations,
        guarantee=summary["guarantee"],
        bounds=bounds,
        lower=summary["lower"],
        seconds=summary["seconds"],
        state=summary["state"],
        trace=trace,
    )
    if not has_state:
        del result["state"]
    add_hess_inv(result)
    return result


def _state_html(state: _loa.State) -> str:
    rows = [(name, getattr(state, name)) for name in ("algorithm", "iteration", "n", "f", "step_size", "evaluations")]
    return _html.table(("", "state"), rows)


def _state_repr(state: _loa.State) -> str:
    return f"<loa.State of {state.algorithm}, n = {state.n}, iteration {state.iteration}, f = {state.f:.6g}>"


_loa.State._repr_html_ = _state_html  # type: ignore[attr-defined]
_loa.State.__repr__ = _state_repr  # type: ignore[method-assign,assignment]
