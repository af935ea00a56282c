#!/usr/bin/env python3
"""What an iteration takes from 10^6 variables on one node to 10^12 on 10^4 nodes: measured counts, then arithmetic.

    tools/scale.py                        prints results/scale.md
    tools/scale.py --nodes 1000 ...       with other assumptions; --help lists them
    tools/make_results scale              puts the tables into results/scale.md; a test compares them
    tools/scale.py --measure [PROGRAM]    counts anew into tools/scale_counts.json, with PROGRAM
                                          (build/release/bench/counts) and valgrind

Nothing here is a time that was measured. Counts do not depend on the machine; times follow from them and from the
assumptions, which are arguments.
"""
import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COUNTS = ROOT / "tools/scale_counts.json"
DOUBLE, CACHE_LINE = 8, 64  # bytes

# (algorithm, pairs) that are counted.
COUNTED = [("l-bfgs+d", 5), ("l-bfgs+d", 10), ("l-bfgs+", 5), ("l-bfgs+", 10), ("l-bfgs", 10)]


# --- counting -------------------------------------------------------------------------------------------------------

# Both lengths are past the filling of the memory, and a multiple of 4 apart: every fourth pair judges the diagonal.
SHORT, LONG = 24, 64
N, N_OF_MEMORY = 100_000, 1_000_000
# Of the simulated processor: 0.8 MB a vector, so that nothing of an iteration is left in 2 MB when the next one comes.
LAST_LEVEL = "2097152,16,64"


def run_counts(program, *words):
    return json.loads(subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=True).stdout)


