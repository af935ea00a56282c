#!/usr/bin/env python3
"""The programs of petsc/problems and tools/petsc_bench. It says nothing about speed.

    problems_test.py PROGRAMS [PLUGIN]     the folder with the programs; libloa_tao.so

Would catch: a gradient that is not that of f, on one process or where slices meet; a discretization that is not of second
order; a minimum that depends on the number of processes; a driver that does not run, or that leaves a solver out.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build/release/petsc/problems"
PLUGIN = Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else ROOT / "build/release/libloa_tao.so"
PROBLEMS = ["chained_rosenbrock", "diffusivity", "minimal_surface", "torsion"]
SECONDS = 900  # for a run of a second: processes that wait for each other take long on a busy machine
# As root, with more processes than cores, in a container without rights to read another process's memory.
MPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
       "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMP_NUM_THREADS": "1"}


def run(problem, *words, processes=1):
    """The last line as an object of texts."""
    start = ["mpirun", "--oversubscribe", "-n", str(processes)] if processes > 1 else []
    done = subprocess.run([*start, PROGRAMS / problem, *map(str, words)], capture_output=True, text=True, timeout=SECONDS,
                          env=os.environ | MPI)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return dict(word.split("=", 1) for word in done.stdout.splitlines()[-1].split()[1:])


class Gradients(unittest.TestCase):
    def check(self, *command):
        for processes in (1, 2, 3):
            with self.subTest(command=command, processes=processes):
                # Errors are 1e-10 to 2e-8: those of the differences themselves.
                self.assertLess(float(run(*command, "-check_gradient", processes=processes)["error"]), 1e-6)

    def test_all(self):
        for problem in PROBLEMS:
            self.check(problem, "-n", 17)

    def test_a_chain_in_pieces(self):
        self.check("chained_rosenbrock", "-n", 53, "-piece", 10)


class Minima(unittest.TestCase):
    TIGHT = ("-tao_gatol", 1e-8, "-tao_grtol", 0, "-tao_max_it", 5000)

    def test_torsion(self):
        # -(c^2/2) 0.0351443 with c = 5, and an error that falls to a quarter with h/2.
        exact = -12.5 * 0.0351443
        coarse, fine = (abs(float(run("torsion", "-n", n, *self.TIGHT)["f"]) - exact) for n in (15, 31))
        self.assertLess(fine, 0.01 * abs(exact))
        self.assertAlmostEqual(coarse / fine, 4.0, delta=0.2)

    def test_minimal_surface(self):
        coarse, fine = (float(run("minimal_surface", "-n", n, *self.TIGHT)["error"]) for n in (15, 31))
        self.assertLess(fine, 1e-3)
        self.assertAlmostEqual(coarse / fine, 4.0, delta=0.4)

    def test_rosenbrock(self):
        self.assertLess(float(run("chained_rosenbrock", "-n", 20, "-tao_gatol", 1e-4)["error"]), 1e-4)

    def test_diffusivity(self):
        """The misfit alone would be 1/2 at the true m; what is left here is below it, with the regularization."""
        f = float(run("diffusivity", "-n", 33, "-tao_gatol", 1e-6)["f"])
        self.assertGreater(f, 0.1)
        self.assertLess(f, 0.5)

    def test_processes(self):
        for problem in PROBLEMS:
            gatol = 1e-4 if problem == "chained_rosenbrock" else 1e-6
            values = [float(run(problem, "-n", 17, "-tao_gatol", gatol, "-tao_grtol", 0, processes=p)["f"]) for p in (1, 2, 3, 4)]
            self.assertLess(max(values) - min(values), 1e-7, problem)


class Bench(unittest.TestCase):
    def test_quick(self):
        with tempfile.TemporaryDirectory() as out:
            command = [ROOT / "tools/petsc_bench", "--quick", "--programs", PROGRAMS, "--plugin", PLUGIN, "--out", out]
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=10 * SECONDS)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            page = (Path(out) / "petsc_bench.md").read_text()
        for name in ["lmvm, 5 pairs", "bqnls, 10 pairs", "bncg", *(["loa, 10 pairs"] if PLUGIN.exists() else [])]:
            self.assertIn(f"| {name} ", page)
        for problem in PROBLEMS:
            self.assertIn(f"| {problem.replace('_', ' ')} ", page)
        self.assertNotIn("DIVERGED", page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
