"""How fast tables are written: by the store, and by elasticsearch.helpers.parallel_bulk.

Ours: from tables in memory until the server has answered for all. Raw: the same documents, ready
as dictionaries before the clock starts, until the server has answered; the client's own JSON is in
it. Both over as many connections, block by block in turn, into an index of the same mapping each.
"""

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from elasticsearch import Elasticsearch, helpers

import mappings
from polaris_search.records import EnrichedTable
from polaris_search.store.elasticsearch.bulk.chunks import BulkLimits
from polaris_search.store.elasticsearch.documents import document, document_id
from polaris_search.store.elasticsearch.store import ElasticsearchStore

REFRESHING = {"index.refresh_interval": "1s"}
"""The default, but also while nobody searches: an index that is not searched is not refreshed."""


@dataclass(frozen=True)
class Spent:
    """What writing some tables took: seconds, and seconds of processor here and in the server."""

    tables: int = 0
    s: float = 0.0
    here_s: float = 0.0
    server_s: float = 0.0

    def __add__(self, other: "Spent") -> "Spent":
        return Spent(
            self.tables + other.tables,
            self.s + other.s,
            self.here_s + other.here_s,
            self.server_s + other.server_s,
        )

    @property
    def rate(self) -> float:
        """Tables a second."""
        return self.tables / self.s if self.s else 0.0

    def processor_us(self) -> str:
        """Say how many microseconds of processor a table took, here and in the server."""
        here, server = (
            1e6 * seconds / (self.tables or 1) for seconds in (self.here_s, self.server_s)
        )
        return f"{here:.0f} + {server:.0f}"


@dataclass(frozen=True)
class Rates:
    """What the blocks took: all of ours, and of those that both sides wrote ours and the raw."""

    ours: Spent = Spent()
    beside: Spent = Spent()
    raw: Spent = Spent()

    def plus(self, ours: Spent, raw: Spent | None) -> "Rates":
        if raw is None:
            return Rates(self.ours + ours, self.beside, self.raw)
        return Rates(self.ours + ours, self.beside + ours, self.raw + raw)

    @property
    def ratio(self) -> float:
        """How our rate is to the raw one, over the blocks that both wrote."""
        return self.beside.rate / self.raw.rate if self.raw.tables else 0.0


class BulkRates:
    """Writes blocks of tables with one side or both, and remembers what each took."""

    def __init__(
        self, store: ElasticsearchStore, address: str, raw_index: str, limits: BulkLimits
    ) -> None:
        self.total = Rates()
        self._recent = Rates()
        self._store = store
        self._client = Elasticsearch(address, request_timeout=600)
        self._index = raw_index
        self._limits = limits
        body = mappings.tables()
        self._client.indices.create(
            index=raw_index,
            settings={**body["settings"], **REFRESHING},
            mappings=body["mappings"],
        )
        self._blocks = 0

    def write(self, block: Sequence[EnrichedTable], beside_raw: bool) -> None:
        """Write the block; by both sides the one first that was last the time before."""
        self._blocks += 1
        if not beside_raw:
            self._add(self._ours(block), None)
        elif self._blocks % 2:
            ours = self._ours(block)
            self._add(ours, self._raw(block))
        else:
            raw = self._raw(block)
            self._add(self._ours(block), raw)

    def since_last(self) -> Rates:
        """Return the rates since this was asked the time before."""
        recent, self._recent = self._recent, Rates()
        return recent

    def _add(self, ours: Spent, raw: Spent | None) -> None:
        self.total = self.total.plus(ours, raw)
        self._recent = self._recent.plus(ours, raw)

    def _ours(self, block: Sequence[EnrichedTable]) -> Spent:
        return self._spent(block, lambda: self._store.put(block).stored)

    def _raw(self, block: Sequence[EnrichedTable]) -> Spent:
        actions = [
            {"_index": self._index, "_id": document_id(table.table_id), "_source": document(table)}
            for table in block
        ]
        n_threads = self._limits.connections

        def write() -> int:
            outcomes = helpers.parallel_bulk(self._client, actions, thread_count=n_threads)
            return sum(done for done, _ in outcomes)

        return self._spent(block, write)

    def _spent(self, block: Sequence[EnrichedTable], write: Callable[[], int]) -> Spent:
        gc.freeze()  # what the bench itself holds is not to be looked through while it measures
        server_s, here_s = self._server_s(), time.process_time()
        start_s = time.perf_counter()
        assert write() == len(block)
        seconds = time.perf_counter() - start_s
        here_s = time.process_time() - here_s
        gc.unfreeze()
        return Spent(len(block), seconds, here_s, self._server_s() - server_s)

    def _server_s(self) -> float:
        """Return the seconds of processor that all nodes have used since they started."""
        nodes = self._client.nodes.stats(metric="process")["nodes"].values()
        return sum(node["process"]["cpu"]["total_in_millis"] for node in nodes) / 1000
