"""Delimited text as records, each with the line it starts at, whatever is wrong with some of them.

A file comes in; a Record goes out for each good record, a Broken for each other one, and reading
goes on at the next line. It knows nothing of tables. At most MAX_RECORD_CHARS are held.
"""

import csv
import re
from collections import deque
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from ingest.rejected import excerpt_of

MAX_RECORD_CHARS = 32 * 2**20
DELIMITERS = (",", ";", "|", "\t")
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")

_UNDECODED = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True, slots=True)
class Record:
    """One record. `line` is its first line, from 1; `text` its raw text with line ends."""

    line: int
    fields: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Broken:
    """A record that cannot be read, and why."""

    line: int
    problem: str
    remedy: str
    excerpt: str = ""


def read_records(path: Path, delimiter: str) -> Generator[Record | Broken, None, None]:
    """Yield the records of a UTF-8 file in order; blank lines are passed over.

    A record that cannot be parsed costs its first line only: reading goes on at the line after it,
    so that a quote left open does not swallow the good rows below.
    """
    if is_utf16(path):
        yield Broken(1, "The file is in UTF-16", "Save it as UTF-8.")
        return
    csv.field_size_limit(MAX_RECORD_CHARS)  # of the whole process; a smaller one loses good rows
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        feed = _LineFeed(file)
        parsed = csv.reader(feed, delimiter=delimiter, strict=True)
        while True:
            feed.begin_record()
            try:
                fields = next(parsed)
            except StopIteration:
                return
            except (csv.Error, _RecordTooLong) as error:
                yield feed.give_up(_problem(error))
                continue
            if fields:
                yield _undecodable(feed) or Record(feed.line, tuple(fields), "".join(feed.taken))


def first_record(path: Path, delimiter: str) -> Record | Broken | None:
    """Return the first record, None in a file without any, Broken if it cannot be read."""
    with closing(read_records(path, delimiter)) as records:
        return next(records, None)


def is_utf16(path: Path) -> bool:
    """Return whether the file begins with the byte order mark of UTF-16."""
    with path.open("rb") as file:
        return file.read(2) in UTF16_MARKS


class _RecordTooLong(Exception):
    """More than MAX_RECORD_CHARS without the end of the record."""


class _LineFeed:
    """The lines of a file for csv.reader, with those of the current record kept to be read again.

    csv.reader drops what it holds when it raises, and takes up the next line given to it.
    """

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._again: deque[str] = deque()
        self._chars = 0
        self.line = 1
        self.taken: list[str] = []

    def __iter__(self) -> "_LineFeed":
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else self._next_line()
        if not line:
            raise StopIteration
        self.taken.append(line)
        self._chars += len(line)
        if self._chars > MAX_RECORD_CHARS:
            raise _RecordTooLong
        return line

    def begin_record(self) -> None:
        """Forget the record that was read; the next line taken is the first of the next one."""
        self.line += len(self.taken)
        self.taken = []
        self._chars = 0

    def give_up(self, problem: tuple[str, str]) -> Broken:
        """Return the current record as broken, and give its lines but the first out again."""
        text = "".join(self.taken)
        self._again.extendleft(reversed(self.taken[1:]))
        del self.taken[1:]
        return Broken(self.line, *problem, excerpt_of(text))

    def _next_line(self) -> str:
        line = self._file.readline(MAX_RECORD_CHARS + 1)
        rest = line
        while len(rest) > MAX_RECORD_CHARS and not rest.endswith(("\n", "\r")):
            rest = self._file.readline(MAX_RECORD_CHARS + 1)  # so that the next line is a whole one
        return line


def _problem(error: Exception) -> tuple[str, str]:
    if isinstance(error, _RecordTooLong):
        millions = MAX_RECORD_CHARS // 2**20
        return (
            f"The row does not end within {millions} million characters",
            "Close the quote that was left open, or shorten the row.",
        )
    return (
        "A quote is left open, or not doubled inside a quoted text",
        "Close it, and double every quote that is part of a text.",
    )


def _undecodable(feed: _LineFeed) -> Broken | None:
    for number, line in enumerate(feed.taken, start=feed.line):
        bad = _UNDECODED.search(line)
        if bad:
            problem = f"Byte 0x{ord(bad.group()) - 0xDC00:02x} is not UTF-8"
            return Broken(
                number, problem, "Save the file as UTF-8.", excerpt_of(line[bad.start() :])
            )
    return None
