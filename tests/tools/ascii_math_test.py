#!/usr/bin/env python3
"""Formulas: what is read, what it becomes, what is refused, and that every formula of the documentation can be read.

Would catch: a < of an inner product taken for less-than, a fraction with the wrong numerator, a word taken for a product of
letters and the other way round, text of a page that turns into a formula by accident, and MathML that is not well-formed.
"""

import re
import sys
import unittest
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import ascii_math


def text_of(markup):
    """The formula in one line: fractions as (a)/(b), scripts with _ and ^."""
    root = xml.etree.ElementTree.fromstring(f"<x>{markup}</x>")
    return re.sub(r"\s+", " ", "".join(walk(root)).replace("\u2060", "")).strip()


def walk(element):
    parts = {"mfrac": ("(", ")/(", ")"), "msub": ("", "_", ""), "msup": ("", "^", ""), "msubsup": ("", "_", "^", ""),
             "munder": ("", "_", ""), "msqrt": ("√(", ")")}  # fmt: skip
    inner = ["".join(walk(child)) + (child.tail or "") for child in element]
    text = element.text or ""
    marks = parts.get(element.tag.split("}")[-1])
    if element.tag == "mover":
        yield inner[0] + "^"
    elif marks is None:
        yield text + "".join(inner)
    else:
        yield text + marks[0] + "".join(part + mark for part, mark in zip(inner, marks[1:]))


def shown(line):
    return text_of(ascii_math.line(line))


class Formulas(unittest.TestCase):
    def test_symbols(self):
        self.assertEqual(shown("x_{k+1} = x_k - gamma g_k"), "x_k+1 =x_k−γg_k")
        self.assertEqual(shown("x^_k"), "x^_k")
        self.assertEqual(shown("beta1 m_{k-1}"), "β_1m_k−1")
        self.assertEqual(shown("B^-1 dg"), "B^−1Δg")
        self.assertEqual(shown("D' = r r^T"), "D′ =rr^T")
        self.assertEqual(shown("2.2e-16"), "2.2⋅10^−16")
        self.assertEqual(shown("1e-4 a"), "10^−4a")
        self.assertEqual(shown("A0 6 x 3"), "A_06×3")

    def test_brackets(self):
        self.assertEqual(shown("<d,dg>"), "⟨d,Δg⟩")
        self.assertEqual(shown("<g_{k-1} + g_k, d>"), "⟨g_k−1+g_k,d⟩")
        self.assertEqual(shown("s > b, a < c"), "s >b, a <c")
        self.assertEqual(shown("||B g||^2 |g_i|"), "‖Bg‖^2|g_i|")

    def test_fractions(self):
        self.assertEqual(shown("1/<dg,y> y"), "(1)/(⟨Δg,y⟩)y")
        self.assertEqual(shown("a b/c d"), "a(b)/(c)d")
        self.assertEqual(shown("u u^T/b"), "(uu^T)/(b)")
        self.assertEqual(shown("<g,Bg> / (||g|| ||Bg||)"), "(⟨g,Bg⟩)/(‖g‖‖Bg‖)")
        self.assertEqual(shown("(x_i - m) / s / sqrt(n)"), "(x_i−m)/(s√(n))")
        self.assertEqual(shown("k/(k+3)"), "(k)/(k+3)")

    def test_a_fraction_of_a_fraction_multiplies_below(self):
        self.assertEqual(shown("(A + B)/(2h)/(1 + c)"), "(A+B)/(2h(1+c))")

    def test_words(self):
        self.assertEqual(shown("B that of the last step; c = 0.2, or 0.1 where it is positive"),
                         "B that of the last step; c =0.2, or 0.1 where it is positive")  # fmt: skip
        self.assertEqual(shown("y_k = d - w dg   a member of Broyden's family"), "y_k =d−wΔga member of Broyden's family")
        self.assertEqual(shown("o = A phi_k + a"), "o =Aφ_k+a")
        self.assertIn("<mtext>", ascii_math.line("exp(x)"))

    def test_what_is_no_formula_is_refused(self):
        for line in ("loa solve --problem SPEC", "make bench", '{"note": 1}', "(a + b", "a/", "x_", "a ] b"):
            with self.assertRaises(ascii_math.FormulaError, msg=line):
                ascii_math.block(["    " + line])

    def test_lines_keep_their_indentation(self):
        self.assertIn('style="margin-left:2em"', ascii_math.block(["    a = b", "        = c"]))


