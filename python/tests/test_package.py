"""What is installed."""

import importlib.metadata
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import loa

ROOT = Path(__file__).resolve().parents[2]


def test_versions_agree():
    assert loa.__version__ == importlib.metadata.version("loa")
    assert f'LOA_VERSION "{loa.__version__}"' in (ROOT / "include" / "loa" / "version.h").read_text()


def test_it_is_typed():
    folder = Path(loa.__file__).parent
    assert (folder / "py.typed").exists()
    stub = (folder / "_loa.pyi").read_text()
    for name in ("def minimize(", "class State:", "class Weights:", "def compare("):
        assert name in stub


def test_everything_that_is_promised_is_there():
    for name in loa.__all__:
        assert getattr(loa, name) is not None
    # The names in the documentation of minimize are those that are understood.
    options = re.search(r"options     (.*?)callback", loa.minimize.__doc__, re.S).group(1)
    for name in ("gtol", "max_evaluations", "safeguard", "memory", "eps"):
        assert name in options


def test_it_works_without_scipy_and_matplotlib():
    script = """
        import sys
        sys.modules["scipy"] = sys.modules["scipy.optimize"] = sys.modules["matplotlib"] = None
        import pickle
        import loa
        result = loa.minimize(lambda x: (x @ x, 2 * x), [1.0, 2.0], jac=True)
        assert result.success and result["fun"] == result.fun and "x" in dir(result)
        assert "Converged" in repr(result)
        assert pickle.loads(pickle.dumps(result)).message == result.message
        try:
            result.nothing
        except AttributeError:
            pass
        try:
            loa.plot
        except ImportError as error:
            assert "pip install matplotlib" in str(error)
            print("good")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True)
    assert done.stdout == "good\n", done.stderr
