"""loa for PyTorch: an optimizer of the parameters of modules, and minimize() for tensors.

    optimizer = loa.torch.LOA(model.parameters())
    optimizer.step(closure)                       # a run of up to max_iter iterations, as torch.optim.LBFGS does

    result = loa.torch.minimize(f, x0)            # f(x) -> a scalar tensor; x0: a tensor, or a list or dict of tensors

The loop and B are in double precision on the host. An evaluation copies x to the device once, and the gradient back once.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

try:
    torch: Any = importlib.import_module("torch")
except ImportError as error:
    raise ImportError("loa.torch: expected PyTorch, found none: pip install torch") from error

from loa import _loa
from loa._algorithm import Algorithm
from loa._conventions import takes_result
from loa._minimize import minimize as _minimize, refuse_beside_tree
from loa._result import Result
from loa._tree import Tree, with_form
from loa._typing import Vector

__all__ = ["LOA", "minimize"]

_OPTIONS = ("algorithm", "max_iter", "max_eval", "tolerance_grad", "options")


def _value(loss: Any) -> float:
    if not isinstance(loss, torch.Tensor) or loss.numel() != 1:
        raise TypeError(f"closure: expected a loss that is a tensor with one number, found {loss!r}")
    return float(loss.detach())


class _Flat:
    """Tensors of one device as one vector on the host."""

    def __init__(self, tensors: list[Any]):
        if not tensors:
            raise ValueError("params: expected some, found none")
        for tensor in tensors:
            if tensor.is_complex() or not tensor.is_floating_point():
                raise TypeError(f"params: expected real floating-point tensors, found {tensor.dtype}")
            if tensor.is_sparse:
                raise TypeError("params: expected dense tensors, found a sparse one")
        devices = {tensor.device for tensor in tensors}
        if len(devices) != 1:
            found = ", ".join(sorted(map(str, devices)))
            raise ValueError(f"params: expected all on one device, found them on {found}")
        self.tensors = tensors
        self.device = devices.pop()
        # What travels: the widest of the types, so that nothing is rounded on the way.
        self.dtype = tensors[0].dtype
        for tensor in tensors[1:]:
            self.dtype = torch.promote_types(self.dtype, tensor.dtype)

    @property
    def epsilon(self) -> float:
        return max(float(torch.finfo(tensor.dtype).eps) for tensor in self.tensors)

    def to_host(self, parts: Iterable[Any]) -> Vector:
        """One copy to the host."""
        flat = torch.cat([part.detach().reshape(-1).to(self.dtype) for part in parts])
        numbers: Vector = flat.cpu().to(torch.float64).numpy()
        return numbers

    def parts(self, x: Vector) -> list[Any]:
        """One copy to the device; views of it in the shapes of the tensors."""
        flat = torch.from_numpy(np.array(x)).to(self.dtype).to(self.device)
        pieces = flat.split([tensor.numel() for tensor in self.tensors])
        return [piece.view(tensor.shape).to(tensor.dtype) for piece, tensor in zip(pieces, self.tensors)]

    def read(self) -> Vector:
        return self.to_host(self.tensors)

    def write(self, x: Vector) -> None:
        with torch.no_grad():
            for tensor, part in zip(self.tensors, self.parts(x)):
                tensor.copy_(part)

    def gradient(self) -> Vector:
        return self.to_host(
            torch.zeros_like(tensor) if tensor.grad is None else tensor.grad.to_dense() for tensor in self.tensors
        )


class _Group(dict[str, Any]):
    """The group of parameters. A scheduler of learning rates asks it for one, and would end with KeyError: 'lr'."""

    def __missing__(self, key: str) -> Any:
        if key == "lr":
            raise TypeError("LOA: expected no scheduler of learning rates: it has none, its steps come from line searches")
        raise KeyError(key)


class LOA(torch.optim.Optimizer):  # type: ignore[misc,unused-ignore]
    """Minimizes a loss by the parameters of a module, all of them together.

    step(closure) is a run of up to max_iter iterations and max_eval evaluations (default 1.25 max_iter), and returns the loss
    that the first call of the closure has found, as torch.optim.LBFGS does. The next step goes on from there, with all that
    was learned about the curvature, as one longer run would, if the loss at the parameters is still what it was, up to
    rounding. Otherwise, where another batch of data or a change of the parameters has made a new problem of it, a new run
    begins. So use it with a closure that always evaluates the same function.

    algorithm       a name of loa.algorithms() or a loa.Algorithm; "auto": by the number of parameters.
    tolerance_grad  stop where no component of the gradient is larger.
    options         others of loa.minimize, for instance {"memory": 50, "max_seconds": 60}.

    `result` is the loa.Result of the last step.
    """

    result: Result | None = None

    def __init__(
        self,
        params: Any,
        algorithm: str | Algorithm = "auto",
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        options: Mapping[str, Any] | None = None,
    ):
        if max_iter < 1 or (max_eval is not None and max_eval < 1):
            raise ValueError(f"expected limits of at least 1, found max_iter={max_iter}, max_eval={max_eval}")
        values = (algorithm, max_iter, max_eval, tolerance_grad, dict(options or {}))
        self._state: _loa.State | None = None
        self._left: Vector | None = None  # the parameters after the last step
        super().__init__(params, dict(zip(_OPTIONS, values)))

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        if self.param_groups:
            raise ValueError("LOA: expected one group of parameters, found another: all are minimized together")
        super().add_param_group(param_group)
        self.param_groups[0] = _Group(self.param_groups[0])

    def _parameters(self) -> _Flat:
        tensors = [tensor for tensor in self.param_groups[0]["params"] if tensor.requires_grad]
        return _Flat(tensors)

    def reset(self) -> None:
        """Forgets the curvature: the next step begins a new run."""
        self._state = self._left = None

    def _goes_on(self, flat: _Flat, x: Vector, loss: float) -> bool:
        """Whether the last run can go on: its parameters are still there, and the loss is the same up to rounding, of which
        a sum on a GPU, in another order each time, has some more."""
        if self._state is None or self._left is None or x.shape != self._left.shape or not np.array_equal(x, self._left):
            return False
        return abs(loss - self._f_left) <= 1e3 * flat.epsilon * max(abs(loss), abs(self._f_left))

    _f_left: float = math.nan

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override,unused-ignore]
        """A run, see above. The closure clears the gradients, computes the loss, calls backward() and returns the loss."""
        group = self.param_groups[0]
        flat = self._parameters()

        def evaluate() -> tuple[Any, float, Vector]:
            with torch.enable_grad():
                loss = closure()
            return loss, _value(loss), flat.gradient()

        x0 = flat.read()
        first, f0, g0 = evaluate()
        state = self._state if self._goes_on(flat, x0, f0) else None
        known = [] if state is not None else [(f0, g0)]  # the first point of a new run is evaluated already

        def fun(x: Vector) -> tuple[float, Vector]:
            if known:
                return known.pop()
            flat.write(x)
            _, f, gradient = evaluate()
            return f, gradient

        options = dict(group["options"])
        max_eval = group["max_eval"] if group["max_eval"] is not None else max(1, group["max_iter"] * 5 // 4)
        before = (0, 0) if state is None else (state.iteration, state.evaluations["value"])
        options["max_iterations"] = before[0] + group["max_iter"]
        options["max_evaluations"] = before[1] + max_eval
        options.setdefault("gtol", group["tolerance_grad"])
        options.setdefault("precision", flat.epsilon)
        start = x0 if state is None else None
        try:
            result = _minimize(fun, start, jac=True, algorithm=group["algorithm"], options=options, state=state)
        except BaseException:
            flat.write(x0)
            raise
        flat.write(result.x)
        self.result = result
        self._state = result.state
        self._left = flat.read()
        self._f_left = result.fun
        return first

    # --- saving --------------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """With the state of the run, as the bytes of a state file: torch.load(weights_only=True) reads it."""
        content: dict[str, Any] = super().state_dict()
        content["loa"] = {"state": None, "left": None, "f": self._f_left}
        if self._state is not None:
            content["loa"]["state"] = torch.frombuffer(bytearray(self._state.to_bytes()), dtype=torch.uint8)
            content["loa"]["left"] = torch.from_numpy(np.array(self._left))
        return content

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        own = state_dict.get("loa")
        if own is None:
            raise ValueError("state_dict: expected that of loa.torch.LOA, found one of another optimizer")
        super().load_state_dict({key: value for key, value in state_dict.items() if key != "loa"})
        self.reset()
        self.result = None
        if own["state"] is not None:
            self._state = _loa.State.from_bytes(own["state"].cpu().numpy().tobytes())
            self._left = own["left"].cpu().numpy()
            self._f_left = float(own["f"])

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # from load_state_dict too
        self.param_groups[0] = _Group(self.param_groups[0])

    def __getstate__(self) -> dict[str, Any]:
        content: dict[str, Any] = super().__getstate__()
        for name in ("_state", "_left", "_f_left", "result"):
            content[name] = getattr(self, name)
        return content


def minimize(
    f: Callable[..., Any],
    x0: Any,
    algorithm: str | Algorithm = "auto",
    options: Mapping[str, Any] | None = None,
    tol: float | None = None,
    callback: Callable[..., Any] | None = None,
    **keywords: Any,
) -> Result:
    """Minimizes f(x), a scalar tensor, by its gradient from autograd.

    x0 is a tensor of any shape, or a list, tuple or dict of tensors, nested; f is called with the same, of the same types and
    on the same devices, and x and jac of the result have that form too. The other arguments are those of loa.minimize; bounds, warm and
    hess_inv0, where x0 is a tensor, are those of the vector of its numbers.
    """
    single = isinstance(x0, torch.Tensor)
    tree = Tree([x0] if single else x0)
    if not single:
        refuse_beside_tree({name: keywords.get(name) for name in ("bounds", "warm", "hess_inv0")})

    def with_gradient(x: Vector) -> tuple[float, Vector]:
        variables: list[Any] = []

        def variable(tensor: Any) -> Any:
            variables.append(tensor.detach().requires_grad_())
            return variables[-1]

        point = _map(variable, tree.unflatten(x))
        with torch.enable_grad():
            loss = f(point[0] if single else point)
            value = _value(loss)
            found = torch.autograd.grad(loss, variables, allow_unused=True)
        gradients = iter([torch.zeros_like(v) if g is None else g for v, g in zip(variables, found)])
        return value, tree.flatten(_map(lambda tensor: next(gradients), point), "gradient")

    def outer(vector: Vector) -> Any:
        made = tree.unflatten(vector)
        return made[0] if single else made

    start = tree.flatten([x0] if single else x0)
    options = {"precision": tree.epsilon, **(options or {})}
    result = _minimize(
        with_gradient,
        start,
        jac=True,
        algorithm=algorithm,
        options=options,
        tol=tol,
        callback=None if callback is None else with_form(callback, takes_result(callback), outer),
        **keywords,
    )
    result["x"], result["jac"] = outer(result["x"]), outer(result["jac"])
    if "allvecs" in result:
        result["allvecs"] = [outer(x) for x in result["allvecs"]]
    return result


def _map(change: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with changed tensors."""
    if isinstance(tree, dict):
        return {key: _map(change, part) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        parts = [_map(change, part) for part in tree]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return change(tree) if isinstance(tree, torch.Tensor) else tree