class Sentences(unittest.TestCase):
    def assert_plain(self, text):
        self.assertEqual(ascii_math.inline(text), text)

    def test_symbols_are_formulas(self):
        for text in ("at x_k the", "x_{-1}, where", "B^{-1} d", "of &lt;d,dg> and", "||g||^2 is", "lambda^2", "n^2", "10^6 variables"):
            self.assertIn("<math>", ascii_math.inline(text), text)

    def test_formulas_are_whole(self):
        for text, formula in (
            ("if c I &lt;= B_k &lt;= C I for all k", "c I ≤B_k ≤C I"),
            ("then f(x_k) -> 0.", "f(x_k) →0"),
            ("gamma &lt;= 2/(CL), then", "γ≤2/(CL)"),
            ("gives (B_AA) z = (-B g - c)_A, where", "(B_AA)z =(−Bg−c)_A"),
            ("at x_{k+1} = x_k + step p gives", "x_k+1 =x_k+ step p"),
            ("||x - P(x - g)||_inf is", "‖x−P(x−g)‖_∞"),
        ):
            shown = text_of(ascii_math.inline(text).replace("&lt;", "&#60;"))
            self.assertIn(formula.replace(" ", ""), shown.replace(" ", ""), text)

    def test_symbols_by_name_are_formulas(self):
        for text, formula in (
            ("between g, dg and d", "Δg"),
            ("the step, tau - 1 and", "τ−1"),
            ("does not change phi, and", "φ"),
            ("(B dg, d, -gamma B g) to y", "BΔg"),
            ("replace phi'(0) by", "φ′(0)"),
        ):
            self.assertIn(f"<math>{formula}</math>", re.sub(r"<(?!/?math)[^>]*>", "", ascii_math.inline(text)), text)
        for text in ("`tau` and theta.size()", "State::gamma is", "--theta", "theta=3", "gamma-rays", "phi[0]", "phi(step)", "src/theta", "alpha and pi", "theta_file"):
            self.assert_plain(text)

    def test_a_line_does_not_begin_with_a_block(self):
        self.assertTrue(ascii_math.inline("x_k + p_k gives").startswith("<span><math>"))
        self.assertTrue(ascii_math.inline("- x_k is").startswith("- <span><math>"))

    def test_a_bar_ends_a_cell(self):
        self.assertEqual(ascii_math.inline("| 0.5 | 3 | n |", in_table=True), "| 0.5 | 3 | n |")

    def test_words_are_not(self):
        for text in ("loa_lab and max_iterations", "a file_name.md", "in e_mail", "w8a, 1e-6", "`x_k`", "f(x) and y", "c++ | b", "a B that", "J. Optim. 13 (2003), 865-888",
                     "(the default)", "Eq. (6)", "an n x 3 matrix", "and/or", "C++ or C"):  # fmt: skip
            self.assert_plain(text)


class Documentation(unittest.TestCase):
    def test_every_formula_is_read_and_well_formed(self):
        count = 0
        for path in sorted((ROOT / "docs").rglob("*.md")):
            block, fence, before = [], False, ""
            for line in [*path.read_text(encoding="utf-8").splitlines(), ""]:
                fence ^= line.lstrip().startswith("```")
                if not fence and line.startswith("    ") and (block or not before):
                    block.append(line)
                elif block:
                    xml.etree.ElementTree.fromstring(ascii_math.block(block))
                    count, block = count + 1, []
                before = line
        self.assertGreater(count, 20)


if __name__ == "__main__":
    unittest.main()
