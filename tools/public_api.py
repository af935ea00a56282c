#!/usr/bin/env python3
"""Reads the public headers: what they declare, and what they say about it.

The headers are in the house style (docs/architecture.md), so that no C++ parser is needed: declarations of the
namespace begin in the first column, the comment stands right above them, and what follows without an empty line
(overloads, mostly) shares it.

    tools/public_api.py --undocumented     lists declarations without a comment as FILE:LINE: NAME; exit status 1 if any
    tools/public_api.py --names            the names that the headers declare, one a line
"""

import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAME = [
    re.compile(r"^(?:typedef )?(?:class|struct|enum class|enum)\s+(?:\[\[\w+\]\]\s+)?(\w+)"),
    re.compile(r"^using\s+(\w+)"),
    re.compile(r"^typedef .*\(\*(\w+)\)"),
    re.compile(r"^typedef .*?(\w+);"),
    re.compile(r"^#define\s+(\w+)"),
    re.compile(r"^inline constexpr .*?(\w+)\s*[={]"),
    re.compile(r"^[\w:<>*&,\s]*?(\w+)\("),
]
# What belongs to the file and not to the interface.
SKIPPED = re.compile(r"^(LOA_EXPORT_|namespace|\}  // namespace|#(if|error|else|endif|include|pragma)|extern \"C\"|\}\s*$|(class|struct) \w+;)")


@dataclass
class Entry:
    """Declarations that share one comment."""

    line: int
    comment: list = field(default_factory=list)
    code: list = field(default_factory=list)
    names: list = field(default_factory=list)


@dataclass
class Header:
    path: Path
    opening: list  # the lines of the first comment, without slashes
    entries: list


def name_of(line):
    for pattern in NAME:
        if match := pattern.match(line):
            return match.group(1)
    raise ValueError(f"no name in: {line}")


def strip(comment):
    return comment.removeprefix("//").removeprefix(" ")


def read_header(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    start = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    opening = [strip(line) for line in lines[:start]]
    entries, comment, entry, depth = [], [], None, 0
    for i in range(start, len(lines)):
        line = lines[i]
        if depth == 0:
            if line.startswith("//"):
                comment = (comment if entry is None else []) + [strip(line)]
                entry = None
                continue
            if not line or SKIPPED.match(line) or is_guard(lines, i):
                entry, comment = None, []
                continue
            if entry is None:
                entry = Entry(i + 1, comment)
                entries.append(entry)
            if is_start(entry):
                entry.names.append(name_of(line))
        entry.code.append(line)
        text = re.sub(r"//.*", "", line)
        depth += text.count("{") + text.count("(") - text.count("}") - text.count(")")
    return Header(path, opening, entries)


def is_guard(lines, i):
    return lines[i].startswith("#define") and lines[i - 1].startswith("#ifndef")


def is_start(entry):
    """Whether the next line begins a declaration: there is none yet, or the last one has ended."""
    return not entry.code or re.search(r"[;}]\s*(//.*)?$", entry.code[-1]) or entry.code[-1].startswith("#define")


def public_headers(root=ROOT):
    paths = [root / "include/loa.h", *sorted((root / "include/loa").glob("*.h")), *sorted((root / "lab/include/loa").glob("*.h"))]
    # export.h is for the other headers, not for users.
    return [read_header(path) for path in paths if path.exists() and path.name != "export.h"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=ROOT)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--undocumented", action="store_true")
    what.add_argument("--names", action="store_true")
    arguments = parser.parse_args()
    status = 0
    for header in public_headers(arguments.root):
        for entry in header.entries:
            if arguments.names:
                print("\n".join(entry.names))
            elif not entry.comment:
                print(f"{header.path.relative_to(arguments.root)}:{entry.line}: {', '.join(entry.names)}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
