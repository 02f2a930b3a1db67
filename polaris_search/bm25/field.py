"""One field's index file, opened: statistics, and each term's postings from the mapped file.

Opening reads the header and checks the term directory; postings are read and checked term by term
when first asked for, so that a query touches only what it needs.
"""

import mmap
import zlib
from bisect import bisect_left
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polaris_search.bm25.formula import FloatArray, inverse_document_frequency
from polaris_search.bm25.layout import HEADER_BYTES, IndexDamaged, read_header
from polaris_search.bm25.write import DENSE_SHARE, MAGIC

KNOWN_TERMS = 50_000
"""Looked-up terms that are remembered; then the memory starts anew."""


@dataclass(frozen=True, slots=True)
class TermPostings:
    """Where a term stands: its idf, the documents, and a denominator for each.

    Denominators are 1 + tf * norm inverse, float32. Where `documents` is None, every document has
    one: exactly 1 where the term is absent.
    """

    idf: np.float32
    documents: NDArray[np.int32] | None
    denominators: FloatArray


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a field's scores rest on, and the size of its file's parts.

    Attributes:
        n_documents: all documents, also those without the field.
        n_with_field: documents with at least one token.
        total_length: tokens in all documents.
        n_terms: distinct terms.
        posting_units: room of the postings in units of four bytes.
        term_bytes: bytes of all terms in UTF-8.
    """

    n_documents: int
    n_with_field: int
    total_length: int
    n_terms: int
    posting_units: int
    term_bytes: int


class FieldIndex:
    """The index of one field; every method may be called from several threads.

    Args:
        path: a file that write_field wrote.
        built_from: the identity it must have, 32 bytes.
        k1: the field's k1, which a term's weight needs.

    Raises:
        FileNotFoundError: there is none.
        IndexDamaged: from any method, if the file is foreign, damaged or built from something else.
    """

    def __init__(self, path: Path, built_from: bytes, k1: float) -> None:
        self.k1 = k1
        self._path = path
        self._data = mapped(path)
        numbers, checksum = read_header(path, self._data, MAGIC, built_from)
        self.statistics = Statistics(*numbers)
        self._open_directory(checksum)
        self._known: dict[str, TermPostings | None] = {}

    def postings(self, term: str) -> TermPostings | None:
        """Return the term's postings; None if no document has it."""
        try:
            return self._known[term]
        except KeyError:
            found = self._look_up(term)
        if len(self._known) >= KNOWN_TERMS:
            self._known.clear()
        self._known[term] = found
        return found

    def document_frequency(self, term: str) -> int:
        """Return in how many documents the term stands."""
        place = self._place(term)
        return 0 if place is None else self._frequencies[place]

    def _open_directory(self, checksum: int) -> None:
        n = self.statistics.n_terms
        start = HEADER_BYTES + 4 * self.statistics.posting_units
        sizes = (8 * n, 4 * n, 4 * n, 4 * (n + 1), self.statistics.term_bytes)
        if len(self._data) != start + sum(sizes):
            raise IndexDamaged(self._path, "has the wrong size")
        if zlib.crc32(self._data[start:]) != checksum:
            raise IndexDamaged(self._path, "has a damaged term directory")
        parts = []
        for size in sizes:
            parts.append(self._data[start : start + size])
            start += size
        self._starts = parts[0].cast("q")
        self._frequencies, self._checksums, self._ends = (part.cast("I") for part in parts[1:4])
        self._terms = parts[4]

    def _look_up(self, term: str) -> TermPostings | None:
        place = self._place(term)
        if place is None:
            return None
        n_documents, frequency = self.statistics.n_documents, self._frequencies[place]
        dense = frequency * DENSE_SHARE >= n_documents
        values = self._values(place, n_documents if dense else 2 * frequency)
        idf = inverse_document_frequency(frequency, self.statistics.n_with_field)
        if dense:
            return TermPostings(idf, None, values)
        return TermPostings(idf, values[:frequency].view(np.int32), values[frequency:])

    def _values(self, place: int, units: int) -> FloatArray:
        start = HEADER_BYTES + 4 * self._starts[place]
        data = self._data[start : start + 4 * units]
        if zlib.crc32(data) != self._checksums[place]:
            raise IndexDamaged(self._path, "has damaged postings")
        return np.frombuffer(data, dtype=np.float32)

    def _place(self, term: str) -> int | None:
        wanted = term.encode("utf-8", "surrogatepass")
        n = self.statistics.n_terms
        place = bisect_left(range(n), wanted, key=self._term_at)
        return place if place < n and self._term_at(place) == wanted else None

    def _term_at(self, place: int) -> bytes:
        return bytes(self._terms[self._ends[place] : self._ends[place + 1]])


def mapped(path: Path) -> memoryview:
    """Return a file's bytes, mapped; they stay readable after the file is removed.

    Raises:
        FileNotFoundError: there is none.
        IndexDamaged: it is empty.
    """
    with path.open("rb") as file:
        try:
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except ValueError:
            raise IndexDamaged(path, "is empty") from None
