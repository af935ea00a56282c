"""What a type checker sees."""

import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("mypy")

USE = """
    import numpy as np
    import loa

    def f(x: np.ndarray) -> tuple[float, np.ndarray]:
        return float(x @ x), 2 * x

    result = loa.minimize(f, [1.0, 2.0], jac=True, options={"gtol": 1e-8})
    reveal_type(result.fun)
    reveal_type(result.nit)
    reveal_type(result.success)
    reveal_type(result.message)
    reveal_type(result.fallbacks)
    reveal_type(result.state)
    reveal_type(result.hess_inv)
    reveal_type(loa.method())
    reveal_type(loa.algorithms())
"""
REVEALED = [
    "builtins.float",
    "builtins.int",
    "builtins.bool",
    "builtins.str",
    "builtins.dict[builtins.str, builtins.int]",
    "loa._loa.State",
    "loa._result.InverseHessian",
    "loa._minimize.Method",
]


def mypy(folder, *arguments):
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder)


def test_the_package_is_strict(tmp_path):
    # loa.plot imports matplotlib, which is optional.
    (tmp_path / "mypy.ini").write_text("[mypy]\n[mypy-matplotlib.*]\nignore_missing_imports = True\n")
    done = mypy(tmp_path, "-p", "loa", "--config-file", "mypy.ini")
    assert done.returncode == 0, done.stdout


def test_results_have_types(tmp_path):
    (tmp_path / "use.py").write_text(textwrap.dedent(USE))
    done = mypy(tmp_path, "use.py")
    assert done.returncode == 0, done.stdout
    for line, expected in zip(done.stdout.splitlines(), REVEALED):
        assert f'Revealed type is "{expected}"'.replace("builtins.", "") in line.replace("builtins.", "")
