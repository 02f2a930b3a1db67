"""What every reader yields: a table with the place it was read from, or a report why not."""

from dataclasses import dataclass

from ingest.rejected import Rejected
from polaris_search.records import RawTable


@dataclass(frozen=True, slots=True)
class Row:
    """A raw table and where it stands; `line` counts from 1, None where there are no lines."""

    table: RawTable
    source: str
    line: int | None = None


ReadItem = Row | Rejected


def empty_source(source: str) -> Rejected:
    """Return the report of a file that holds nothing."""
    return Rejected(source, None, "The file is empty", "Write it again, or leave it out.")
