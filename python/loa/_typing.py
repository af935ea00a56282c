"""Types that annotations share."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Vector: TypeAlias = npt.NDArray[np.float64]
Array: TypeAlias = npt.NDArray[Any]
Sides: TypeAlias = tuple[Vector, Vector]  # lower and upper bounds
