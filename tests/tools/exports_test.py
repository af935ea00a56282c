#!/usr/bin/env python3
"""The shared library shows the public interface and nothing else. Usage: exports_test.py LIBRARY

Every strong symbol that it defines must be named by a public header, and every function that include/loa.h declares must be
there, as must the classes that users derive from. Weak symbols are instances of templates of std and Eigen.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
from public_api import public_headers  # noqa: E402


def main():
    lines = subprocess.run(
        ["nm", "-DC", "--defined-only", sys.argv[1]], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    symbols = [line.split(maxsplit=2)[1:] for line in lines]
    public, of_c = set(), set()
    for header in public_headers():
        for entry in header.entries:
            public.update(entry.names)
            if header.path.name == "loa.h" and header.path.parent.name == "include":
                of_c.update(re.findall(r"^[\w* ]*\b(loa_\w+)\(", "\n".join(entry.code), re.MULTILINE))
    problems, shown = [], set()
    for kind, symbol in symbols:
        symbol = re.sub(r"^(vtable|typeinfo|typeinfo name|VTT|guard variable) for ", "", symbol)
        symbol = re.sub(r"\[abi:\w+\]", "", symbol)
        match = re.match(r"loa::(?:operator[^(]*|(\w+))", symbol) or re.match(r"(loa_\w+)$", symbol)
        if match:
            shown.add(match.group(1))
        if (match and match.group(1) not in public) or (not match and kind in "TDBR"):
            problems.append(f"is shown but in no public header: {symbol}")
    for name in sorted(of_c | {"Objective", "Model", "Oracle", "Update", "Storage", "InverseHessian", "Reduction"}):
        if name not in shown:
            problems.append(f"is public but not shown: {name}")
    print("\n".join(problems) or f"{len(shown)} names are shown, all of them public; {len(of_c)} are functions of C")
    return 1 if problems or len(of_c) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
