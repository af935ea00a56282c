"""Completes the stub that nanobind has written: `mypy --strict` wants the types inside of containers.

Usage: complete_stub.py STUB
"""

import re
import sys
from pathlib import Path

INSIDE = {"dict": "dict[str, Any]", "list": "list[Any]", "tuple": "tuple[Any, ...]"}


def complete(text: str) -> str:
    # In annotations only: after a colon, an arrow, a bar, a bracket or a comma inside of one.
    text = re.sub(r"(?<=: )(dict|list|tuple)(?=[,)\s]|$)", lambda found: INSIDE[found[1]], text, flags=re.M)
    text = re.sub(r"(?<=-> )(dict|list|tuple)(?=:)", lambda found: INSIDE[found[1]], text)
    text = re.sub(r"(?<=\[)(dict|list|tuple)(?=\])", lambda found: INSIDE[found[1]], text)
    if "Any" in text and not re.search(r"^from typing import .*\bAny\b", text, re.M):
        text = "from typing import Any\n\n" + text
    return text


if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.write_text(complete(path.read_text()))
