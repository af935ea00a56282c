#!/usr/bin/env python3
"""Kills the program at random moments, starts it again, and compares the end with that of a run that nobody disturbed.

    kill_test.py PROGRAM [--kills N] [--seed S] [--only NAME]

Would catch: a checkpoint that a kill leaves half written, a restart that fails or ends elsewhere, a log with a row
twice or none, a temporary file or a lock that stays. The moments are random, with a seed, and where they fall depends on
the machine; what must hold after them does not.
"""
import argparse
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

# Each with the files that must come out the same, byte by byte, and with the log, whose last column is the time.
SOLVE = ["solve", "--problem", "chained-rosenbrock:n=20", "--algorithm", "loa", "--gtol", "1e-9", "--every", "0",
         "--checkpoint", "run.state", "--resume", "run.state", "--solution", "x.txt"]
UNROLL = ["train", "--preset", "paper", "--dimension", "12", "--functions", "3", "--starts", "2", "--test-functions", "2",
          "--iterations", "10", "--seed", "7", "--learning-rate", "1e-3", "--epochs", "60", "--resume", "--out", "w"]
EVOLUTION = ["train", "--preset", "evolution", "--families", "quadratic:n=4;quadratic:n=6;logistic:n=3,m=10", "--functions", "6",
             "--test-functions", "3", "--batch", "4", "--population", "4", "--validate-every", "2", "--max-evaluations",
             "200", "--epochs", "30", "--resume", "--out", "w"]
CASES = {
    "solve": (SOLVE, ["run.state", "x.txt"], None),
    "unroll": (UNROLL, ["w", "w.checkpoint"], "w.csv"),
    "evolution": (EVOLUTION, ["w", "w.checkpoint"], "w.csv"),
}
# The pictures of train would take most of the time, and gnuplot outlives the program that is killed.
ENVIRONMENT = {"PATH": "/nonexistent"}


def start(program, arguments, folder):
    return subprocess.Popen([program, *arguments], cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE)


def run_to_the_end(program, arguments, folder):
    process = start(program, arguments, folder)
    said = process.communicate()[1].decode()
    assert process.returncode == 0, f"{folder}: exit status {process.returncode}: {said}"


def without_seconds(log):
    return [line.rpartition(",")[0] for line in log.read_text().splitlines()]


def expect_equal(whole, killed, files, log):
    names = [sorted(path.name for path in folder.iterdir()) for folder in (whole, killed)]
    assert names[0] == names[1], f"expected the files {names[0]}, found {names[1]}"
    for name in files:
        assert (whole / name).read_bytes() == (killed / name).read_bytes(), f"{name} differs"
    if log is not None:
        assert without_seconds(whole / log) == without_seconds(killed / log), f"{log} differs"


def kill_often(name, program, kills, generator, scratch):
    """Returns the numbers of kills that found the program running, of temporary files they left, of runs that ended."""
    arguments, files, log = CASES[name]
    whole = scratch / name
    whole.mkdir()
    began = time.monotonic()
    run_to_the_end(program, arguments, whole)
    usual = time.monotonic() - began
    hits = left = restarts = 0
    for attempt in range(4 * kills):
        if hits >= kills:
            break
        killed = scratch / f"{name}-{attempt}"
        killed.mkdir()
        for life in range(generator.choice((1, 1, 2, 3))):
            process = start(program, arguments, killed)
            began = time.monotonic()
            try:
                process.wait(generator.random() * usual)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
            said = process.communicate()[1].decode()
            assert process.returncode in (0, -signal.SIGKILL), f"{name}: exit status {process.returncode}: {said}"
            hits += process.returncode == -signal.SIGKILL
            left += len(list(killed.glob("*.tmp-*")))
            if process.returncode == 0 and life == 0:
                usual = time.monotonic() - began  # quicker than its kill: the machine has become quicker
        run_to_the_end(program, arguments, killed)
        restarts += 1
        expect_equal(whole, killed, files, log)
    return hits, left, restarts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=CASES)
    arguments = parser.parse_args()
    for name in [arguments.only] if arguments.only else CASES:
        with tempfile.TemporaryDirectory() as scratch:
            generator = random.Random(f"{name} {arguments.seed}")
            hits, left, restarts = kill_often(name, arguments.program.resolve(), arguments.kills, generator,
                                              pathlib.Path(scratch))
        print(f"{name}: {hits} kills, {left} temporary files left by them; {restarts} runs finished after them, all equal "
              "to the undisturbed run and without such files", flush=True)


if __name__ == "__main__":
    sys.exit(main())
