"""The members at a place that a shape names: of a list, a single value, or lines of JSON."""

from collections.abc import Iterator
from pathlib import Path

from ingest.readers.json_documents.member import MAX_MEMBER_BYTES, Member
from ingest.readers.json_documents.shape import LIST, Place
from ingest.readers.json_documents.stream import members_at

_BOM = b"\xef\xbb\xbf"


def members_of(path: Path, place: Place) -> Iterator[Member]:
    """Yield the elements of the list at a place that ends in LIST, the one value at another.

    At (), the document itself, that is each line.

    Raises:
        JsonBroken: the document ends too early.
        OSError: it cannot be read.
    """
    if not place:
        yield from _lines(path)
    elif place[-1] == LIST:
        yield from members_at(path, place[:-1])
    else:
        yield from (each for each in members_at(path, place[:-1]) if each.key == place[-1])


def _lines(path: Path) -> Iterator[Member]:
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MAX_MEMBER_BYTES + 1):
            number += 1
            whole = len(line) <= MAX_MEMBER_BYTES
            rest = line
            while len(rest) > MAX_MEMBER_BYTES and not rest.endswith(b"\n"):
                rest = file.readline(MAX_MEMBER_BYTES + 1)
            content = line.removeprefix(_BOM) if number == 1 else line
            if content.strip():
                yield Member("", number, content, whole)
