#!/usr/bin/env python3
"""Makes the tables of docs/loa.md again that bench/ablation makes.

A table stands between two comments, `<!-- of: build/bench/bench/ablation ARGUMENTS -->` and `<!-- end -->`. Each command
is run, and what it prints takes the place of the table. `make bench` builds the program. With 16 cores all tables take a
few minutes.

    tools/make_ablation_tables.py [--program FILE] [--jobs J] [GROUP ...]

With groups (parts+d, memory+d, ...) only their tables are made.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/loa.md"
BLOCK = re.compile(r"(<!-- of: build/bench/bench/ablation (.*?) -->\n)(.*?)(<!-- end -->\n)", re.DOTALL)


def table_of(command):
    """The lines of the table that a command prints."""
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return "".join(line + "\n" for line in printed.splitlines() if line.startswith("|"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default=str(ROOT / "build/bench/bench/ablation"))
    parser.add_argument("--jobs", default="")
    parser.add_argument("groups", nargs="*")
    options = parser.parse_args()
    blocks = [match.group(2) for match in BLOCK.finditer(PAGE.read_text(encoding="utf-8"))]
    wanted = [block for block in blocks if not options.groups or block.split()[0] in options.groups]
    if not wanted:
        sys.exit(f"{PAGE}: found no table of {', '.join(options.groups)}, expected one of {', '.join(blocks)}")
    for arguments in wanted:
        print(f"ablation {arguments}", file=sys.stderr)
        jobs = ["--jobs", options.jobs] if options.jobs else []
        table = table_of([options.program, *jobs, *arguments.split()])
        # The page is read and written for each table: whoever interrupts this keeps what is done.
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(
            BLOCK.sub(
                lambda match: match.group(1) + (table if match.group(2) == arguments else match.group(3)) + match.group(4),
                text,
            ),
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
