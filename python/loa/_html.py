"""Small tables for Jupyter."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from typing import Any


def text(value: Any) -> str:
    """A value as a person would write it."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {text(entry)}" for key, entry in value.items())
    return str(value)


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], caption: str = "") -> str:
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in header)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{html.escape(text(cell))}</td>" for cell in row) + "</tr>"
        for row in rows
    )
    title = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def preformatted(content: str) -> str:
    return f"<pre>{html.escape(content)}</pre>"
