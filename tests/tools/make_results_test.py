#!/usr/bin/env python3
"""tools/make_results finds what it is there for.

Would catch: a page that shows an edited table, a number in a sentence or a table that nobody measured, a result without its
command, commit, machine or date, an image that nothing makes, and a comparison that says yes to everything.
"""

import importlib.machinery
import importlib.util
import json
import shutil
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def load():
    loader = importlib.machinery.SourceFileLoader("make_results", str(ROOT / "tools/make_results"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("make_results", loader))
    loader.exec_module(module)
    return module


make_results = load()


class MakeResults(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in ("docs", "results"):
            shutil.copytree(ROOT / name, self.root / name)
        shutil.copy(ROOT / "README.md", self.root)

    def edit(self, file, old, new):
        path = self.root / file
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def results(self):
        return make_results.Results(self.root)

    def assert_found(self, *words):
        mistakes = self.results().check()
        self.assertTrue(any(all(word in mistake for word in words) for mistake in mistakes), mistakes)

    def test_nothing_is_wrong(self):
        self.assertEqual(self.results().check(), [])

    def test_a_table_edited_in_a_page(self):
        self.edit("docs/distributed.md", "| l-bfgs | 10 |", "| l-bfgs | 11 |")
        self.assert_found("docs/distributed.md", "another results/scale-counts.md")
        self.results().fill()
        self.assertEqual(self.results().check(), [])
        self.assertEqual((self.root / "docs/distributed.md").read_text(), (ROOT / "docs/distributed.md").read_text())

    def test_a_number_in_a_sentence(self):
        self.edit("docs/results.md", "# Results\n", "# Results\n\nIt takes 0.123 [0.1, 0.2] of the time.\n")
        self.assert_found("docs/results.md", "0.123 [0.1, 0.2]")

    def test_a_number_of_a_result_may_be_repeated(self):
        self.edit("docs/results.md", "# Results\n", "# Results\n\nIt takes 0.72 [0.65, 0.80] of what BFGS takes.\n")
        self.assertEqual(self.results().check(), [])

    def test_a_table_of_numbers(self):
        self.edit("docs/results.md", "# Results\n", "# Results\n\n| a | b |\n| --- | --- |\n| 0.1 | 0.2 |\n| 0.3 | 4 |\n")
        self.assert_found("docs/results.md:3", "| a | b |")

    def test_an_unknown_or_open_mark(self):
        self.edit("docs/results.md", "# Results\n", "# Results\n\n<!-- results/nothing -->\n<!-- end -->\n")
        self.assert_found("shows results/nothing, which does not exist")
        self.edit("docs/results.md", "<!-- results/nothing -->\n<!-- end -->\n", "<!-- results/scale -->\n")
        self.assertTrue(self.results().check())

    def test_heads_are_complete(self):
        self.edit("results/scale.md", "commit: ", "kommit: ")
        self.assert_found("results/scale.md", "no commit")

    def test_the_command_is_that_of_the_index(self):
        self.edit("results/scale.md", "command: tools/scale.py", "command: tools/scale.py --pairs 5")
        self.assert_found("results/scale.md", "another command")

    def test_an_image_from_nowhere(self):
        (self.root / "docs/images/new.svg").write_text("<svg/>")
        self.assert_found("docs/images/new.svg", "is made by no entry")

    def test_what_is_made_again_is_compared(self):
        results = self.results()
        results.root = ROOT  # for the command
        self.assertEqual(results.again(["scale"]), [])
        self.edit("results/scale.md", "| 10^12 |", "| 10^13 |")
        self.assertEqual(len(results.again(["scale"])), 1)

    def test_columns_of_a_comparison(self):
        row = {"ratio": 0.5, "low": 0.25, "high": 0.755, "solved": 7, "runs": 8}
        runs = [[{"algorithm": a, "against": b, **row} for a in ("x", "bfgs") for b in ("bfgs", "x")]]
        entry = {"header": ["", "solved", "/ BFGS"], "columns": ["solved", "bfgs"], "rows": [["x", "X"], ["bfgs", "BFGS"]], "bold": ["x"]}
        self.assertEqual(
            self.results().compared(entry, json.loads(json.dumps(runs))),
            "|  | solved | / BFGS |\n| --- | --- | --- |\n| X | 7 | **0.50** [0.25, 0.76] |\n| BFGS | 7 | 1 |\n",
        )

    def test_a_table_under_its_heading(self):
        text = "n = 1000\n\n| a |\n\nn = 100\n\n| b |\n| c |\n\n| d |\n"
        self.assertEqual(self.results().table_under("x", "n = 100", text), "| b |\n| c |\n")
        with self.assertRaises(SystemExit):
            self.results().table_under("x", "n = 10", text)

    def test_a_result_that_nobody_finds(self):
        page = self.root / "docs/training.md"
        name = next(iter(make_results.BLOCK.finditer(page.read_text(encoding="utf-8")))).group(2)
        text = make_results.BLOCK.sub("", page.read_text(encoding="utf-8"))
        page.write_text(text, encoding="utf-8")
        self.assert_found(f"results/{name}.md", "linked from none")
        page.write_text(text + f"\n[The table](../results/{name}.md).\n", encoding="utf-8")
        self.assertFalse(any(f"results/{name}.md" in mistake for mistake in self.results().check()))

    def test_a_table_of_another_result(self):
        results = self.results()
        name, entry = next((n, e) for n, e in self.results().index.items() if results.is_part(e))
        self.assertEqual(results.run(name)[0].strip(), results.read(name)[1].strip())
        text = results.path(entry["from"]).read_text(encoding="utf-8")
        cell = results.read(name)[1].strip().splitlines()[-1].split("|")[-2]
        results.path(entry["from"]).write_text(text.replace(cell, " 12345 "), encoding="utf-8")
        self.assert_found(f"results/{name}.md", "another table")

    def test_links_lead_from_the_page(self):
        page = self.root / "docs/results.md"
        results = self.results()
        self.assertEqual(results.relative("[a](docs/loa.md#x)", page, outward=False), "[a](loa.md#x)")
        self.assertEqual(results.relative("[a](loa.md#x)", page, outward=True), "[a](docs/loa.md#x)")

    def test_a_table_is_taken_over_from_its_page(self):
        self.edit("docs/training.md", "<!-- end -->", "| 1 | 2 | 3 |\n<!-- end -->")
        self.assertTrue(self.results().check())
        results = self.results()
        results.take_over(list(results.index), "abc")
        results.fill()
        self.assertEqual(self.results().check(), [])


if __name__ == "__main__":
    unittest.main()
