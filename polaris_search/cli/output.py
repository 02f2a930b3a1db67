"""What every command prints with.

A result goes to stdout, as one JSON object or as text for a person; everything else to stderr.
"""

import json
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]


def print_json(document: object) -> None:
    """Print one JSON object in one line, without losing a character to the terminal's encoding."""
    line = json.dumps(document, ensure_ascii=False) + "\n"
    sys.stdout.buffer.write(line.encode("utf-8", "replace"))
    sys.stdout.buffer.flush()


def print_text(text: str = "") -> None:
    """Print a line for a person."""
    typer.echo(text)


def tell(text: str) -> None:
    """Print a line on stderr: a notice or progress, never a result."""
    typer.echo(text, err=True)


def print_columns(
    rows: Sequence[Sequence[str]], headings: Sequence[str], title: str | None = None
) -> None:
    """Print rows as a table that fits the terminal; its first column is never broken."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for number, heading in enumerate(headings):
        table.add_column(heading, overflow="fold", no_wrap=number == 0)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))  # Text: brackets in names are not markup
    Console().print(table)
