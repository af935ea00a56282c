"""theta on disk: safetensors files, which the package `safetensors` reads and writes as well."""

from __future__ import annotations

from pathlib import Path

from loa import _html, _loa


def load_weights(name_or_path: str | Path) -> _loa.Weights:
    """Weights that are compiled in, by name, or from a file."""
    return _loa.load_weights(str(name_or_path))


def save_weights(weights: _loa.Weights, path: str | Path) -> None:
    """Writes a safetensors file."""
    _loa.save_weights(weights, str(path))


def _html_of(weights: _loa.Weights) -> str:
    tensors = [(name, " x ".join(map(str, array.shape))) for name, array in weights.tensors.items()]
    return _html.table(("tensor", "shape"), tensors) + _html.table(("key", "value"), weights.metadata.items())


_loa.Weights._repr_html_ = _html_of  # type: ignore[attr-defined]
_loa.Weights.__repr__ = lambda w: f"<loa.Weights of {w.algorithm}, {w.theta.size} parameters>"  # type: ignore
