#!/usr/bin/env python3
"""tools/make_docs.py and tools/public_api.py find the mistakes that they are there for."""

import shutil
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import make_docs  # noqa: E402
import public_api  # noqa: E402


class MakeDocs(unittest.TestCase):
    def setUp(self):
        """A copy of the tree in which docs/ and include/ may be broken."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for path in ROOT.iterdir():
            if path.name in ("docs", "include"):
                shutil.copytree(path, self.root / path.name)
            elif path.name not in ("build", ".git"):
                (self.root / path.name).symlink_to(path)

    def edit(self, file, old, new):
        path = self.root / file
        text = path.read_text()
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1))

    def mistakes(self):
        return make_docs.Site(self.root).mistakes

    def test_nothing_is_wrong(self):
        self.assertEqual(self.mistakes(), [])

    def test_a_link_to_nothing(self):
        self.edit("docs/notation.md", "# ", "[x](nowhere.md)\n# ")
        self.assertEqual(self.mistakes(), ["docs/notation.md:1: links to nowhere.md, which does not exist"])

    def test_a_listing_that_differs(self):
        self.edit("docs/extending.md", "class MixedModel final", "class Mixed final")
        self.assertEqual(len(self.mistakes()), 1)
        self.assertIn("the listing above is not examples/own_algorithm.cc", self.mistakes()[0])

    def test_a_page_that_nobody_finds(self):
        (self.root / "docs/new.md").write_text("# New\n")
        self.assertEqual(self.mistakes(), ["docs/new.md:1: is not in the navigation of tools/make_docs.py"])

    def test_links_lead_to_where_the_site_has_the_files(self):
        (self.root / "docs/notation.md").write_text(
            "[a](../include/loa/model.h) [b](../src/algorithm/bfgs.cc) [c](README.md#x) [d](../CONTRIBUTING.md) `[e](f)`\n"
            "```\n[g](h.md) <d,dg>\n```\n<d,dg> `<d>`\n"
        )
        site = make_docs.Site(self.root)
        self.assertEqual(site.mistakes, [])
        self.assertEqual(
            site.pages["notation.md"],
            "[a](api/loa/model.h.md) [b](source/src/algorithm/bfgs.cc.md) [c](pages.md#x) [d](contributing.md) `[e](f)`\n"
            f"```\n[g](h.md) <d,dg>\n```\n{make_docs.ascii_math.inline('&lt;d,dg>')} `<d>`\n",
        )
        self.assertIn("bfgs", site.pages["source/src/algorithm/bfgs.cc.md"])

    def test_the_reference_has_every_declaration(self):
        page = make_docs.Site(self.root).pages["api/loa/minimize.h.md"]
        self.assertIn("Summary resume(Objective& f, const State& state, const Options& options);", page)

    def test_the_reference_is_grouped_and_linked(self):
        pages = make_docs.Site(self.root).pages
        self.assertIn("## Minimize a function\n", pages["api/index.md"])
        self.assertIn("[`print_progress`](loa/progress.h.md#print_progress)", pages["api/index.md"])
        self.assertIn("- [`Summary`](loa/summary.h.md#Summary) in loa/summary.h", pages["api/names.md"])
        self.assertIn("Uses [Summary](summary.h.md#Summary), ", pages["api/loa/minimize.h.md"])

    def test_a_linked_result_is_a_page(self):
        self.edit("docs/notation.md", "# ", "[table](../results/named.md)\n# ")
        site = make_docs.Site(self.root)
        self.assertEqual(site.mistakes, [])
        page = site.pages["results/named.md"]
        self.assertIn("`loa compare --set named", page)
        self.assertIn("| bfgs | ", page)
        self.assertIn("(../loa.md)", page)  # in the result the link is from the root of the repository
        self.assertIn("(results/named.md)", site.pages["notation.md"])

    def test_a_header_that_no_group_has(self):
        (self.root / "include/loa/new.h").write_text("// Something new.\n#pragma once\n\n// A number.\nusing Number = double;\n")
        self.assertEqual(self.mistakes(), ["tools/make_docs.py:1: REFERENCE lacks loa/new.h"])

    def test_the_reference_of_python(self):
        page = make_docs.Site(self.root).pages["api/python.md"]
        for text in (
            "### loa.minimize { #loa.minimize }\n\n````python\ndef minimize(\n    fun: Any,\n",
            ") -> Result\n````\n\nMinimizes fun from x0.\n\n| name | what it is |\n",
            "| `tol` | the same as options={\"gtol\": tol}.",
            "or a [loa.WarmStart](#loa.WarmStart).",
            "(../python.md)",
            "**`reset`**: Forgets the curvature",  # of loa.torch.LOA
            "    def apply_inverse_hessian(self, v)\n",  # bound from C++
            "| [Go on from another run](#go-on-from-another-run) | [`Series`](#loa.Series), ",
        ):
            self.assertIn(text, page)
        self.assertNotIn("_loa.State", page)

    def test_every_name_of_python_is_in_a_group(self):
        groups = [("All", [name for _, names in make_docs.PYTHON_REFERENCE for name in names if name != "loa.solve"] + ["loa.nothing"])]
        with unittest.mock.patch.object(make_docs, "PYTHON_REFERENCE", groups):
            self.assertEqual(
                self.mistakes(),
                ["tools/make_docs.py:1: PYTHON_REFERENCE names loa.nothing", "tools/make_docs.py:1: PYTHON_REFERENCE lacks loa.solve"],
            )

    def test_docstrings_have_tables_and_code(self):
        site = make_docs.Site(self.root)
        doc = "Says\nit.\n\na     x|y\n      and [z]\nb, c  more\nd, e\n\n    f(x)\n\nSome  blanks\nno table"
        self.assertEqual(
            site.docstring(doc, site.python["loa.minimize"]),
            "Says it.\n\n| name | what it is |\n| --- | --- |\n| `a` | x&#124;y and &#91;z] |\n| `b, c` | more |\n| `d, e` |  |\n\n"
            "````python\nf(x)\n````\n\nSome  blanks no table\n\n",
        )

    def test_an_indented_block_that_is_no_formula(self):
        self.edit("docs/notation.md", "# ", "    make run\n\n# ")
        self.assertEqual(len(self.mistakes()), 1)
        self.assertIn("docs/notation.md:1: found 'make run', expected a formula", self.mistakes()[0])

    def test_a_formula_is_typeset(self):
        (self.root / "docs/notation.md").write_text("Text:\n\n    x_{k+1} = x_k\n\nmore\n")
        page = make_docs.Site(self.root).pages["notation.md"]
        self.assertIn('\n\n<div class="formula"', page)
        self.assertIn("</div>\n\nmore\n", page)

    def test_a_declaration_without_a_comment(self):
        self.edit("include/loa/update.h", "// Turns y_k into a direction. Const and without state.\n", "")
        without = [e.names for h in public_api.public_headers(self.root) for e in h.entries if not e.comment]
        self.assertEqual(without, [["Update"]])


if __name__ == "__main__":
    unittest.main()
