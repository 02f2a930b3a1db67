"""Many writes in several requests at a time, over as many connections, in bounded memory.

The iterable is consumed in the caller's thread, and no faster than the server takes what it gives.
"""

from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

from polaris_search.store.elasticsearch.bulk.chunks import BulkLimits, Chunk, Write, chunks
from polaris_search.store.elasticsearch.bulk.outcomes import Unwritten
from polaris_search.store.elasticsearch.bulk.sending import (
    IN_REAL_TIME,
    Pace,
    Sender,
    Sent,
    Stopped,
)
from polaris_search.store.elasticsearch.server.connection import Connection


def send_all(
    connection: Connection,
    alias: str,
    writes: Iterable[Write],
    limits: BulkLimits,
    pace: Pace = IN_REAL_TIME,
) -> Sent:
    """Send the writes, and return what became of them; two to one document keep their order.

    Holds one chunk for each connection, one that waits, and one that is being filled. Whatever is
    raised, also by the iterable or an interrupt, no request is under way any more afterwards.

    Raises:
        ServiceUnreachable: the server did not answer for as long as `limits.patience_s` says.
        StoreProblem: each further write would fail alike.
    """
    abreast = _Abreast(Sender(connection, alias, limits, pace), limits.connections)
    try:
        for chunk in chunks(writes, limits):
            abreast.start(chunk)
        return abreast.finish()
    except BaseException:
        abreast.stop()
        raise


class _Abreast:
    """The chunks that are under way, each in a thread, and what became of those before."""

    def __init__(self, sender: Sender, n_connections: int) -> None:
        self._sender = sender
        self._n_connections = n_connections
        self._threads = ThreadPoolExecutor(n_connections)
        self._under_way: dict[Future[Sent], frozenset[str]] = {}
        self._done = 0
        self._unwritten: list[Unwritten] = []

    def start(self, chunk: Chunk) -> None:
        """Send the chunk once there is room for it, and none before it writes a document of it."""
        documents = frozenset(write.document for write in chunk)
        while len(self._under_way) > self._n_connections or self._writes_any(documents):
            self._collect()
        self._under_way[self._threads.submit(self._sender.send, chunk)] = documents

    def finish(self) -> Sent:
        """Wait for all, and return what became of them."""
        while self._under_way:
            self._collect()
        self._threads.shutdown()
        return Sent(self._done, tuple(sorted(self._unwritten, key=lambda one: one.number)))

    def stop(self) -> None:
        """Start nothing more, and wait for the requests under way."""
        self._sender.stop()
        self._threads.shutdown(cancel_futures=True)

    def _writes_any(self, documents: frozenset[str]) -> bool:
        return any(not documents.isdisjoint(others) for others in self._under_way.values())

    def _collect(self) -> None:
        """Wait until at least one chunk is through. Raises what ended the first that failed."""
        over, _ = wait(self._under_way, return_when=FIRST_COMPLETED)
        for future in over:
            del self._under_way[future]
            try:
                sent = future.result()
            except Stopped:  # by another chunk's failure, which comes as well
                continue
            self._done += sent.done
            self._unwritten += sent.unwritten
