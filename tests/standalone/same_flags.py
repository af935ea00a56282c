#!/usr/bin/env python3
"""Whether two builds compile the library with the same flags. Usage: same_flags.py BUILD_DIR OTHER_BUILD_DIR

Paths of output, launchers and warnings (each compiler has its own) do not count. Says what differs, and exits with 1 if anything does.
"""

import json
import shlex
import sys
from pathlib import Path


def flags(build):
    """Object -> its flags, sorted."""
    found = {}
    for entry in json.loads((Path(build) / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        _, marker, object_file = words[words.index("-o") + 1].partition("CMakeFiles/loa.dir/")
        if marker:
            first = next(i for i, word in enumerate(words) if word.startswith("-"))
            words = words[first : words.index("-o")]
            found[object_file] = sorted(word for word in words if not word.startswith("-W"))
    return found


def main():
    one, other = flags(sys.argv[1]), flags(sys.argv[2])
    problems = [f"{name}: is in one of the builds only" for name in sorted(set(one) ^ set(other))]
    for name in sorted(set(one) & set(other)):
        if one[name] != other[name]:
            problems.append(f"{name}: flags differ: {' '.join(sorted(set(one[name]) ^ set(other[name])))}")
    print("\n".join(problems[:5]) or f"{len(one)} objects with the same flags")
    return 1 if problems or not one else 0


if __name__ == "__main__":
    sys.exit(main())
