"""`polaris-admin export`: every stored record as a line of JSON."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polaris_search.cli.output import JsonOption, print_json, print_text
from polaris_search.errors import PolarisError, UsageError

if TYPE_CHECKING:
    from polaris_search.store.protocol import TableStore


def export(
    file: Annotated[
        str, typer.Argument(metavar="[FILE]", help="Where to; - or nothing: standard output.")
    ] = "-",
    as_json: JsonOption = False,
) -> None:
    """Write every table with all that is stored of it, one JSON line each, ids ascending.

    A FILE is replaced only once the export is whole. `import` reads it back into any store.

    Example: polaris-admin export tables.jsonl
    """
    from polaris_search.settings import read_settings
    from polaris_search.store.opening import open_store

    if file == "-" and as_json:
        raise UsageError("--json and the tables would share standard output. Name a FILE.")
    store = open_store(read_settings())
    try:
        tables = _to_stdout(store) if file == "-" else _to_file(store, Path(file))
    finally:
        store.close()
    if file == "-":
        return
    if as_json:
        print_json({"file": file, "tables": tables})
    else:
        print_text(f"Exported {tables} tables to {file}.")


def _to_stdout(store: "TableStore") -> int:
    from polaris_search.lifecycle.export import export_tables

    tables = export_tables(store, sys.stdout.buffer.write)
    sys.stdout.buffer.flush()
    return tables


def _to_file(store: "TableStore", path: Path) -> int:
    """Write beside the file and take its place at the end; a pipe or device is written as it is."""
    from polaris_search.lifecycle.export import export_anew, export_tables

    try:
        if path.exists() and not path.is_file():
            with path.open("wb") as file:
                return export_tables(store, file.write)
        with _replacing(path) as begin:
            return export_anew(store, begin)
    except OSError as error:
        raise PolarisError(
            f"{path} cannot be written ({error.strerror}). Name another FILE."
        ) from None


@contextmanager
def _replacing(path: Path) -> Iterator[Callable[[], Callable[[bytes], object]]]:
    """Yield what begins a new file anew; on the way out, if nothing failed, it becomes `path`."""
    real = path.resolve()  # a link goes on naming what it names
    part = real.with_name(f".{real.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:

            def begin() -> Callable[[bytes], object]:
                file.seek(0)
                file.truncate()
                return file.write

            yield begin
            file.flush()
            os.fsync(file.fileno())
        part.replace(real)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()
