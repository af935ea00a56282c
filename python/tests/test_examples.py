"""The examples, the notebook and the Python lines of the pages run."""

import json
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "python" / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, monkeypatch, tmp_path, capsys):
    if path.stem == "use_from_scipy":
        pytest.importorskip("scipy")
    if path.stem.startswith("torch_"):
        pytest.importorskip("torch")
        monkeypatch.syspath_prepend(path.parent)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(path)])
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out


def test_notebook(capsys):
    pytest.importorskip("matplotlib")
    notebook = json.loads((ROOT / "python" / "examples" / "tour.ipynb").read_text())
    namespace = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), cell["id"], "exec"), namespace)
    assert namespace["result"].success and namespace["training"].best_loss > 0


def python_blocks(page):
    """The blocks of a page, each with what the page says that it prints, or None."""
    pattern = r"^```python\n(.*?)^```$(?:\n+prints\n+```\n(.*?)^```$)?"
    return [(code, shown or None) for code, shown in re.findall(pattern, (ROOT / page).read_text(), re.S | re.M)]


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/tutorial.md"])
def test_the_lines_of_a_page(page, monkeypatch, tmp_path, capsys):
    """All blocks of a page, one after the other in one namespace, as a reader would type them."""
    pytest.importorskip("scipy")
    monkeypatch.chdir(tmp_path)
    blocks = python_blocks(page)
    assert blocks
    namespace = {}
    for number, (code, shown) in enumerate(blocks):
        capsys.readouterr()
        exec(compile(code, f"{page}, block {number}", "exec"), namespace)
        if shown is not None:
            assert capsys.readouterr().out == shown
