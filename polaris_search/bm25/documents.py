"""Which document number is which id: a file beside the fields' files.

Documents are numbered in ascending order of their ids, so that a smaller number is a smaller id.
"""

import zlib
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import numpy as np

from polaris_search.bm25.field import mapped
from polaris_search.bm25.layout import (
    HEADER_BYTES,
    IndexDamaged,
    header,
    read_header,
    written_whole,
)

MAGIC = b"POLBM25D"


def write_documents(path: Path, built_from: bytes, ids: Sequence[str]) -> None:
    """Write the ids of documents 0, 1, .. to a file; it appears whole or not at all.

    Raises:
        OSError: a full or unwritable disk.
    """
    encoded = [one.encode() for one in ids]
    ends = np.fromiter(accumulate(map(len, encoded), initial=0), np.int64, len(ids) + 1)
    body = ends.tobytes() + b"".join(encoded)
    with written_whole(path) as file:
        file.write(header(MAGIC, built_from, (len(ids), int(ends[-1])), zlib.crc32(body)))
        file.write(body)


class DocumentIds:
    """The ids by document number.

    Args:
        path: a file that write_documents wrote.
        built_from: the identity it must have, 32 bytes.

    Raises:
        FileNotFoundError: there is none.
        IndexDamaged: it is foreign, damaged or built from something else.
    """

    def __init__(self, path: Path, built_from: bytes) -> None:
        data = mapped(path)
        (self._count, n_bytes, *_), checksum = read_header(path, data, MAGIC, built_from)
        split = HEADER_BYTES + 8 * (self._count + 1)
        if len(data) != split + n_bytes or zlib.crc32(data[HEADER_BYTES:]) != checksum:
            raise IndexDamaged(path, "is damaged")
        self._ends = data[HEADER_BYTES:split].cast("q")
        self._text = data[split:]

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: int) -> str:
        return str(self._text[self._ends[number] : self._ends[number + 1]], "utf-8")
