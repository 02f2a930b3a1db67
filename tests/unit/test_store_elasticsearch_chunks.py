"""Chunks are bounded by bytes and by number, and hold each document once."""

from itertools import chain

from polaris_search.store.elasticsearch.bulk.chunks import BulkLimits, Write, chunks, halves, size


def write(number, document=None, n_bytes=10):
    return Write(number, f"t{number}", document or f"d{number}", b"x" * n_bytes)


def numbers(cut):
    return [[write.number for write in chunk] for chunk in cut]


def test_a_chunk_is_full_by_number():
    cut = chunks(map(write, range(5)), BulkLimits(chunk_tables=2))

    assert numbers(cut) == [[0, 1], [2, 3], [4]]


def test_a_full_chunk_is_given_before_another_write_is_asked_for():
    asked = []
    writes = (asked.append(number) or write(number) for number in range(5))

    next(chunks(writes, BulkLimits(chunk_tables=2)))

    assert asked == [0, 1]


def test_a_chunk_is_full_by_bytes_and_a_larger_document_goes_alone():
    sizes = [40, 60, 1, 500, 50]
    writes = [write(number, n_bytes=n_bytes) for number, n_bytes in enumerate(sizes)]

    cut = list(chunks(writes, BulkLimits(chunk_bytes=100)))

    assert numbers(cut) == [[0, 1], [2], [3], [4]]
    assert [size(chunk) for chunk in cut] == [100, 1, 500, 50]


def test_a_document_written_again_begins_a_new_chunk():
    writes = [write(0, "a"), write(1, "b"), write(2, "a"), write(3, "c"), write(4, "c")]

    cut = list(chunks(writes, BulkLimits()))

    assert numbers(cut) == [[0, 1], [2, 3], [4]]
    assert all(len({write.document for write in chunk}) == len(chunk) for chunk in cut)


def test_no_write_makes_no_chunk():
    assert list(chunks([], BulkLimits())) == []


def test_halves_hold_everything_once_in_order():
    chunk = tuple(map(write, range(5)))

    assert [len(half) for half in halves(chunk)] == [2, 3]
    assert tuple(chain(*halves(chunk))) == chunk
