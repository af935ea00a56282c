#!/usr/bin/env python3
"""tools/scale.py: the arithmetic is what it says, and other assumptions give other tables.

(That results/scale.md has its tables is the test of results/.) Would catch: an all-reduce whose
time does not grow with the nodes, costs of f or of callees among the bytes that callgrind counts.
"""

import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import scale  # noqa: E402

SCRIPT = ROOT / "tools/scale.py"


def run(*words):
    return subprocess.run([sys.executable, SCRIPT, *map(str, words)], capture_output=True, text=True)


class Tables(unittest.TestCase):
    def test_other_assumptions_are_other_tables(self):
        self.assertNotEqual(run("--latency", "1e-5").stdout, run().stdout)
        self.assertEqual(run("--pairs", "7").returncode, 2)


class Arithmetic(unittest.TestCase):
    def setUp(self):
        self.given = type("Given", (), {name: default for name, (default, _) in scale.ASSUMPTIONS.items()})
        self.counts = {"all_reduces": 2.0, "numbers": 80, "flops": 300.0, "bytes_moved": 800, "bytes_kept": 400}

    def test_an_iteration(self):
        one = scale.at_scale(self.counts, 4e9, 4, self.given)
        self.assertAlmostEqual(one["kept"], 400e9)
        self.assertTrue(one["fits"])
        self.assertAlmostEqual(one["memory"], 800e9 / 4e11)
        # Two all-reduces of 40 numbers: 12 messages inside a node, 4 between nodes.
        each = 12 * 5e-7 + 4 * (2e-6 + 320 / 2e10)
        self.assertAlmostEqual(one["reduces"], 2 * each)
        self.assertAlmostEqual(one["total"], 2.0 + 2 * each)

    def test_more_nodes_take_longer_all_reduces_and_shorter_vectors(self):
        few, many = (scale.at_scale(self.counts, 1e12, nodes, self.given) for nodes in (1e3, 1e5))
        self.assertLess(few["reduces"], many["reduces"])
        self.assertAlmostEqual(few["memory"], 100 * many["memory"])


class Callgrind(unittest.TestCase):
    def test_f_and_callees_are_not_counted(self):
        text = "\n".join([
            "events: Ir DLmr DLmw DLdmr DLdmw ILdmr",
            "fn=(1) loa::combine",
            "16 100 5 3 1 0 0",
            "calls=1 20",
            "16 999 99 99 99 99 99",
            "+3 10 1",
            "fn=(2) (anonymous namespace)::value_and_gradient_of_f(loa::Vector const&)",
            "30 500 50 40",
            "fn=(1)",
            "* 10 2",
        ])  # fmt: skip
        self.assertEqual(scale.sum_of_events(text), 5 + 3 + 1 + 1 + 2)


if __name__ == "__main__":
    unittest.main()
