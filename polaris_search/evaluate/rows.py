"""The rows of a CSV file, streamed and checked, with the line each one starts on.

A row that cannot be used comes out as a Problem in its place, so that a caller sees every fault in
one pass. What the columns mean is not known here.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polaris_search.evaluate.problems import Problem

MAX_CELL_CHARS = 32 * 2**20

# Bytes that are not UTF-8 are decoded to this range, so that the row they stand in can be named.
_UNDECODED = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the line it starts on (the header's is 1) and its cells by column name."""

    line: int
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class _Record:
    line: int
    cells: list[str]


def read_rows(path: Path, columns: Sequence[str]) -> Iterator[Row | Problem]:
    """Yield each row of a UTF-8 CSV file that has these columns, or a Problem in its place.

    Other columns are left aside, blank lines skipped, a byte order mark accepted.
    """
    if path.exists() and not path.is_file():  # a pipe would be waited for, for ever
        yield Problem(path, None, "It is no regular file", "Put the data into a file.")
        return
    try:
        file = path.open(encoding="utf-8-sig", errors="surrogateescape", newline="")
    except OSError as error:
        yield Problem(path, None, f"It cannot be read ({error.strerror})", "Put the file there.")
        return
    with file:
        records = _records(path, file)
        header = next(records, None)
        if not isinstance(header, _Record):
            yield header or Problem(
                path, None, "It is empty", f"Give it a header: {','.join(columns)}."
            )
            return
        names = [name.strip() for name in header.cells]
        missing = [column for column in columns if column not in names]
        if missing:
            found = ", ".join(names)
            yield Problem(
                path,
                header.line,
                f"It has no column {', '.join(missing)} (its columns: {found})",
                f"Name the columns {','.join(columns)} in the first line.",
            )
            return
        for record in records:
            yield _row(path, names, record) if isinstance(record, _Record) else record


def _records(path: Path, lines: Iterable[str]) -> Iterator[_Record | Problem]:
    csv.field_size_limit(MAX_CELL_CHARS)  # of the whole process; its default refuses long texts
    reader = csv.reader(lines, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Problem(
                path,
                line,
                f"It is not CSV ({error})",
                "Close every quote, and write a quote inside as two.",
            )
            continue
        if cells:
            yield _Record(line, cells) if _decoded(cells) else _undecoded(path, line)


def _decoded(cells: list[str]) -> bool:
    return not any(_UNDECODED.search(cell) for cell in cells)


def _undecoded(path: Path, line: int) -> Problem:
    return Problem(path, line, "It holds bytes that are not UTF-8", "Save the file as UTF-8.")


def _row(path: Path, names: list[str], record: _Record) -> Row | Problem:
    if len(record.cells) != len(names):
        return Problem(
            path,
            record.line,
            f"It has {len(record.cells)} cells, the header {len(names)}",
            "Put a text that holds a comma into double quotes.",
        )
    return Row(record.line, dict(zip(names, record.cells, strict=True)))
