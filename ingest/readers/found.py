"""What there is to read in a source, before any of it is read."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.readers.formats import FileFormat
from ingest.readers.information_schema.exports import Dump
from ingest.rejected import Rejected

if TYPE_CHECKING:  # what these need takes long to import
    from ingest.readers.ckan.portal import Portal
    from ingest.readers.sql.connecting import Database


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read; `table` stands for the Parquet table that it is the first part of."""

    path: Path
    format: FileFormat
    table: Path | None = None


@dataclass(frozen=True, slots=True)
class FoundDatabase:
    """A database that answered."""

    database: "Database"


@dataclass(frozen=True, slots=True)
class FoundPortal:
    """A CKAN portal that answered."""

    portal: "Portal"


Found = FoundFile | Dump | FoundDatabase | FoundPortal | Rejected


@dataclass(frozen=True, slots=True)
class Source:
    """What a person named, and what there is to read in it.

    `name` is the path with forward slashes (`sa` for `./sa/`), or the address of a database or a
    portal without user, password and options: what tables come from that do not say it themselves.
    """

    name: str
    found: Iterator[Found]


def unreadable(source: str, error: OSError) -> Rejected:
    """Return the report of a file or folder that the system does not let be read."""
    problem = f"It cannot be read ({error.strerror or error})"
    return Rejected(source, None, problem, "Check that it is there and that you may read it.")
