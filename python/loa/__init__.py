"""loa: minimize smooth functions with classical and learned optimization algorithms.

    import loa
    result = loa.minimize(fun, x0, jac=True)

`minimize` is called like scipy.optimize.minimize and returns the same kind of result; `method` makes an algorithm that
scipy.optimize.minimize itself accepts. `solve`, `compare`, `check` and `train` do what the program's commands of the
same names do.
"""

from loa import _loa

_loa.import_numpy()

from loa._algorithm import Algorithm, Input
from loa._batch import BatchResult, minimize_batch
from loa._check import Check, GradientCheck, check, check_gradient
from loa._compare import Comparison, compare
from loa._loa import Certificate, Problem, State, WarmStart, Weights, num_threads, set_num_threads
from loa._loa import version as __version__
from loa._minimize import Method, method, minimize
from loa._own import certify
from loa._problem import NamedObjective, problem, solve
from loa._registry import algorithms, line_searches, problem_sets, problems, weights
from loa._result import InverseHessian, Result
from loa._series import Series
from loa._train import Training, evaluate_weights, train
from loa._weights import load_weights, save_weights

__all__ = [
    "Algorithm",
    "BatchResult",
    "Certificate",
    "Check",
    "Comparison",
    "GradientCheck",
    "Input",
    "InverseHessian",
    "Method",
    "NamedObjective",
    "Problem",
    "Result",
    "Series",
    "State",
    "Training",
    "WarmStart",
    "Weights",
    "__version__",
    "algorithms",
    "certify",
    "check",
    "check_gradient",
    "compare",
    "evaluate_weights",
    "line_searches",
    "load_weights",
    "method",
    "minimize",
    "minimize_batch",
    "num_threads",
    "problem",
    "problem_sets",
    "problems",
    "save_weights",
    "set_num_threads",
    "solve",
    "train",
    "weights",
]


def __getattr__(name: str) -> object:
    # loa.plot needs matplotlib, and loa.torch PyTorch, which are optional.
    if name in ("plot", "torch"):
        import importlib

        return importlib.import_module(f"loa.{name}")
    raise AttributeError(f"module 'loa' has no attribute {name!r}")
