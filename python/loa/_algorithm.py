"""Algorithms with a model of one's own."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from loa import _loa
from loa._typing import Sides


@dataclass(frozen=True)
class Input:
    """I_k, what a model sees. All arrays have length n and are the model's own to keep.

    `vectors` transform like x and `covectors` like the gradient. For the quasi-Newton algorithms they are
    (B dg, d, -gamma B g) and (g, dg), which have names as well.
    """

    vectors: list[np.ndarray]
    covectors: list[np.ndarray]
    features: np.ndarray  # of a learned controller, otherwise empty
    gamma: float

    @property
    def B_delta_g(self) -> np.ndarray:
        return self.vectors[0]

    @property
    def d(self) -> np.ndarray:
        return self.vectors[1]

    @property
    def minus_gamma_B_grad(self) -> np.ndarray:
        return self.vectors[2]

    @property
    def grad(self) -> np.ndarray:
        return self.covectors[0]

    @property
    def delta_g(self) -> np.ndarray:
        return self.covectors[1]

    @property
    def r(self) -> np.ndarray:
        """d - B dg: y = r is SR1, y = d is BFGS."""
        r: np.ndarray = self.d - self.B_delta_g
        return r


def _is_torch_module(model: Any) -> bool:
    torch = sys.modules.get("torch")  # a module of torch cannot exist before torch is imported
    return torch is not None and isinstance(model, torch.nn.Module)


def _torch_predict(module: Any) -> Any:
    """A torch module maps the n x 3 matrix with the columns of I_k to y, n numbers."""
    torch: Any = importlib.import_module("torch")
    dtype = next((p.dtype for p in module.parameters()), torch.float64)

    def predict(vectors: list[np.ndarray], covectors: Any, features: Any, gamma: float) -> np.ndarray:
        with torch.no_grad():
            y = module(torch.from_numpy(np.stack(vectors, axis=1)).to(dtype))
        y = y.to(torch.float64).cpu().numpy()
        flat: np.ndarray = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
        return flat

    return predict


def _theta(model: Any) -> np.ndarray:
    """What tells two models apart: a state is resumed with the same theta only."""
    if _is_torch_module(model):
        parts = [p.detach().cpu().double().numpy().ravel() for p in model.parameters()]
        return np.concatenate(parts) if parts else np.empty(0)
    return np.asarray(getattr(model, "theta", ()), dtype=float).ravel()


def callables(model: Any) -> tuple[Any, Any]:
    """predict and pullback in the form that C++ calls; pullback is None where the model has none."""
    if _is_torch_module(model):
        return _torch_predict(model), None
    if not callable(getattr(model, "predict", None)):
        raise TypeError(f"model: expected an object with a method predict(input), found {type(model).__name__}")

    def predict(vectors: Any, covectors: Any, features: Any, gamma: float) -> Any:
        return model.predict(Input(vectors, covectors, features, gamma))

    def pullback(vectors: Any, covectors: Any, features: Any, gamma: float, d_y: Any) -> Any:
        return model.pullback(Input(vectors, covectors, features, gamma), d_y)

    return predict, pullback if hasattr(model, "pullback") else None


def make_model(model: Any) -> _loa.Model:
    """From an object with `predict(input)`, and perhaps `pullback(input, d_y)` and `theta`; or a torch module."""
    return _loa.Model(*callables(model), _theta(model))


@dataclass
class Algorithm:
    """The parts of a named algorithm with another model or other weights.

    loa.Algorithm("mixed", model=Mixed(0.5))              # the parts of bfgs, y from Mixed.predict
    loa.Algorithm("mine", base="loa-bfgs", weights=w)     # w: a name, a file or loa.Weights

    `claims` say which principles it should obey, for instance {"translation": "holds"}; loa.check measures them.
    """

    name: str
    base: str = "bfgs"
    model: Any = None
    weights: str | _loa.Weights = ""
    claims: Mapping[str, str] | None = None

    def make(self) -> _loa.AlgorithmMaker:
        model = None if self.model is None else make_model(self.model)
        return _loa.AlgorithmMaker(self.base, self.weights, model, self.name)


def resolved(
    algorithm: Any,
    n: int,
    state: _loa.State | None,
    options: Mapping[str, Any],
    model: Any = None,
    sides: Sides | None = None,
) -> Any:
    """What "auto" means for n variables, or for a run that goes on from a state. A model of one's own is M of Algorithm 2:
    then it is bfgs, or l-bfgs where there is no matrix."""
    if not isinstance(algorithm, str) or algorithm.lower() != "auto":
        return algorithm
    if state is not None:
        return state.algorithm.split("/")[0]  # with a model of one's own the name goes on
    if options.get("hess_inv0") is not None:  # as in C++
        has_bounds = sides is not None and any(np.isfinite(side).any() for side in sides)
        found = "bfgs+d" if has_bounds else "l-bfgs+"
    else:
        found = _loa.algorithm_for(n, options.get("safeguard") in ("spectrum", "bounded"))
    if model is None:
        return found
    return "l-bfgs" if _is_limited_memory(found) else "bfgs"


def _is_limited_memory(name: str) -> bool:
    return any(info["limited_memory"] for info in _loa.algorithms() if info["name"] == name)


def as_algorithm(algorithm: Any, weights: Any = None, model: Any = None) -> Algorithm:
    """From a name or an Algorithm, with weights or a model."""
    if isinstance(algorithm, Algorithm):
        if weights is not None or model is not None:
            raise TypeError("expected weights and model inside loa.Algorithm, found them beside it")
        return algorithm
    if not isinstance(algorithm, str):
        raise TypeError(f"algorithm: expected a name or loa.Algorithm, found {type(algorithm).__name__}")
    algorithm = algorithm.lower()  # as SciPy's names
    weights = "" if weights is None else weights if isinstance(weights, _loa.Weights) else str(weights)
    name = algorithm if model is None else f"{algorithm}/{type(model).__name__}"
    return Algorithm(name, base=algorithm, model=model, weights=weights)
