"""Pytrees: dicts, lists and tuples, nested, of arrays; with jax, whatever it knows as a pytree. As one vector and back."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from loa._typing import Array, Vector

Path = tuple[Any, ...]
EPSILON = float(np.finfo(float).eps)


def _is_array(leaf: Any) -> bool:
    return getattr(leaf, "ndim", 0) > 0


def _is_registered(x: Any) -> bool:
    """Whether jax knows it as a pytree: without jax nothing of the kind exists."""
    jax = sys.modules.get("jax")
    return jax is not None and not jax.tree_util.all_leaves([x])


def _holds_arrays(x: Any) -> bool:
    if isinstance(x, dict):
        return True
    if isinstance(x, (list, tuple)):
        return any(_is_array(part) or _holds_arrays(part) for part in x)
    return not _is_array(x) and _is_registered(x)


def is_tree(x: Any) -> bool:
    """A dict; a list or tuple with an array or a dict somewhere inside; an object that jax knows as a pytree. A list of
    numbers is a vector, as in SciPy."""
    return x is not None and not _is_array(x) and _holds_arrays(x)


def _maker(leaf: Any, where: str) -> Callable[[Vector], Any]:
    """From numbers to what has the shape, the type and the device of the leaf."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(leaf, torch.Tensor):
        return lambda part: torch.from_numpy(part.reshape(leaf.shape)).to(leaf.device, leaf.dtype)
    array = np.asarray(leaf)
    shape = array.shape
    if array.dtype.kind not in "biuf" and array.dtype.name != "bfloat16":
        raise TypeError(f"x0{where}: expected real numbers, found {array.dtype}")
    dtype = array.dtype if array.dtype.kind not in "biu" else np.dtype(float)
    jax = sys.modules.get("jax")
    if jax is not None and isinstance(leaf, jax.Array):
        return lambda part: jax.numpy.asarray(part.reshape(shape), dtype=dtype)
    if isinstance(leaf, (int, float)):
        return lambda part: float(part[0])
    return lambda part: part.reshape(shape).astype(dtype)


def _epsilon(leaf: Any) -> float:
    """The precision of the type of a leaf; that of a double where the type is not one of numbers with a point."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(leaf, torch.Tensor):
        return float(torch.finfo(leaf.dtype).eps) if leaf.is_floating_point() else EPSILON
    dtype = np.asarray(leaf).dtype
    if dtype.name == "bfloat16":
        return 2.0**-7
    return float(np.finfo(dtype).eps) if dtype.kind == "f" else EPSILON


def numbers_of(x: Any) -> Array:
    """An array of what NumPy understands, or of a tensor; bfloat16, which has no kind of its own, in doubles."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(x, torch.Tensor):
        x = x.detach().cpu()
        x = x if x.is_complex() else x.double()
        x = x.numpy()
    array = np.asarray(x)
    return array.astype(float) if array.dtype.name == "bfloat16" else array


def _numbers(leaf: Any) -> Vector:
    return numbers_of(leaf).astype(float)


