#!/usr/bin/env python3
"""tools/make_results finds what it is there for.

Would catch: a page that shows an edited table, a number in a sentence or a table that nobody measured, a result without its
command, commit, machine or date, the head of today on the table of an earlier run, an image that nothing makes, a cell of
another run than its row and column say, and a comparison that says yes to everything.
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

    def test_a_number_with_a_point_on_a_page_with_results(self):
        self.edit("docs/results.md", "# Results\n", "# Results\n\nThe rest is 77.7 (see Section 88.8, `99.9`, PETSc 66.6).\n")
        self.assertEqual([mistake.split(": ")[1] for mistake in self.results().check()], ["77.7"])

    def test_units_in_a_small_table_and_numbers_of_problems(self):
        self.edit("docs/cpp.md", "\n", "\n\nIt solves 777.\n\n| a | b |\n| --- | --- |\n| x | about 777 MB |\n\n")
        self.assert_found("docs/cpp.md:3", "solves 777")
        self.assert_found("docs/cpp.md:7", "777 MB")

    def test_an_allowed_number_that_is_gone(self):
        self.edit("docs/networks.md", "100 MB", "much")
        self.assert_found("results/allowed.toml", "docs/networks.md: 100 MB")

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

    def test_what_is_made_of_another_result_has_its_head(self):
        results = self.results()
        parts = [name for name, entry in results.index.items() if results.is_part(entry)]
        self.assertGreater(len(parts), 3)
        before = {name: results.path(name).read_text(encoding="utf-8") for name in parts}
        results.make(parts)
        self.assertEqual({name: results.path(name).read_text(encoding="utf-8") for name in parts}, before)
        self.edit(f"results/{parts[0]}.md", "date: ", "date: 1")
        self.assert_found(f"results/{parts[0]}.md", f"another head than results/{results.index[parts[0]]['from']}.md")

    def test_results_of_one_run_are_made_together(self):
        log, script = self.root / "log", self.root / "two.py"
        script.write_text(
            "import os, sys\nopen(sys.argv[1], 'a').write('run ')\nos.makedirs(sys.argv[2], exist_ok=True)\n"
            "open(sys.argv[2] + '/both.md', 'w').write('one\\n\\n| 1 |\\n\\ntwo\\n\\n| 2 |\\n| 3 |\\n')\n"
        )
        index = f"""
            [one]\ncommand = "python3 {script} {log} DIR"\ntake = "file"\nfile = "both.md"\nunder = "one"
            [two]\ntake = "file"\nfrom = "one"\nfile = "both.md"\nunder = "two"
        """
        (self.root / "results/index.toml").write_text("\n".join(line.strip() for line in index.splitlines()), encoding="utf-8")
        results = self.results()
        self.assertEqual(results.made_together(["two"]), ["one", "two"])
        results.make(["two"])
        self.assertEqual(log.read_text(), "run ")
        self.assertEqual([results.read(name)[1] for name in ("one", "two")], ["| 1 |\n", "| 2 |\n| 3 |\n"])
        self.assertEqual(results.read("one")[0], results.read("two")[0])

    def test_links_lead_from_the_page(self):
        page = self.root / "docs/results.md"
        results = self.results()
        self.assertEqual(results.relative("[a](docs/loa.md#x)", page), "[a](loa.md#x)")

    def make_grid(self, **entry):
        """The table of a grid whose command prints what it is given, as JSON."""
        results = self.results()
        results.root = ROOT
        results.index = {"x": {"take": "grid", **entry}}
        return results.run("x")[0]

    def test_a_grid_has_a_run_for_each_cell(self):
        table = self.make_grid(
            command="""printf '{"rows": [{"name": "a", "loss": SIZE.5}, {"name": "b", "loss": 7}], "good": true}' """,
            corner="size",
            cell="{rows[name=NAME][loss]:.2f}",
            columns=[{"header": "A", "NAME": "a"}, {"header": "B", "NAME": "b"}, {"header": "good", "cell": "{good}"}, {"header": "n", "cell": "SIZE"}],
            rows=[{"label": "one", "SIZE": "1"}, {"label": "two", "SIZE": "2"}],
        )
        self.assertEqual(
            table,
            "| size | A | B | good | n |\n| --- | --- | --- | --- | --- |\n| one | 1.50 | 7.00 | yes | 1 |\n| two | 2.50 | 7.00 | yes | 2 |\n",
        )

    def test_a_grid_reads_text_and_files(self):
        columns = [{"header": "found", "command": "echo after N iterations", "find": r"after (?P<count>\d+)", "cell": "{count:03}"}]
        columns += [{"header": name, "read": "DIR/N.csv", "cell": f"{{rows[{which}][f]:g}}"} for name, which in (("last", "-1"), ("least", "least f"))]
        written = self.make_grid(command=r"""python3 -c 'open("DIR/N.csv", "w").write("k,f\n0,9\n1,N\n2,8\n")' """, columns=columns,
                                 rows=[{"label": "a", "N": "5"}, {"label": "b", "N": "6"}])  # fmt: skip
        self.assertEqual(written.splitlines()[2:], ["| a | 005 | 8 | 5 |", "| b | 006 | 8 | 6 |"])

    def test_each_command_of_a_grid_runs_once_and_the_least_run_counts(self):
        log, script = self.root / "log", self.root / "count.py"
        script.write_text("import sys\nopen(sys.argv[1], 'a').write(sys.argv[2])\nprint('{\"seconds\":', len(open(sys.argv[1]).read()), '}')\n")
        table = self.make_grid(command=f"echo {{}} && python3 {script} {log} WORD", repeat=2, least="seconds", cell="{seconds}",
                               columns=[{"header": "a"}, {"header": "b"}], rows=[{"label": "x", "WORD": "x"}, {"label": "y", "WORD": "y"}])  # fmt: skip
        self.assertEqual(log.read_text(), "xxyy")
        self.assertEqual(table.splitlines()[2:], ["| x | 1 | 1 |", "| y | 3 | 3 |"])

    def test_a_grid_without_what_a_cell_wants(self):
        for cell in ("{rows[name=c][loss]}", "{loss}", "{rows[name=a][loss]:.2f}"):
            with self.assertRaises(SystemExit):
                self.make_grid(command="""printf '{"rows": [{"name": "a", "loss": null}]}' """, cell=cell, columns=[{"header": ""}], rows=[{"label": ""}])
        with self.assertRaises(SystemExit):
            self.make_grid(command="false && echo {}", cell="{}", columns=[{"header": ""}], rows=[{"label": ""}])

    def test_the_head_says_what_the_words_of_a_command_stand_for(self):
        name = next(name for name, entry in self.results().index.items() if "with" in make_results.Results.made_by(entry))
        words = make_results.Results.made_by(self.results().index[name])["with"]
        self.edit(f"results/{name}.md", words, words + " | 17")
        self.assert_found(f"results/{name}.md", "another with")

    def test_a_command_that_nobody_can_type(self):
        self.edit("results/index.toml", "ablation parts\"", "ablation GROUP\"")
        self.assert_found("results/index.toml", "the word GROUP")

    def test_no_table_is_made_by_hand(self):
        self.edit("results/index.toml", 'take = "grid"', 'take = "hand"')
        self.assert_found("results/index.toml", "take = 'hand'")


if __name__ == "__main__":
    unittest.main()
