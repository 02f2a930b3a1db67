"""Large JSON documents cut into the members of one list or object; held is one member at a time.

A file comes in, the raw text of each member at a place goes out, with its key and the line that it
starts at. Only quotes and brackets are looked at here, so that what else is wrong with a member
costs that member alone. It knows nothing of tables.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ingest.readers.delimited import UTF16_MARKS
from ingest.readers.json_documents.member import MAX_MEMBER_BYTES, JsonBroken, Member

CHUNK_BYTES = 128 * 1024

# A string that the buffer cuts off matches without its closing quote. Nothing is tried twice.
TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+("?+)|[\[\]{}]', re.DOTALL)
COLON = re.compile(rb"\s*(:?)")

_QUOTE = ord('"')
_AROUND = b", \t\r\n"
_HELD_OF_ENDLESS = 4096
_MOST_BLANKS = 1024  # between a key and its colon


def members_at(path: Path, place: Sequence[str]) -> Iterator[Member]:
    """Yield the members of the list or object at a place, in order; the first such place counts.

    Args:
        path: a JSON document.
        place: the keys that lead there; none for the document itself.

    Raises:
        JsonBroken: the document ends too early. What could be cut out of it has come before.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        yield from _Cutter(file, place).members()


@dataclass(slots=True)
class _Open:
    """The member that one is in: where in the buffer it starts, None where it is too long."""

    key: str
    line: int
    start: int | None


class _Cutter:
    def __init__(self, file: BinaryIO, place: Sequence[str]) -> None:
        self._file = file
        self._place = tuple(place)
        self._inside = len(self._place) + 1  # the depth within the list or object that is wanted
        self._keys = [""] * (self._inside + 1)  # the latest key at each depth
        self._matched = 0  # how many of the open brackets lead there
        self._depth = 0
        self._buffer = b""
        self._at = 0  # up to here all is understood
        self._rest = 0  # from here on, nothing of the list or object was given out
        self._line, self._counted = 1, 0
        self._open: _Open | None = None
        self._pending: tuple[str, int] | None = None  # a key, and where its value starts
        self._done = self._ended = False

    def members(self) -> Iterator[Member]:
        self._read()
        if self._buffer.startswith(UTF16_MARKS):
            raise JsonBroken("The file is in UTF-16", "Save it as UTF-8.", 1)
        while True:
            yield from self._members_of_buffer()
            if self._done:
                return
            if self._ended:
                break
            self._forget()
            self._read()
        if self._depth:
            line = self._open.line if self._open else self._line_at(len(self._buffer))
            problem = "The document ends before its last bracket is closed"
            raise JsonBroken(problem, "Write or fetch the whole of it.", line)

    def _members_of_buffer(self) -> Iterator[Member]:
        limit = len(self._buffer) - 1
        near_end = limit - _MOST_BLANKS
        for token in TOKEN.finditer(self._buffer, self._at):
            if self._buffer[token.start()] == _QUOTE:
                if token.end() >= near_end and self._is_cut_off(token, limit):
                    return
                if self._depth == self._matched <= self._inside:
                    yield from self._key(token)
            elif token[0] in (b"[", b"{"):
                yield from self._opened(token.start())
            else:
                yield from self._closed(token.start(), token.end())
            if self._done:
                return
            self._at = token.end()
        self._at = max(self._at, limit + 1)

    def _is_cut_off(self, token: re.Match[bytes], limit: int) -> bool:
        if self._ended:
            return False
        colon = COLON.match(self._buffer, token.end())
        if token[1] and colon and (colon[1] or colon.end() <= limit):
            return False  # and what follows tells whether it is a key
        if limit - token.start() > MAX_MEMBER_BYTES:
            problem = f"A text does not end within {MAX_MEMBER_BYTES // 2**20} MiB"
            remedy = "Close the quote that was left open."
            raise JsonBroken(problem, remedy, self._line_at(token.start()))
        return True

    def _key(self, token: re.Match[bytes]) -> Iterator[Member]:
        colon = COLON.match(self._buffer, token.end())
        if not colon or not colon[1]:
            return  # a text, and no key
        key = _key_text(token[0])
        if self._depth < self._inside:
            self._keys[self._depth] = key
            return
        yield from self._scalar(token.start())
        self._pending = (key, colon.end())

    def _opened(self, start: int) -> Iterator[Member]:
        if self._depth == self._matched == self._inside:
            key, value_at = self._pending or ("", start)
            if not self._pending:
                yield from self._scalar(start)
            self._pending = None
            self._open = _Open(key, self._line_at(start), value_at)
        elif self._depth == self._matched and self._leads_on():
            self._matched += 1
            self._keys[self._matched] = ""
            self._rest = start + 1
        self._depth += 1

    def _leads_on(self) -> bool:
        return self._depth == 0 or self._keys[self._depth] == self._place[self._depth - 1]

    def _closed(self, start: int, end: int) -> Iterator[Member]:
        self._depth = max(0, self._depth - 1)
        if self._open and self._depth == self._inside:
            yield self._whole(self._open, end)
            self._open, self._rest = None, end
        elif self._matched > self._depth:
            if self._matched == self._inside:
                yield from self._scalar(start)
                self._done = True
            self._matched = self._depth

    def _whole(self, member: _Open, end: int) -> Member:
        if member.start is None:
            return Member(member.key, member.line, self._buffer[:_HELD_OF_ENDLESS], whole=False)
        return Member(member.key, member.line, self._buffer[member.start : end])

    def _scalar(self, end: int) -> Iterator[Member]:
        """Yield what stands there besides lists and objects: it is a member too."""
        key, start = self._pending or ("", self._rest)
        text = self._buffer[start:end].strip(_AROUND)
        if text:
            yield Member(key, self._line_at(start), text)
        self._pending = None
        self._rest = end

    def _line_at(self, offset: int) -> int:
        if offset > self._counted:
            self._line += self._buffer.count(b"\n", self._counted, offset)
            self._counted = offset
        return self._line

    def _forget(self) -> None:
        """Drop what is not needed any more, and of a member beyond bounds all but its place."""
        start = self._open.start if self._open else None
        if self._open and start is not None and self._at - start > MAX_MEMBER_BYTES:
            self._open.start = None
        kept = self._kept_from()
        self._line_at(kept)
        self._buffer = self._buffer[kept:]
        self._counted = max(0, self._counted - kept)
        self._at -= kept
        self._rest = max(0, self._rest - kept)
        if self._open and self._open.start is not None:
            self._open.start -= kept
        if self._pending:
            self._pending = (self._pending[0], self._pending[1] - kept)

    def _kept_from(self) -> int:
        if self._open:
            return self._at if self._open.start is None else self._open.start
        if self._pending:
            return self._pending[1]
        return min(self._at, self._rest) if self._matched == self._inside else self._at

    def _read(self) -> None:
        # Ever more at once while one text does not end, so that it is not looked at too often.
        more = self._file.read(max(CHUNK_BYTES, len(self._buffer)))
        self._ended = not more
        self._buffer += more


def _key_text(token: bytes) -> str:
    """Return the text of a key, as it is written where it has no such text."""
    text = token.decode("utf-8", "replace")
    try:
        return str(json.loads(text))
    except ValueError:
        return text[1:-1]
