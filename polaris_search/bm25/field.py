"""One field's index file, opened: statistics, and each term's postings from the mapped file.

Opening reads the header and checks the term directory; postings are read and checked term by term
when first asked for, so that a query touches only what it needs.
"""

import mmap
import zlib
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polaris_search.bm25.formula import (
    FloatArray,
    inverse_document_frequency,
    term_scores,
    term_weight,
)
from polaris_search.bm25.layout import (
    HEADER_BYTES,
    IndexDamaged,
    code_type,
    posting_units,
    read_header,
)
from polaris_search.bm25.write import MAGIC

DENSE_SHARE = 4
"""A term in at least one of so many documents gets a score for each of all: adds up faster."""

REMEMBERED_BYTES = 96_000_000
"""Scores that are kept ready, for each field; then the memory starts anew."""

_TERM_BYTES = 500
"""What a remembered term takes beside its scores."""

SIGNPOST_STEP = 32
"""Every so many terms, one is kept in memory, to find the place of a term with few reads."""

CodeArray = NDArray[np.unsignedinteger]
ScoredTerm = tuple[str, float, int]  # term, boost, times in the query


@dataclass(frozen=True, slots=True)
class TermScores:
    """What a term adds to the scores of `documents`, or of every document where that is None.

    Documents without the term get 0 exactly.
    """

    documents: NDArray[np.intp] | None
    values: FloatArray


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a field's scores rest on, and the size of its file's parts.

    Attributes:
        n_documents: all documents, also those without the field.
        n_with_field: documents with at least one token.
        total_length: tokens in all documents.
        n_terms: distinct terms.
        posting_units: room of the postings in units of four bytes.
        n_denominators: distinct denominators.
        term_bytes: bytes of all terms in UTF-8.
    """

    n_documents: int
    n_with_field: int
    total_length: int
    n_terms: int
    posting_units: int
    n_denominators: int
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
        self.statistics = Statistics(*numbers[:7])
        self._open_directory(checksum)
        self._remembered: dict[ScoredTerm, TermScores | None] = {}
        self._remembered_bytes = 0

    def scores(self, term: str, boost: float = 1.0, count: int = 1) -> TermScores | None:
        """Return what the term adds to scores; None if no document has it.

        Args:
            term: the term.
            boost: the clause's boost.
            count: how often the term stands in the clause.
        """
        key = (term, boost, count)
        try:
            return self._remembered[key]
        except KeyError:
            found = self._scored(term, boost, count)
        self._remember(key, found)
        return found

    def documents(self, term: str) -> NDArray[np.int32]:
        """Return the documents with the term, ascending."""
        place = self._place(term)
        return np.empty(0, dtype=np.int32) if place is None else self._read(place)[0]

    def document_frequency(self, term: str) -> int:
        """Return in how many documents the term stands."""
        place = self._place(term)
        return 0 if place is None else self._frequencies[place]

    def _open_directory(self, checksum: int) -> None:
        sizes = self.statistics
        n = sizes.n_terms
        start = HEADER_BYTES + 4 * sizes.posting_units
        widths = (8 * n, 4 * n, 4 * n, 4 * (n + 1), 4 * sizes.n_denominators, sizes.term_bytes)
        if len(self._data) != start + sum(widths):
            raise IndexDamaged(self._path, "has the wrong size")
        if zlib.crc32(self._data[start:]) != checksum:
            raise IndexDamaged(self._path, "has a damaged term directory")
        parts = []
        for width in widths:
            parts.append(self._data[start : start + width])
            start += width
        self._starts = parts[0].cast("q")
        self._frequencies, self._checksums, self._ends = (part.cast("I") for part in parts[1:4])
        self._denominators = np.frombuffer(parts[4], dtype=np.float32)
        self._code_type = code_type(sizes.n_denominators)
        self._terms = parts[5]
        self._signposts = [self._term_at(place) for place in range(0, n, SIGNPOST_STEP)]

    def _scored(self, term: str, boost: float, count: int) -> TermScores | None:
        place = self._place(term)
        if place is None:
            return None
        documents, codes = self._read(place)
        idf = inverse_document_frequency(len(documents), self.statistics.n_with_field)
        by_code = term_scores(term_weight(boost, count, self.k1, idf), self._denominators)
        if len(documents) * DENSE_SHARE < self.statistics.n_documents:
            return TermScores(documents.astype(np.intp), by_code[codes])
        values = np.zeros(self.statistics.n_documents, dtype=np.float32)
        values[documents] = by_code[codes]
        return TermScores(None, values)

    def _read(self, place: int) -> tuple[NDArray[np.int32], CodeArray]:
        frequency = self._frequencies[place]
        start = HEADER_BYTES + 4 * self._starts[place]
        data = self._data[start : start + 4 * posting_units(frequency, self._code_type)]
        if zlib.crc32(data) != self._checksums[place]:
            raise IndexDamaged(self._path, "has damaged postings")
        documents = np.frombuffer(data, dtype=np.int32, count=frequency)
        codes: CodeArray = np.frombuffer(
            data, self._code_type, count=frequency, offset=4 * frequency
        )
        return documents, codes

    def _remember(self, key: ScoredTerm, found: TermScores | None) -> None:
        if self._remembered_bytes > REMEMBERED_BYTES:
            self._remembered, self._remembered_bytes = {}, 0
        self._remembered_bytes += _TERM_BYTES
        if found is not None:
            documents = 0 if found.documents is None else found.documents.nbytes
            self._remembered_bytes += documents + found.values.nbytes
        self._remembered[key] = found

    def _place(self, term: str) -> int | None:
        wanted = term.encode("utf-8", "surrogatepass")
        low = (bisect_right(self._signposts, wanted) - 1) * SIGNPOST_STEP
        if low < 0:
            return None
        high = min(low + SIGNPOST_STEP, self.statistics.n_terms)
        place = bisect_left(range(high), wanted, lo=low, key=self._term_at)
        return place if place < high and self._term_at(place) == wanted else None

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
