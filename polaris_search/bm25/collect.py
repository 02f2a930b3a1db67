"""Token lists in, sorted postings out, in memory that does not grow with the number of tokens.

Documents are added in order of their number. Tokens become term numbers at once; every few million
of them are sorted into a block of (term, document, count) that goes to a temporary file. Only the
vocabulary and a number a document stay.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int32]

BLOCK_TOKENS = 2_000_000
"""About 100 MB at most while a block is sorted."""


class Vocabulary(dict[str, int]):
    """Term to number; a term not seen before gets the next number."""

    def __missing__(self, term: str) -> int:
        number = self[term] = len(self)
        return number


@dataclass(frozen=True, slots=True)
class Block:
    """Where one block's postings lie in the temporary file, by term.

    Postings are sorted by term, then document. `terms` are ascending; those of terms[i] are
    starts[i] to starts[i + 1].
    """

    terms: IntArray
    starts: NDArray[np.int64]  # (terms + 1,)
    offset: int


@dataclass(frozen=True, slots=True)
class Postings:
    """Some postings of a run of terms.

    `terms` have `counts` postings each; `documents` and `frequencies` (tf) hold these postings.
    """

    terms: IntArray
    counts: NDArray[np.int64]
    documents: IntArray
    frequencies: IntArray


class PostingCollector:
    """Collects the token lists of one field, one document after the other.

    Args:
        folder: where the temporary file goes; it has no name and vanishes with the process.
        block_tokens: tokens held before they are sorted and written.
    """

    def __init__(self, folder: Path, block_tokens: int = BLOCK_TOKENS) -> None:
        self.vocabulary = Vocabulary()
        self._block_tokens = block_tokens
        # A list holds the very numbers of the vocabulary: extending it makes no new objects.
        self._ids: list[int] = []
        self._lengths = array("i")
        self._first_document = 0
        self._blocks: list[Block] = []
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115 -- it lives as long as the collector

    def add(self, tokens: Sequence[str]) -> None:
        """Take the next document's tokens; with none, the document does not have the field."""
        self.add_numbers(map(self.vocabulary.__getitem__, tokens))

    def add_numbers(self, numbers: Iterable[int]) -> None:
        """Take the next document as numbers of the vocabulary."""
        before = len(self._ids)
        self._ids.extend(numbers)
        self._lengths.append(len(self._ids) - before)
        if len(self._ids) >= self._block_tokens:
            self._write_block()

    def lengths(self) -> IntArray:
        """Return each document's number of tokens. Shape (documents,)."""
        return np.array(self._lengths, dtype=np.int32)

    def document_frequencies(self) -> NDArray[np.int64]:
        """Return in how many documents each term stands, by term number. Shape (terms,)."""
        self._write_block()
        frequencies = np.zeros(len(self.vocabulary), dtype=np.int64)
        for block in self._blocks:
            frequencies[block.terms] += np.diff(block.starts)
        return frequencies

    def postings(self, first_term: int, last_term: int) -> Iterator[Postings]:
        """Yield the postings of terms first_term to last_term - 1, documents ascending."""
        for block in self._blocks:
            low, high = np.searchsorted(block.terms, (first_term, last_term))
            if low < high:
                yield self._read(block, int(low), int(high))

    def close(self) -> None:
        """Let go of the temporary file."""
        self._file.close()

    def _write_block(self) -> None:
        if not self._ids:
            return
        term, document, frequency = _sorted_postings(
            np.fromiter(self._ids, np.int64, len(self._ids)),
            self.lengths()[self._first_document :],
            self._first_document,
        )
        terms, starts = np.unique(term, return_index=True)
        offset = self._file.seek(0, 2)
        self._file.write(np.stack((document, frequency)).tobytes())
        self._blocks.append(Block(terms, np.append(starts, len(term)), offset))
        self._ids = []
        self._first_document = len(self._lengths)

    def _read(self, block: Block, low: int, high: int) -> Postings:
        start, end = int(block.starts[low]), int(block.starts[high])
        row_bytes = 4 * int(block.starts[-1])
        documents, frequencies = (
            self._read_numbers(block.offset + row * row_bytes + 4 * start, end - start)
            for row in (0, 1)
        )
        counts = np.diff(block.starts[low : high + 1])
        return Postings(block.terms[low:high], counts, documents, frequencies)

    def _read_numbers(self, offset: int, count: int) -> IntArray:
        self._file.seek(offset)
        return np.frombuffer(self._file.read(4 * count), dtype=np.int32)


def _sorted_postings(
    ids: NDArray[np.int64], lengths: IntArray, first_document: int
) -> tuple[IntArray, IntArray, IntArray]:
    documents = np.repeat(np.arange(first_document, first_document + len(lengths)), lengths)
    keys = (ids << 32) | documents
    keys.sort()
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    frequencies = np.diff(starts, append=len(keys)).astype(np.int32)
    unique = keys[starts]
    return (unique >> 32).astype(np.int32), (unique & 0xFFFFFFFF).astype(np.int32), frequencies
