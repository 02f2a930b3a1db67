"""A stream of writes, cut into the chunks that one bulk request each carries. Pure.

A chunk is bounded by bytes and by number. Each document is written once in it, so that whatever of
a chunk is sent again comes before nothing that was to come after.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BulkLimits:
    """How much is sent at a time, and how long a server that takes nothing is borne with.

    A document is charged about four times its size against a tenth of the server's heap, so that
    one above 20 MB is refused for ever by a server with 1 GB.

    Attributes:
        connections: requests under way at a time, >= 1.
        chunk_bytes: most bytes of a request; one larger document makes a request of its own.
        chunk_tables: most documents of a request.
        document_bytes: most bytes of a document.
        patience_s: how long to go on where nothing gets through, from the first failure on.
        backoff_s: wait before a request is made again, doubled each time.
        longest_backoff_s: end of the doubling.
    """

    connections: int = 2
    chunk_bytes: int = 5_000_000
    chunk_tables: int = 500
    document_bytes: int = 20_000_000
    patience_s: float = 30.0
    backoff_s: float = 0.1
    longest_backoff_s: float = 2.0


@dataclass(frozen=True, slots=True)
class Write:
    """One action of a bulk request.

    Attributes:
        number: its place among all that are given to one call.
        table_id: what is told of it is told under this id.
        document: the `_id` that it writes or deletes.
        lines: its line or two of the request, line ends included.
    """

    number: int
    table_id: str
    document: str
    lines: bytes


Chunk = tuple[Write, ...]


def chunks(writes: Iterable[Write], limits: BulkLimits) -> Iterator[Chunk]:
    """Yield the writes in order, as few chunks as the limits and repeated documents allow."""
    chunk: dict[str, Write] = {}
    n_bytes = 0
    for write in writes:
        beyond = n_bytes + len(write.lines) > limits.chunk_bytes
        if chunk and (beyond or write.document in chunk):
            yield tuple(chunk.values())
            chunk, n_bytes = {}, 0
        chunk[write.document] = write
        n_bytes += len(write.lines)
        if len(chunk) >= limits.chunk_tables:
            yield tuple(chunk.values())
            chunk, n_bytes = {}, 0
    if chunk:
        yield tuple(chunk.values())


def size(chunk: Chunk) -> int:
    """Return the bytes of a request that carries the chunk."""
    return sum(len(write.lines) for write in chunk)


def halves(chunk: Chunk) -> tuple[Chunk, Chunk]:
    """Return the chunk in two; it must hold at least two writes."""
    middle = len(chunk) // 2
    return chunk[:middle], chunk[middle:]
