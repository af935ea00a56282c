#!/usr/bin/env python3
"""tools/bench keeps running and writes a flat object of finite positive numbers. It says nothing about speed.

    bench_test.py PROGRAMS     the folder with peer_loa and pass
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXPECTED = {"dense_iteration_minus_pass_us_n100", "dense_iteration_over_pass_n500", "loa_bfgs_over_bfgs_n100",
            "loa_l_bfgs_over_l_bfgs_n10000", "l_bfgs_memory_over_n_doubles", "auto_iteration_us_n10",
            "l_bfgs_plusd_over_bfgs_plusd_evaluations_n20", "auto_over_better_time_cheap_n20",
            "auto_over_better_time_costly_n20"}


def main():
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([ROOT / "tools/bench", "--quick", "--programs", sys.argv[1], "--out", out], check=True)
        ratios = json.loads((pathlib.Path(out) / "bench.json").read_text())
        tables = (pathlib.Path(out) / "bench.md").read_text()
    assert isinstance(ratios, dict) and EXPECTED <= ratios.keys(), f"missing: {EXPECTED - ratios.keys()}"
    for name, value in ratios.items():
        assert isinstance(value, float) and math.isfinite(value) and value > 0.0, f"{name}: {value}"
        assert f"| `{name}` |" in tables, f"{name} is in no table"


if __name__ == "__main__":
    main()
