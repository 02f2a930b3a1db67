"""`polaris-admin import`: the lines of an export back into the live index."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from polaris_search.cli.output import JsonOption, print_json, print_text, tell
from polaris_search.errors import SourceUnreadable

if TYPE_CHECKING:
    from polaris_search.lifecycle.import_records import ImportReport


def import_records(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="Files of `export`; - standard input.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Store the records of an export as they are; tables of the same id are replaced.

    Can be stopped and run again: what is stored already is not written twice. Exits 1 if a line is
    no record; the others are stored all the same.

    Example: polaris-admin import tables.jsonl
    """
    from polaris_search.lifecycle.import_records import import_records as import_from
    from polaris_search.settings import read_settings
    from polaris_search.store.opening import open_store

    with _opened(files) as opened:
        store = open_store(read_settings())
        try:
            report = import_from(store, opened)
        finally:
            store.close()
    if as_json:
        print_json(asdict(report))
    else:
        _print(report)
    if report.rejected:
        raise typer.Exit(1)


@contextmanager
def _opened(files: list[str]) -> Iterator[list[tuple[str, BinaryIO]]]:
    """Open all files before anything is stored, so that a mistyped path costs nothing."""
    with ExitStack() as exits:
        opened: list[tuple[str, BinaryIO]] = []
        for name in files:
            try:
                file = sys.stdin.buffer if name == "-" else exits.enter_context(open(name, "rb"))
            except OSError as error:
                raise SourceUnreadable(
                    name, f"It cannot be read ({error.strerror})", "Check the path."
                ) from None
            opened.append((name, file))
        yield opened


def _print(report: "ImportReport") -> None:
    for rejected in report.first_rejected:
        tell(rejected.sentence)
    if report.rejected > len(report.first_rejected):
        tell(f"... and {report.rejected - len(report.first_rejected)} more.")
    print_text(
        f"Imported {report.imported} tables, {report.unchanged} were there already, "
        f"{report.rejected} lines rejected."
    )
