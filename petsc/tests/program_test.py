#!/usr/bin/env python3
"""Runs a program of PETSc that was compiled without loa with libloa_tao.so: by an option, by PETSC_OPTIONS, on several
processes; and from Python through petsc4py.

Would catch: a library that does not register its types when it is loaded, one that needs the program to be linked with loa, and
options of TAO that do not reach it.

    program_test.py MPIEXEC PROGRAM LIBRARY EXAMPLE
"""
import os
import re
import shutil
import subprocess
import sys

SKIPPED = 77
LIMIT = 120  # seconds for one run, which takes less than one: for processes that wait for each other


def run(command, **environment):
    result = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=LIMIT)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}: found exit status {result.returncode}, expected 0\n{result.stdout}{result.stderr}")
    return result.stdout


def expect(text, *patterns):
    for pattern in patterns:
        if not re.search(pattern, text):
            sys.exit(f"found no {pattern!r}, expected it in\n{text}")


def python_with_petsc4py():
    """A Python that has petsc4py: Debian's is not always the first one on the PATH."""
    for python in ("python3", "/usr/bin/python3"):
        if shutil.which(python) and subprocess.run([python, "-c", "import petsc4py"], capture_output=True).returncode == 0:
            return python
    return None


def main():
    mpiexec, program, library, example = sys.argv[1:]
    with open(program, "rb") as file:
        if b"loa_tao.so" in file.read():
            sys.exit(f"{program}: found the name of the library, expected a program that does not know it")
    load = ["-dll_append", library]
    view = ["-tao_view", "-tao_converged_reason", "-tao_monitor"]
    seen = ("type: loa\n", "algorithm: l-bfgs\\+d", "CONVERGED_GTTOL iterations", "0 TAO,  Function value: 0.99")

    expect(run([program]), r"energy 0\.98\d+ after \d+ iterations")  # lmvm
    expect(run([program, *load, "-tao_type", "loa", *view]), *seen)
    options = " ".join([*load, "-tao_type", "loa_lbfgs", *view])
    expect(run([program], PETSC_OPTIONS=options), "type: loa_lbfgs\n", "algorithm: l-bfgs\n")
    expect(run([mpiexec, "-n", "4", program, *load, "-tao_type", "loa", *view]), "4 MPI processes", *seen)
    metric = run([program, *load, "-tao_type", "loa", "-tao_loa_metric", "hessian", *view, "-tao_loa_metric_ksp_view"])
    expect(metric, "algorithm: l-bfgs\\+\n", "initial metric: given", r"KSP Object: \(tao_loa_metric_\)")

    python = python_with_petsc4py()
    if python is None:
        print("skipped: no petsc4py (python3-petsc4py-real); the program itself runs")
        return SKIPPED
    line = r"loa: f = \d\.\d+e-\d+ after \d+ iterations"
    expect(run([python, example, *load, "-tao_type", "loa"]), line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
