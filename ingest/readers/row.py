"""What every reader yields: a table with the place it was read from, or a report why not.

And a Notice, where all was read and a person should still know something.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ingest.rejected import Rejected
from polaris_search.errors import TableInvalid
from polaris_search.records import RawTable


@dataclass(frozen=True, slots=True)
class Row:
    """A raw table and where it stands; `line` counts from 1, None where there are no lines."""

    table: RawTable
    source: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """What a person should know of a source of which no table is lost. `text` is a sentence."""

    source: str
    text: str

    @property
    def sentence(self) -> str:
        """The notice as `source: text`."""
        return f"{self.source}: {self.text}".encode("utf-8", "backslashreplace").decode("utf-8")


ReadItem = Row | Rejected
ReadOrNotice = Row | Rejected | Notice


def empty_source(source: str) -> Rejected:
    """Return the report of a file that holds nothing."""
    return Rejected(source, None, "The file is empty", "Write it again, or leave it out.")


def placed_items(
    make: Callable[[], RawTable | None],
    source: str,
    place: str,
    table_id: str | None,
    line: int | None = None,
    excerpt: str = "",
) -> Iterator[ReadItem]:
    """Yield the table that `make` gives; where it is refused, the report with its place.

    Args:
        make: returns None for what is no table, raises TableInvalid for one that cannot be taken.
        source: the file or address that the table was read from.
        place: what its source calls it, for the report.
        table_id: its id, where that is known.
        line: where it starts in the source.
        excerpt: the start of its raw text, safe to print.
    """
    try:
        table = make()
        if table is not None:
            yield Row(table, source, line)
    except TableInvalid as error:
        problem = f"{place}: {error.problem}"
        yield Rejected(source, line, problem, error.remedy, table_id, excerpt)
