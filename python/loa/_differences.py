"""Gradients by differences with what SciPy offers beside plain steps: steps for each variable, relative steps, complex
steps, and evaluations side by side."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from loa._typing import Vector

EPSILON = float(np.finfo(float).eps)
RULES = ("2-point", "3-point", "cs")
Map = Callable[[Callable[[Any], Any], Iterable[Any]], Iterable[Any]]


class WithArgs:
    """fun(x, *args) as a function of x, which can be sent to another process where fun and args can."""

    def __init__(self, fun: Callable[..., Any], args: tuple[Any, ...]):
        self.fun = fun
        self.args = args

    def __call__(self, x: Vector) -> Any:
        return self.fun(x, *self.args)


@contextmanager
def as_map(workers: Any) -> Iterator[Map]:
    """A map-like callable; of a number of processes, a pool that ends with the context. -1: as many as there are cores."""
    if callable(workers):
        yield workers
        return
    count = (os.cpu_count() or 1) if workers == -1 else int(workers)
    if count < 1 or count != workers and workers != -1:
        raise ValueError(f"workers: expected a map-like callable or a number of at least 1, or -1, found {workers!r}")
    if count == 1:
        yield map
        return
    with multiprocessing.Pool(count) as pool:
        yield pool.map


def number(value: Any) -> float:
    """A value of fun, which may be an array that holds one number."""
    array = np.asarray(value)
    if array.size != 1:
        raise ValueError(
            f"fun: expected one number, found shape {array.shape}. "
            "The user-provided objective function must return a scalar value."
        )
    return float(array.reshape(()))


class Differences:
    """value_and_gradient(x) from values of fun. With plain steps the bits are those of the differences in C++."""

    def __init__(self, fun: Callable[..., Any], args: tuple[Any, ...], rule: str, eps: Any, rel_step: Any, workers: Map):
        self.fun = WithArgs(fun, args)
        self.rule = rule
        self.eps = None if eps is None else np.asarray(eps, dtype=float)
        self.rel_step = None if rel_step is None else np.asarray(rel_step, dtype=float)
        self.workers = workers

    def calls(self, n: int) -> int:
        """Calls of fun for a value and a gradient."""
        return 2 * n + 1 if self.rule == "3-point" else n + 1

    def steps(self, x: Vector) -> Vector:
        relative = np.cbrt(EPSILON) if self.rule == "3-point" else np.sqrt(EPSILON)
        sign = np.where(x < 0.0, -1.0, 1.0)
        usual: Vector = sign * (relative * np.maximum(1.0, np.abs(x)))
        if self.rel_step is not None:
            step = self.rel_step * sign * np.abs(x)
        elif self.eps is not None:
            step = sign * self.eps
        else:
            return usual
        chosen: Vector = np.where((x + step) - x == 0.0, usual, step)
        return chosen

    def value_and_gradient(self, x: Vector) -> tuple[float, Vector]:
        n = x.size
        step = self.steps(x)
        f = number(self.fun(x))
        if self.rule == "cs":
            complex_points = list(x + 1j * np.diag(np.abs(step)))
            values = np.array([np.imag(value).item() for value in self.workers(self.fun, complex_points)])
            return f, values / np.abs(step)
        right, left = np.tile(x, (n, 1)), np.tile(x, (n, 1))
        np.fill_diagonal(right, x + step)
        points: list[Vector] = [*right]
        if self.rule == "3-point":
            np.fill_diagonal(left, x - step)
            points += [*left]
        values = np.array([number(value) for value in self.workers(self.fun, points)])
        f_left = values[n:] if self.rule == "3-point" else f
        return f, (values[:n] - f_left) / (np.diag(right) - np.diag(left))
