"""Finds what there is to read in a source that a person names, and tells the formats apart.

Where a folder holds a metadata.csv, that is the catalogue and the files beside it (queries,
judgments) are not tables. Nothing but files is opened, and for no longer than it takes to see what
they are, but for databases, which must answer.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Union

from ingest.readers.address import is_address, shown_address
from ingest.readers.delimited import Record
from ingest.readers.polaris import REQUIRED, catalogue_header, header_names
from ingest.readers.walk import other_than_file, walk
from ingest.rejected import Rejected
from polaris_search.errors import SourceUnreadable, UsageError

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
    """A file to read."""

    path: Path
    format: FileFormat


Found = Union[FoundFile, "Database", Rejected]


@dataclass(frozen=True, slots=True)
class Source:
    """What a person named, and what there is to read in it.

    `name` is the path with forward slashes (`sa` for `./sa/`), or the address of a database without
    user, password and options: what tables come from that do not say it themselves.
    """

    name: str
    found: Iterator[Found]


def find_sources(paths: Sequence[str], format: str | None = None) -> list[Source]:
    """Return the sources in order, after a look at every one of them.

    Raises:
        SourceUnreadable: a source that does not exist, holds nothing readable or does not answer.
        UsageError: `format` is none of FORMATS.
    """
    wanted = _known_format(format)
    missing = [path for path in paths if not is_address(path) and not os.path.exists(path)]
    if missing:
        shown = ", ".join(map(shown_address, missing))
        raise SourceUnreadable(shown, "There is no such file", "Check the path.")
    return [_source(path, wanted) for path in paths]


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


def _source(source: str, wanted: Format | None) -> Source:
    if is_address(source):
        database = _database(source)
        return Source(_storable(database.shown), iter([database]))
    path = Path(source)
    found = _something(path, wanted) if path.is_dir() else iter([_named_file(path, wanted)])
    return Source(_storable(path.as_posix()), found)


def _storable(name: str) -> str:
    """Return a name as UTF-8 can hold it: the names of files may be any bytes."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


def _named_file(path: Path, wanted: Format | None) -> Found:
    try:
        other = other_than_file(path)
        if other:
            remedy = "Write what it gives into a file, and name that."
            raise SourceUnreadable(str(path), f"It is {other}, not a file", remedy)
        found = wanted or _format_of(path) or _format_inside(path)
    except OSError as error:
        problem = unreadable(str(path), error)
        raise SourceUnreadable(str(path), problem.problem, problem.remedy) from None
    if found is None:
        remedy = f"Say what it is with --format: {', '.join(FORMATS)}."
        problem_of_name = "Its name and its beginning do not tell its format"
        raise SourceUnreadable(str(path), problem_of_name, remedy)
    return _found(path, found)


def _something(folder: Path, wanted: Format | None) -> Iterator[Found]:
    """Return what a folder holds, which must be something."""
    found = _below(folder, wanted)
    for first in found:
        return chain([first], found)
    kind = wanted or f"{', '.join(_BY_EXTENSION)} or SQLite"
    raise SourceUnreadable(
        str(folder), f"The folder holds no {kind} file", "Check the path, or name a file."
    )


def _below(root: Path, wanted: Format | None) -> Iterator[Found]:
    for folder in walk(root):
        if isinstance(folder, OSError):
            yield unreadable(str(folder.filename), folder)
            continue
        is_catalogue = CATALOGUE in folder.files and wanted in (None, "polaris")
        for name in (CATALOGUE,) if is_catalogue else folder.files:
            yield from _found_in(folder.path / name, wanted)


def _found_in(path: Path, wanted: Format | None) -> Iterator[Found]:
    try:
        other = other_than_file(path)
        if other:
            remedy = "Write what it gives into a file, or move it elsewhere."
            yield Rejected(str(path), None, f"It is {other}, not a file", remedy)
            return
        found = _format_of(path)
        if found and _is_wanted(path, found, wanted):
            yield _found(path, wanted or found)
    except OSError as error:
        yield unreadable(str(path), error)
    except SourceUnreadable as error:  # a SQLite file that is damaged
        yield Rejected(str(path), None, error.problem, error.remedy)


def _is_wanted(path: Path, found: Format, wanted: Format | None) -> bool:
    if wanted in (None, found):
        return True
    return wanted == _BY_EXTENSION.get(path.suffix.lower())  # a catalogue, asked for as data


def _found(path: Path, format: Format) -> Found:
    return _database(str(path)) if format == "sql" else FoundFile(path, format)


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
    _, header = catalogue_header(path)
    return isinstance(header, Record) and len(set(header_names(header)) & set(REQUIRED)) >= 2
