"""Gradients by differences with what SciPy offers beside plain steps: steps for each variable, relative steps, complex
steps, and evaluations side by side."""

from __future__ import annotations

import math
import multiprocessing
import numbers
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from loa._typing import Sides, Vector

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
    is_number = isinstance(workers, numbers.Real) and math.isfinite(workers)
    count = (os.cpu_count() or 1) if workers == -1 else int(workers) if is_number else 0
    if count < 1 or count != workers and workers != -1:
        raise ValueError(f"workers: expected a map-like callable or a number of at least 1, or -1, found {workers!r}")
    if count == 1:
        yield map
        return
    with multiprocessing.Pool(count) as pool:
        yield pool.map


def number(value: Any) -> float:
    """A value of fun, which may be an array that holds one number."""
    if isinstance(value, (tuple, list)) and len(value) == 2:
        raise ValueError(
            "fun: expected one number, found two values; did you mean jac=True? "
            "The user-provided objective function must return a scalar value."
        )
    array = np.asarray(value)
    if array.dtype.kind in "SU":
        raise TypeError("fun: expected numbers, found text")
    if array.size != 1:
        raise ValueError(
            f"fun: expected one number, found shape {array.shape}. "
            "The user-provided objective function must return a scalar value."
        )
    return float(array.reshape(()))


def step_sizes(name: str, given: Any, n: int) -> Vector | None:
    """The steps that an option gives, one for all variables or one for each."""
    if given is None:
        return None
    sizes = np.asarray(given)
    if sizes.dtype.kind not in "biuf":
        raise TypeError(f"{name}: expected a number or one for each variable, found {given!r}")
    if sizes.size != 1 and sizes.shape != (n,):
        raise ValueError(f"{name}: expected a number or one for each of {n} variables, found shape {sizes.shape}")
    return sizes.astype(float)


class Differences:
    """value_and_gradient(x) from values of fun. With plain steps the bits are those of the differences in C++.

    With bounds fun is called inside alone, by the rule of C++: where a bound is in the way differences are taken to the
    other side, central ones by f at x, x + h and x + 2h; where both bounds are nearer than a step, to the farther one. A
    fixed variable has the derivative 0, without a call. Complex steps leave the real part where it is.
    """

    def __init__(
        self,
        fun: Callable[..., Any],
        args: tuple[Any, ...],
        rule: str,
        eps: Vector | None,
        rel_step: Vector | None,
        workers: Map,
        sides: Sides | None = None,
    ):
        self.fun = WithArgs(fun, args)
        self.rule = rule
        self.eps = eps
        self.rel_step = rel_step
        self.workers = workers
        no_bounds: Sides = np.full(1, -np.inf), np.full(1, np.inf)
        self.lower: Vector
        self.upper: Vector
        self.lower, self.upper = no_bounds if sides is None else sides

    def calls(self, n: int, is_refined: bool) -> int:
        """Calls of fun for a value and a gradient, before and after refine()."""
        num_free = n - int(np.count_nonzero(self.lower == self.upper))
        return 2 * num_free + 1 if self.rule == "3-point" or is_refined else num_free + 1

    def bound(self, x: Vector, f: float, curvature: float) -> float:
        """About how large the error of a coordinate of the gradient is; include/loa/differences.h has the formula."""
        size, h = np.maximum(1.0, np.abs(x)), np.abs(self.steps(x))
        rounding = EPSILON * abs(f) / h
        central = h * h * curvature / (6.0 * size) + rounding
        return float(np.max(central if self.rule == "3-point" else 0.5 * h * curvature + 2.0 * rounding, initial=0.0))

    def refine(self) -> bool:
        """Central differences from here on. Whether they were forward ones."""
        was_forward = self.rule == "2-point"
        self.rule = "3-point"
        return was_forward

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

    def _are_inside(self, x: Vector) -> npt.NDArray[np.bool_]:
        return (x >= self.lower) & (x <= self.upper)

    def _values(self, x: Vector, *columns: Vector) -> list[Vector]:
        """Of f where each free coordinate alone is moved to its place in a column; 0 for the others."""
        (free,) = np.nonzero(np.broadcast_to(self.lower != self.upper, x.shape))
        points = []
        for column in columns:
            moved = np.tile(x, (free.size, 1))
            moved[np.arange(free.size), free] = column[free]
            points += [*moved]
        found = [number(value) for value in self.workers(self.fun, points)]
        values = np.zeros((len(columns), x.size))
        values[:, free] = np.array(found).reshape(len(columns), free.size)
        return [*values]

    def value_and_gradient(self, x: Vector) -> tuple[float, Vector]:
        step = self.steps(x)
        f = number(self.fun(x))
        if self.rule == "cs":
            return f, self._by_complex_steps(x, np.abs(step))
        central = self.rule == "3-point"
        reach = 2.0 if central else 1.0
        far = x + reach * step
        far = np.where(self._are_inside(far), far, x - reach * step)
        farther = np.where(self.upper - x >= x - self.lower, self.upper, self.lower)
        far = np.where(self._are_inside(far), far, farther)
        fixed = far == x
        with np.errstate(divide="ignore", invalid="ignore"):  # where another of the rules is used
            if not central:
                (f_far,) = self._values(x, far)
                return f, np.where(fixed, 0.0, (f_far - f) / (far - x))
            right, left = x + step, x - step
            both = self._are_inside(right) & self._are_inside(left)
            near = np.clip(x + 0.5 * (far - x), self.lower, self.upper)
            f_a, f_b = self._values(x, np.where(both, right, near), np.where(both, left, far))
            h, whole = near - x, far - x
            # The derivative at x of the parabola through the three points.
            one_sided = ((f_a - f) / h * whole - (f_b - f) / whole * h) / (whole - h)
            one_sided = np.where((h == 0.0) | (near == far), (f_b - f) / whole, one_sided)
            one_sided = np.where(fixed, 0.0, one_sided)
            return f, np.where(both, (f_a - f_b) / (right - left), one_sided)

    def _by_complex_steps(self, x: Vector, size: Vector) -> Vector:
        gradient = np.zeros(x.size)
        (free,) = np.nonzero(np.broadcast_to(self.lower != self.upper, x.shape))
        points = list((x + 1j * np.diag(size))[free])
        gradient[free] = [np.imag(value).item() for value in self.workers(self.fun, points)]
        return gradient / size