class Tree:
    """The structure of a tree of arrays, with places for the leaves in one vector."""

    def __init__(self, tree: Any):
        self._leaves: list[tuple[Path, tuple[int, ...], Callable[[Vector], Any], int, int]] = []
        self._size = 0
        self.epsilon = EPSILON  # of the least precise leaf
        self._jax_structure: Any = None
        if not isinstance(tree, (dict, list, tuple)) or self._has_registered(tree):
            jax = sys.modules["jax"]
            leaves, self._jax_structure = jax.tree_util.tree_flatten(tree)
            tree = leaves
        self._shape = self._walk(tree, ())

    def _has_registered(self, x: Any) -> bool:
        if isinstance(x, dict):
            return type(x) is not dict and _is_registered(x) or any(map(self._has_registered, x.values()))
        if isinstance(x, (list, tuple)):
            return any(map(self._has_registered, x))
        return x is not None and not _is_array(x) and _is_registered(x)

    def _walk(self, x: Any, path: Path) -> Callable[[Vector], Any]:
        """Notes the leaves below `path`, and returns what makes this part of the tree from a vector."""
        if x is None:
            return lambda vector: None
        if isinstance(x, dict):
            parts = {key: self._walk(part, (*path, key)) for key, part in x.items()}
            return lambda vector: {key: part(vector) for key, part in parts.items()}
        if isinstance(x, (list, tuple)):
            items = [self._walk(part, (*path, i)) for i, part in enumerate(x)]
            kind = type(x)
            if hasattr(x, "_fields"):  # a named tuple
                return lambda vector: kind(*(item(vector) for item in items))
            return lambda vector: kind(item(vector) for item in items)
        make = _maker(x, self._name(path))
        self.epsilon = max(self.epsilon, _epsilon(x))
        begin, end = self._size, self._size + int(np.prod(np.shape(x)))
        self._size = end
        self._leaves.append((path, tuple(np.shape(x)), make, begin, end))
        return lambda vector: make(vector[begin:end])

    @staticmethod
    def _name(path: Path) -> str:
        return "".join(f"[{key!r}]" for key in path)

    @property
    def size(self) -> int:
        return self._size

    def unflatten(self, vector: Vector) -> Any:
        """The tree with the numbers of a vector, in memory of its own."""
        tree = self._shape(np.array(vector))
        if self._jax_structure is None:
            return tree
        return sys.modules["jax"].tree_util.tree_unflatten(self._jax_structure, tree)

    def flatten(self, tree: Any, what: str = "x0") -> Vector:
        """The numbers of a tree of the same structure, by keys: the order of a dict does not matter."""
        if self._jax_structure is not None:
            found = sys.modules["jax"].tree_util.tree_structure(tree)
            if found != self._jax_structure:
                raise ValueError(f"{what}: expected the structure {self._jax_structure}, found {found}")
            tree = sys.modules["jax"].tree_util.tree_leaves(tree)
        vector = np.empty(self._size)
        for path, shape, _, begin, end in self._leaves:
            leaf = tree
            try:
                for key in path:
                    leaf = leaf[key]
            except (KeyError, IndexError, TypeError):
                raise ValueError(f"{what}: expected the structure of x0, found nothing at {self._name(path)}") from None
            numbers = _numbers(leaf)
            if numbers.shape != shape:
                raise ValueError(f"{what}{self._name(path)}: expected shape {shape}, found {numbers.shape}")
            vector[begin:end] = numbers.reshape(-1)
        return vector

    # --- callables of the tree as callables of the vector --------------------------------------------------------------

    def value(self, fun: Callable[..., Any]) -> Callable[..., Any]:
        return lambda x, *args: fun(self.unflatten(x), *args)

    def gradient(self, jac: Callable[..., Any]) -> Callable[..., Vector]:
        return lambda x, *args: self.flatten(jac(self.unflatten(x), *args), "jac")

    def value_and_gradient(self, fun: Callable[..., Any]) -> Callable[..., tuple[Any, Vector]]:
        def both(x: Vector, *args: Any) -> tuple[Any, Vector]:
            pair = fun(self.unflatten(x), *args)
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise TypeError(f"fun: expected a tuple (value, gradient), found {type(pair).__name__}")
            return pair[0], self.flatten(pair[1], "gradient")

        return both

    def callback(self, callback: Callable[..., Any], takes_result: bool) -> Callable[..., Any]:
        return with_form(callback, takes_result, self.unflatten)


def with_form(callback: Callable[..., Any], takes_result: bool, form: Callable[[Vector], Any]) -> Callable[..., Any]:
    """A callback of vectors from one of what `form` makes of vectors."""
    if not takes_result:
        return lambda x: callback(form(x))

    def with_result(*, intermediate_result: Any) -> Any:
        intermediate_result["x"] = form(intermediate_result["x"])
        intermediate_result["jac"] = form(intermediate_result["jac"])
        return callback(intermediate_result=intermediate_result)

    return with_result
