"""How an index file is laid out, and how its first bytes are written and checked.

An index file is a cache: whatever does not match (format, identity, size, checksum) is refused with
IndexDamaged, and the caller builds the file anew. Nothing here knows what the payload means.
"""

import hashlib
import os
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar

import numpy as np
from numpy.typing import NDArray

from polaris_search.errors import StoreProblem

FORMAT_VERSION = 1
N_NUMBERS = 8
_HEADER = struct.Struct(f"<8sII32s{N_NUMBERS}Q")
_CHECKSUM = struct.Struct("<I")
HEADER_BYTES = 128
MAX_SHORT_CODES = 1 << 16

Count = TypeVar("Count", int, NDArray[np.int64])


class IndexDamaged(StoreProblem):
    """An index file that must not be trusted; it is rebuilt from the stored tables."""

    def __init__(self, path: Path, problem: str) -> None:
        self.path = path
        super().__init__(
            f"The index file {path} {problem}. Delete it; it is built anew from the stored tables."
        )


def identity(*parts: str) -> bytes:
    """Return the hash of what an index file was built from, to tell it from others. 32 bytes."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.digest()


def header(
    magic: bytes, built_from: bytes, numbers: tuple[int, ...], directory_checksum: int
) -> bytes:
    """Return the first HEADER_BYTES of a file.

    Args:
        magic: what kind of file it is, 8 bytes.
        built_from: its identity, 32 bytes.
        numbers: up to N_NUMBERS sizes and statistics, each from 0 to 2^64 - 1.
        directory_checksum: CRC-32 of the part that is checked when the file is opened.
    """
    padded = numbers + (0,) * (N_NUMBERS - len(numbers))
    packed = _HEADER.pack(magic, FORMAT_VERSION, directory_checksum, built_from, *padded)
    return (packed + _CHECKSUM.pack(zlib.crc32(packed))).ljust(HEADER_BYTES, b"\0")


def read_header(
    path: Path, data: memoryview, magic: bytes, built_from: bytes
) -> tuple[tuple[int, ...], int]:
    """Return the numbers and the directory checksum of a file's header.

    Raises:
        IndexDamaged: a foreign, damaged or shortened file, another format version, or built from
            something else.
    """
    if len(data) < HEADER_BYTES:
        raise IndexDamaged(path, "is too short")
    packed = bytes(data[: _HEADER.size])
    (checksum,) = _CHECKSUM.unpack_from(data, _HEADER.size)
    if checksum != zlib.crc32(packed):
        raise IndexDamaged(path, "has a damaged header")
    found_magic, version, directory_checksum, found_identity, *numbers = _HEADER.unpack(packed)
    if (found_magic, version, found_identity) != (magic, FORMAT_VERSION, built_from):
        raise IndexDamaged(path, "was built from something else")
    return tuple(numbers), directory_checksum


def code_type(n_denominators: int) -> type[np.unsignedinteger]:
    """Return the type of the codes for so many distinct denominators."""
    return np.uint16 if n_denominators <= MAX_SHORT_CODES else np.uint32


def posting_units(frequency: Count, codes: type[np.unsignedinteger]) -> Count:
    """Return the room of a term's postings in units of four bytes: documents, then codes."""
    return 2 * frequency if codes is np.uint32 else frequency + (frequency + 1) // 2


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that appears under its name only when it is complete.

    It is not forced to the disk: a file that a power cut left half written fails its checksums and
    is built again.
    """
    unfinished = path.with_name(path.name + ".tmp")
    try:
        with unfinished.open("wb") as file:
            yield file
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
