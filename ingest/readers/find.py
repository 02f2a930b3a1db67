"""Finds what there is to read in a source that a person names, and tells the formats apart.

A folder is walked in the order of names, hidden files and this product's own stores left out.
Where it holds a metadata.csv, that is the catalogue and the files beside it (queries, judgments)
are not tables. Nothing is opened for longer than it takes to see what it is, but for databases,
which must answer.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Union

from ingest.readers.delimited import Record, first_record
from ingest.readers.polaris import REQUIRED, header_names
from ingest.rejected import Rejected
from polaris_search.errors import SourceUnreadable, UsageError
from polaris_search.store.embedded.database import FILE_NAME as STORE_FILE

if TYPE_CHECKING:
    from ingest.readers.sql import Database  # it needs SQLAlchemy, which takes long to import

FileFormat = Literal["polaris", "csv", "tsv", "jsonl"]
Format = FileFormat | Literal["sql"]
FORMATS: tuple[Format, ...] = ("polaris", "csv", "tsv", "jsonl", "sql")
CATALOGUE = "metadata.csv"
SQLITE_MAGIC = b"SQLite format 3\0"

_BY_EXTENSION: dict[str, FileFormat] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read. `table_id` is the id of its table where the file is the table."""

    path: Path
    format: FileFormat
    table_id: str


Found = Union[FoundFile, "Database", Rejected]


def find_sources(paths: Sequence[str], format: str | None = None) -> Iterator[Found]:
    """Return what the sources hold, in order, after a look at every one of them.

    Raises:
        SourceUnreadable: a source that does not exist, holds nothing readable or does not answer.
        UsageError: `format` is none of FORMATS.
    """
    wanted = _known_format(format)
    missing = [path for path in paths if "://" not in path and not os.path.exists(path)]
    if missing:
        raise SourceUnreadable(", ".join(missing), "There is no such file", "Check the path.")
    return chain.from_iterable([_source(path, wanted) for path in paths])


def unreadable(source: str, error: OSError) -> Rejected:
    """Return the report of a file or folder that the system does not let be read."""
    problem = f"It cannot be read ({error.strerror or error})"
    return Rejected(source, None, problem, "Check that it is there and that you may read it.")


def _known_format(format: str | None) -> Format | None:
    for known in FORMATS:
        if format == known:
            return known
    if format is None:
        return None
    raise UsageError(f"No format {format!r}. Choose one of: {', '.join(FORMATS)}.")


def _source(source: str, wanted: Format | None) -> Iterator[Found]:
    if "://" in source:
        return iter([_database(source)])
    path = Path(source)
    if path.is_dir():
        return _something(path, wanted)
    try:
        found = wanted or _format_of(path) or _format_inside(path)
    except OSError as error:
        problem = unreadable(source, error)
        raise SourceUnreadable(source, problem.problem, problem.remedy) from None
    if found is None:
        remedy = f"Say what it is with --format: {', '.join(FORMATS)}."
        raise SourceUnreadable(source, "Its name and its beginning do not tell its format", remedy)
    return iter([_found(path, found, path.as_posix())])


def _something(folder: Path, wanted: Format | None) -> Iterator[Found]:
    """Return what a folder holds, which must be something."""
    walk = _walk(folder, wanted)
    for first in walk:
        return chain([first], walk)
    kind = wanted or f"{', '.join(_BY_EXTENSION)} or SQLite"
    raise SourceUnreadable(
        str(folder), f"The folder holds no {kind} file", "Check the path, or name a file."
    )


def _walk(root: Path, wanted: Format | None) -> Iterator[Found]:
    problems: list[OSError] = []
    for folder, subfolders, files in os.walk(root, onerror=problems.append):
        if STORE_FILE in files:  # this product's own data, such as ./polaris-data
            subfolders.clear()
            continue
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        if CATALOGUE in files and wanted in (None, "polaris"):
            files = [CATALOGUE]
        for name in sorted(name for name in files if not name.startswith(".")):
            yield from _found_in(root, Path(folder, name), wanted)
    for problem in problems:
        yield unreadable(str(problem.filename), problem)


def _found_in(root: Path, path: Path, wanted: Format | None) -> Iterator[Found]:
    try:
        found = _format_of(path)
        if found and _is_wanted(path, found, wanted):
            yield _found(path, wanted or found, path.relative_to(root).as_posix())
    except OSError as error:
        yield unreadable(str(path), error)
    except SourceUnreadable as error:  # a SQLite file that is damaged
        yield Rejected(str(path), None, error.problem, error.remedy)


def _is_wanted(path: Path, found: Format, wanted: Format | None) -> bool:
    if wanted in (None, found):
        return True
    return wanted == _BY_EXTENSION.get(path.suffix.lower())  # a catalogue, asked for as data


def _found(path: Path, format: Format, table_id: str) -> Found:
    return _database(str(path)) if format == "sql" else FoundFile(path, format, table_id)


def _database(source: str) -> "Database":
    from ingest.readers.sql import open_database

    return open_database(source)


def _format_of(path: Path) -> Format | None:
    if _is_sqlite(path):
        return "sql"
    found = _BY_EXTENSION.get(path.suffix.lower())
    if found in ("csv", "tsv") and (path.name == CATALOGUE or _has_catalogue_header(path)):
        return "polaris"
    return found


def _is_sqlite(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(SQLITE_MAGIC)) == SQLITE_MAGIC


def _format_inside(path: Path) -> Format | None:
    """Return the format of a file whose name says nothing."""
    with path.open("rb") as file:
        if file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            return "jsonl"
    return "polaris" if _has_catalogue_header(path) else None


def _has_catalogue_header(path: Path) -> bool:
    """Return whether at least two of the three columns are there, so that the third is missed."""
    _, header = first_record(path)
    return isinstance(header, Record) and len(set(header_names(header)) & set(REQUIRED)) >= 2
