"""Collected postings in, one field's index file out.

A posting is stored as what its score needs: the document, and a code for the denominator
1 + tf * norm inverse (float32), of which a field has few. So a posting takes six bytes, and nothing
is computed twice.
"""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from polaris_search.bm25.collect import PostingCollector, Postings
from polaris_search.bm25.formula import (
    ONE,
    FloatArray,
    NormArray,
    average_length,
    norm_inverses,
    norms_of_lengths,
)
from polaris_search.bm25.layout import HEADER_BYTES, code_type, header, posting_units, written_whole

MAGIC = b"POLBM25F"
CHUNK_UNITS = 4_000_000
"""Postings are put together 16 MB at a time."""

LongArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Places:
    """Where each term's postings go, by term number, in units of four bytes."""

    frequencies: LongArray
    starts: LongArray  # (terms + 1,)


class Denominators:
    """The field's distinct pairs of term frequency and norm, numbered in ascending order."""

    def __init__(self, collected: PostingCollector, norms: NormArray) -> None:
        self._norms = norms
        n_terms = len(collected.vocabulary)
        pairs = [np.unique(self._pairs(each)) for each in collected.postings(0, n_terms)]
        self._known = np.unique(np.concatenate([np.empty(0, np.int64), *pairs]))
        self.code_type = code_type(len(self._known))

    def __len__(self) -> int:
        return len(self._known)

    def codes(self, postings: Postings) -> LongArray:
        """Return the number of each posting's pair."""
        return np.searchsorted(self._known, self._pairs(postings))

    def values(self, inverses: FloatArray) -> FloatArray:
        """Return 1 + tf * norm inverse of each pair, given the inverse for each norm."""
        frequencies = (self._known >> 8).astype(np.float32)
        values: FloatArray = ONE + frequencies * inverses[self._known & 0xFF]
        return values

    def _pairs(self, postings: Postings) -> LongArray:
        return postings.frequencies.astype(np.int64) << 8 | self._norms[postings.documents]


def write_field(
    path: Path, built_from: bytes, collected: PostingCollector, k1: float, b: float
) -> None:
    """Write the index file of one field; it appears whole or not at all.

    Args:
        path: the file.
        built_from: its identity (see layout.identity), 32 bytes.
        collected: the tokens of every document.
        k1: BM25's k1 for this field, > 0.
        b: BM25's b for this field, 0 to 1.

    Raises:
        OSError: a full or unwritable disk.
    """
    frequencies = collected.document_frequencies()
    lengths = collected.lengths()
    n_with_field, total = int(np.count_nonzero(lengths)), int(lengths.sum(dtype=np.int64))
    inverses = norm_inverses(average_length(total, n_with_field), k1, b)
    denominators = Denominators(collected, norms_of_lengths(lengths))
    units = posting_units(frequencies, denominators.code_type)
    places = Places(frequencies, np.concatenate(([0], np.cumsum(units))))
    with written_whole(path) as file:
        file.write(bytes(HEADER_BYTES))
        written = _written_chunks(file, collected, places, denominators)
        checksums = np.concatenate([np.empty(0, np.uint32), *written])
        directory, sizes = _directory(collected, places, checksums, denominators.values(inverses))
        file.write(directory)
        numbers = (len(lengths), n_with_field, total, *sizes)
        file.seek(0)
        file.write(header(MAGIC, built_from, numbers, zlib.crc32(directory)))


def _written_chunks(
    file: BinaryIO, collected: PostingCollector, places: Places, denominators: Denominators
) -> Iterator[NDArray[np.uint32]]:
    for first, last in _chunks(places.starts):
        chunk = _chunk(collected, places, denominators, first, last)
        file.write(chunk.data)
        yield _checksums(chunk, places.starts[first : last + 1] - places.starts[first])


def _chunks(starts: LongArray) -> Iterator[tuple[int, int]]:
    first, n_terms = 0, len(starts) - 1
    while first < n_terms:
        last = int(np.searchsorted(starts, starts[first] + CHUNK_UNITS, side="right")) - 1
        last = max(last, first + 1)
        yield first, last
        first = last


def _chunk(
    collected: PostingCollector,
    places: Places,
    denominators: Denominators,
    first: int,
    last: int,
) -> NDArray[np.int32]:
    chunk = np.zeros(int(places.starts[last] - places.starts[first]), dtype=np.int32)
    filled = np.zeros(last - first, dtype=np.int64)
    for postings in collected.postings(first, last):
        before = np.cumsum(postings.counts) - postings.counts  # postings of earlier terms
        rank = np.repeat(filled[postings.terms - first] - before, postings.counts)
        rank += np.arange(len(rank))
        start = places.starts[postings.terms] - places.starts[first]
        codes_start = start + places.frequencies[postings.terms]
        chunk[np.repeat(start, postings.counts) + rank] = postings.documents
        codes = chunk.view(denominators.code_type)
        per_unit = len(codes) // len(chunk)
        codes[np.repeat(codes_start * per_unit, postings.counts) + rank] = denominators.codes(
            postings
        )
        filled[postings.terms - first] += postings.counts
    return chunk


def _checksums(chunk: NDArray[np.int32], starts: LongArray) -> NDArray[np.uint32]:
    data = chunk.data.cast("B")
    bounds = (4 * starts).tolist()
    pairs = zip(bounds[:-1], bounds[1:], strict=True)
    return np.fromiter(
        (zlib.crc32(data[low:high]) for low, high in pairs), np.uint32, len(bounds) - 1
    )


def _directory(
    collected: PostingCollector,
    places: Places,
    checksums: NDArray[np.uint32],
    denominators: FloatArray,
) -> tuple[bytes, tuple[int, int, int, int]]:
    terms = sorted(collected.vocabulary)
    order = np.fromiter(map(collected.vocabulary.__getitem__, terms), np.int64, len(terms))
    encoded = [term.encode("utf-8", "surrogatepass") for term in terms]
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.uint32)
    parts = (
        places.starts[:-1][order],
        places.frequencies[order].astype(np.uint32),
        checksums[order],
        ends,
        denominators,
    )
    directory = b"".join([*(part.tobytes() for part in parts), *encoded])
    sizes = (len(terms), int(places.starts[-1]), len(denominators), int(ends[-1]))
    return directory, sizes