def lines_moved(program, algorithm, pairs, iterations):
    """Cache lines from and to memory in a simulated processor, those of f left out."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "callgrind.out"
        command = ["valgrind", "--tool=callgrind", "--cache-sim=yes", "--simulate-wb=yes", f"--LL={LAST_LEVEL}",
                   f"--callgrind-out-file={out}", program, algorithm, str(N), str(pairs), str(iterations)]
        # Every instruction set gives the same passes, and valgrind does not know AVX-512.
        subprocess.run(command, capture_output=True, check=True, env={"LOA_INSTRUCTION_SET": "baseline", "PATH": "/usr/bin:/bin"})
        return sum_of_events(out.read_text())


def sum_of_events(text):
    """Reads and write-backs of the last level over all functions but that of f. A line of costs is a position and the events;
    the one after calls= is what a callee took, which is counted there. Names are written once: fn=(3) name, then fn=(3)."""
    events, names, function, total, is_call = [], {}, "", 0, False
    for line in text.splitlines():
        if line.startswith("events:"):
            events = line.split()[1:]
        elif line.startswith("fn="):
            number, _, name = line[3:].partition(" ")
            function = names.setdefault(number, name)
        elif line.startswith("calls="):
            is_call = True
        elif line and (line[0].isdigit() or line[0] in "+-*") and "=" not in line:
            costs = dict(zip(events, map(int, line.split()[1:])))
            if not is_call and "value_and_gradient_of_f" not in function:
                total += sum(costs.get(name, 0) for name in ("DLmr", "DLmw", "DLdmr", "DLdmw", "ILdmr"))
            is_call = False
        elif line.startswith("cfn="):
            number, _, name = line[4:].partition(" ")
            names.setdefault(number, name)
    return total


def count(program, algorithm, pairs):
    short, long = (run_counts(program, algorithm, N, pairs, length) for length in (SHORT, LONG))
    iterations = long["iterations"] - short["iterations"]
    lines = lines_moved(program, algorithm, pairs, LONG) - lines_moved(program, algorithm, pairs, SHORT)
    memory = run_counts(program, algorithm, N_OF_MEMORY, pairs, SHORT)["bytes"]
    return {
        "algorithm": algorithm,
        "pairs": pairs,
        "evaluations": round((long["evaluations"] - short["evaluations"]) / iterations, 2),
        "all_reduces": round((long["all_reduces"] - short["all_reduces"]) / iterations, 2),
        "numbers": round((long["numbers"] - short["numbers"]) / iterations),
        "flops": round((long["flops"] - short["flops"]) / iterations / N, 1),
        "bytes_moved": round(lines * CACHE_LINE / iterations / N),
        "bytes_kept": round(memory / N_OF_MEMORY),
    }  # fmt: skip


# --- arithmetic -----------------------------------------------------------------------------------------------------

ASSUMPTIONS = {  # name: (default, what it is)
    "node_memory": (512e9, "bytes of memory a node"),
    "node_bandwidth": (400e9, "bytes a second between a node's memory and its cores"),
    "node_flops": (2e12, "flops a second of a node, as far as they are not waited for"),
    "processes_a_node": (64, "processes a node"),
    "latency": (2e-6, "seconds of a message between two nodes"),
    "latency_inside": (5e-7, "seconds of a message between two processes of a node"),
    "link_bandwidth": (20e9, "bytes a second of a node's link"),
}


def all_reduce_seconds(numbers, nodes, given):
    """Up a tree and down again: first within the nodes, then between them; each message has all the numbers."""
    inside = 2 * math.ceil(math.log2(given.processes_a_node)) * given.latency_inside if given.processes_a_node > 1 else 0.0
    between = 2 * math.ceil(math.log2(nodes)) * (given.latency + numbers * DOUBLE / given.link_bandwidth) if nodes > 1 else 0.0
    return inside + between


def at_scale(counts, n, nodes, given):
    """Of one iteration, f not included."""
    mine = n / nodes
    memory = counts["bytes_moved"] * mine / given.node_bandwidth
    flops = counts["flops"] * mine / given.node_flops
    reduces = counts["all_reduces"] * all_reduce_seconds(counts["numbers"] / counts["all_reduces"], nodes, given)
    kept = counts["bytes_kept"] * mine
    return {"kept": kept, "fits": kept <= given.node_memory, "memory": memory, "flops": flops, "reduces": reduces,
            "total": max(memory, flops) + reduces}


def shown_seconds(seconds):
    return f"{seconds:.2g} s" if seconds >= 1.0 else f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} us"


def shown_bytes(number):
    for unit, size in (("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.0f} B"


def power(number):
    exponent = round(math.log10(number))
    return f"10^{exponent}" if math.isclose(number, 10.0**exponent) else f"{number:g}"


def table(rows):
    first, *others = rows
    return ["| " + " | ".join(cells) + " |" for cells in (first, ["---"] * len(first), *others)] + [""]


def table_of_counts(all_counts):
    rows = [["algorithm", "pairs", "evaluations", "all-reduces", "numbers they carry", "flops a variable", "bytes moved a variable",
             "bytes kept a variable"]]
    rows += [[one["algorithm"], str(one["pairs"]), f"{one['evaluations']:g}", f"{one['all_reduces']:g}", str(one["numbers"]),
              f"{one['flops']:.0f}", str(one["bytes_moved"]), f"{one['bytes_kept']} ({one['bytes_kept'] / DOUBLE:.0f} numbers)"]
             for one in all_counts]
    return table(rows)


def table_of_sizes(counts, sizes, given):
    rows = [["variables", "nodes", "variables a node", "kept, in all", "kept a node", "bytes moved", "flops", "all-reduces", "an iteration",
             "of it all-reduces"]]
    for n, nodes in sizes:
        one = at_scale(counts, n, nodes, given)
        rows.append([power(n), power(nodes), power(n / nodes), shown_bytes(one["kept"] * nodes),
                     shown_bytes(one["kept"]) + ("" if one["fits"] else ", too much"), shown_seconds(one["memory"]),
                     shown_seconds(one["flops"]), shown_seconds(one["reduces"]), shown_seconds(one["total"]),
                     f"{100.0 * one['reduces'] / one['total']:.2g} %"])
    return table(rows)


def fewest_variables_a_node(counts, nodes, given):
    """Below these the all-reduces of an iteration take longer than its vectors."""
    one = at_scale(counts, nodes, nodes, given)
    return one["reduces"] / max(one["memory"], one["flops"])


def tables(all_counts, given):
    main = next(one for one in all_counts if (one["algorithm"], one["pairs"]) == (given.algorithm, given.pairs))
    n, nodes = given.variables, given.nodes
    growing = [(n / nodes * some, some) for some in sorted({1.0, 10.0, 100.0, 1000.0, nodes}) if some <= nodes]
    fixed = [(n, nodes * factor) for factor in (0.01, 0.1, 1.0, 10.0, 100.0) if nodes * factor >= 1.0]
    # The same vectors, with many all-reduces of one number each.
    of_other = main | {"all_reduces": given.other_all_reduces, "numbers": given.other_all_reduces}
    lines = ["### Counts of an iteration", "", *table_of_counts(all_counts)]
    lines += ["### Assumptions", "", *table([["option", "value", "what it is"], *(
        [f"`--{name.replace('_', '-')}`", f"{getattr(given, name):g}", what] for name, (_, what) in ASSUMPTIONS.items())])]
    name = f"{main['algorithm']} with {main['pairs']} pairs"
    lines += [f"### As many variables on each node, {name}", "", *table_of_sizes(main, growing, given)]
    lines += [f"### {power(n)} variables on more and more nodes, {name}", "", *table_of_sizes(main, fixed, given)]
    lines += [f"On {power(nodes)} nodes the all-reduces of an iteration take as long as its vectors at"
              f" {fewest_variables_a_node(main, nodes, given):.2g} variables a node; with {given.other_all_reduces:g} all-reduces, as many as"
              f" TAO's lmvm with 10 pairs takes, at {fewest_variables_a_node(of_other, nodes, given):.2g}.", ""]
    return lines


# --- the page -------------------------------------------------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variables", type=float, default=1e12)
    parser.add_argument("--nodes", type=float, default=1e4)
    parser.add_argument("--algorithm", default="l-bfgs+d")
    parser.add_argument("--pairs", type=int, default=10)
    for name, (default, what) in ASSUMPTIONS.items():
        parser.add_argument("--" + name.replace("_", "-"), type=float, default=default, help=f"{what} ({default:g})")
    parser.add_argument("--other-all-reduces", type=float, default=30.0,
                        help="all-reduces an iteration of a solver to compare with (30, TAO's lmvm as tools/petsc_bench counts them)")
    parser.add_argument("--measure", nargs="?", const=ROOT / "build/release/bench/counts", metavar="PROGRAM")
    given = parser.parse_args()
    if given.measure:
        counts = []
        for algorithm, pairs in COUNTED:
            counts.append(count(given.measure, algorithm, pairs))
            print(json.dumps(counts[-1]), flush=True)
        COUNTS.write_text(json.dumps(counts, indent=1) + "\n")
        return 0
    all_counts = json.loads(COUNTS.read_text())
    if not any((one["algorithm"], one["pairs"]) == (given.algorithm, given.pairs) for one in all_counts):
        parser.error(f"found no counts of {given.algorithm} with {given.pairs} pairs in {COUNTS}, expected one of "
                     + ", ".join(f"{one['algorithm']} {one['pairs']}" for one in all_counts))
    print("\n".join(tables(all_counts, given)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
