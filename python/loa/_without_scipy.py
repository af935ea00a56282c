"""The parts of SciPy's classes that results need, for where SciPy is not installed."""

from __future__ import annotations

from typing import Any

import numpy as np


class OptimizeResult(dict):  # type: ignore[type-arg]
    """Of the same look as SciPy's."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error

    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__

    def __dir__(self) -> list[str]:
        return list(self)

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        return "\n".join(f"{key:>{width}}: {value!r}" for key, value in self.items())


class LinearOperator:
    """Products with vectors and matrices."""

    def __init__(self, dtype: Any, shape: tuple[int, int]):
        self.dtype = dtype
        self.shape = shape

    def _matvec(self, v: Any) -> Any:
        raise NotImplementedError

    def _matmat(self, other: Any) -> Any:
        raise NotImplementedError

    def matvec(self, v: Any) -> Any:
        return self._matvec(v)

    def dot(self, other: Any) -> Any:
        other = np.asarray(other, dtype=float)
        return self.matvec(other) if other.ndim == 1 else self._matmat(other)

    __matmul__ = __call__ = dot


class OptimizeWarning(UserWarning):
    """What an unknown option is, and with disp a run without success."""
