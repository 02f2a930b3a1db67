"""What every command prints with.

A result goes to stdout, as one JSON object or as text for a person; everything else to stderr.
Names and texts come from anywhere: control characters in them never reach a terminal as such.
"""

import io
import json
import os
import re
import sys
from collections.abc import Sequence
from typing import Annotated, TextIO

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]

# Everything a terminal may act on, but for the line break; \x9b is an escape sequence by itself.
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")


def print_anything() -> None:
    """Let stdout and stderr take any character, and stand in for them where they are closed."""
    sys.stdout = _tolerant(sys.stdout)
    sys.stderr = _tolerant(sys.stderr)


def _tolerant(stream: TextIO | None) -> TextIO:
    if stream is None:  # closed by whoever started us
        return open(os.devnull, "w", encoding="utf-8")  # lives as long as we do
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    return stream


def print_json(document: object) -> None:
    """Print one JSON object in one line, in UTF-8 whatever the terminal's encoding."""
    line = json.dumps(document, ensure_ascii=False) + "\n"
    sys.stdout.buffer.write(line.encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def print_text(text: str = "") -> None:
    """Print a line for a person."""
    typer.echo(visible(text))


def tell(text: str) -> None:
    """Print a line on stderr: a notice or progress, never a result."""
    typer.echo(visible(text), err=True)


def visible(text: str) -> str:
    """Return the text with control characters written out, so that they do nothing."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found.group()):02x}", text)


def print_columns(rows: Sequence[Sequence[str]], headings: Sequence[str], title: str = "") -> None:
    """Print rows as a table that fits the terminal; its first column is never broken."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(visible(title)) if title else None,
        title_justify="left",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for number, heading in enumerate(headings):
        table.add_column(heading, overflow="fold", no_wrap=number == 0)
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))  # Text: brackets are not markup
    Console().print(table)
