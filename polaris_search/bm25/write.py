"""Collected postings in, one field's index file out.

A posting is stored as what its score needs: the document and the denominator 1 + tf * norm inverse
(float32). A term that stands in at least an eighth of the documents is stored as one denominator
for every document instead (1 where the term is absent, which scores exactly 0): little more room,
and scored without touching document numbers.
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
    average_length,
    norm_inverses,
    norms_of_lengths,
)
from polaris_search.bm25.layout import HEADER_BYTES, header, written_whole

MAGIC = b"POLBM25F"
DENSE_SHARE = 8
CHUNK_UNITS = 4_000_000
"""Postings are put together 16 MB at a time."""

LongArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Plan:
    """Where each term's postings go, by term number, in units of four bytes."""

    frequencies: LongArray
    dense: NDArray[np.bool_]
    starts: LongArray  # (terms + 1,)


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
    plan = _plan(frequencies, len(lengths))
    inverses = _inverse_by_document(lengths, total, n_with_field, k1, b)
    with written_whole(path) as file:
        file.write(bytes(HEADER_BYTES))
        checksums = np.concatenate(
            [np.empty(0, np.uint32), *_written_chunks(file, collected, plan, inverses)]
        )
        directory, sizes = _directory(collected, plan, checksums)
        file.write(directory)
        numbers = (len(lengths), n_with_field, total, *sizes)
        file.seek(0)
        file.write(header(MAGIC, built_from, numbers, zlib.crc32(directory)))


def _plan(frequencies: LongArray, n_documents: int) -> Plan:
    dense = frequencies * DENSE_SHARE >= n_documents
    units = np.where(dense, n_documents, 2 * frequencies)
    return Plan(frequencies, dense, np.concatenate(([0], np.cumsum(units))))


def _inverse_by_document(
    lengths: NDArray[np.int32], total: int, n_with_field: int, k1: float, b: float
) -> FloatArray:
    if not n_with_field:
        return np.ones(len(lengths), dtype=np.float32)
    return norm_inverses(average_length(total, n_with_field), k1, b)[norms_of_lengths(lengths)]


def _written_chunks(
    file: BinaryIO, collected: PostingCollector, plan: Plan, inverses: FloatArray
) -> Iterator[NDArray[np.uint32]]:
    for first, last in _chunks(plan.starts):
        chunk = _chunk(collected, plan, inverses, first, last)
        file.write(chunk.data)
        yield _checksums(chunk, plan.starts[first : last + 1] - plan.starts[first])


def _chunks(starts: LongArray) -> Iterator[tuple[int, int]]:
    first, n_terms = 0, len(starts) - 1
    while first < n_terms:
        last = int(np.searchsorted(starts, starts[first] + CHUNK_UNITS, side="right")) - 1
        last = max(last, first + 1)
        yield first, last
        first = last


def _chunk(
    collected: PostingCollector, plan: Plan, inverses: FloatArray, first: int, last: int
) -> NDArray[np.int32]:
    base = plan.starts[first]
    denominators = np.ones(int(plan.starts[last] - base), dtype=np.float32)
    filled = np.zeros(last - first, dtype=np.int64)
    for postings in collected.postings(first, last):
        _place(denominators, filled, postings, plan, inverses, first)
        filled[postings.terms - first] += postings.counts
    return denominators.view(np.int32)


def _place(
    chunk: FloatArray,
    filled: LongArray,
    postings: Postings,
    plan: Plan,
    inverses: FloatArray,
    first: int,
) -> None:
    values = ONE + postings.frequencies.astype(np.float32) * inverses[postings.documents]
    start = np.repeat(plan.starts[postings.terms] - plan.starts[first], postings.counts)
    dense = np.repeat(plan.dense[postings.terms], postings.counts)
    chunk[start[dense] + postings.documents[dense]] = values[dense]

    sparse = ~dense
    before = np.cumsum(postings.counts) - postings.counts  # postings of earlier terms in this block
    shift = np.repeat(filled[postings.terms - first] - before, postings.counts)
    place = (start + shift + np.arange(len(values)))[sparse]
    chunk.view(np.int32)[place] = postings.documents[sparse]
    chunk[place + np.repeat(plan.frequencies[postings.terms], postings.counts)[sparse]] = values[
        sparse
    ]


def _checksums(chunk: NDArray[np.int32], starts: LongArray) -> NDArray[np.uint32]:
    data = chunk.data.cast("B")
    bounds = (4 * starts).tolist()
    pairs = zip(bounds[:-1], bounds[1:], strict=True)
    return np.fromiter(
        (zlib.crc32(data[low:high]) for low, high in pairs), np.uint32, len(bounds) - 1
    )


def _directory(
    collected: PostingCollector, plan: Plan, checksums: NDArray[np.uint32]
) -> tuple[bytes, tuple[int, int, int]]:
    terms = sorted(collected.vocabulary)
    order = np.fromiter(map(collected.vocabulary.__getitem__, terms), np.int64, len(terms))
    encoded = [term.encode("utf-8", "surrogatepass") for term in terms]
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.uint32)
    parts = (
        plan.starts[:-1][order].astype(np.int64),
        plan.frequencies[order].astype(np.uint32),
        checksums[order],
        ends,
    )
    directory = b"".join([*(part.tobytes() for part in parts), *encoded])
    return directory, (len(terms), int(plan.starts[-1]), int(ends[-1]))
