"""How fast tables are written: by the store, and by elasticsearch.helpers.parallel_bulk.

Ours: from tables in memory until the server has answered for all. Raw: the same documents, ready
as dictionaries before the clock starts, until the server has answered; the client's own JSON is in
it. Both over as many connections, block by block in turn, into an index of the same mapping each.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from elasticsearch import Elasticsearch, helpers

import mappings
from polaris_search.records import EnrichedTable
from polaris_search.store.elasticsearch.chunks import BulkLimits
from polaris_search.store.elasticsearch.documents import document, document_id
from polaris_search.store.elasticsearch.store import ElasticsearchStore


@dataclass(frozen=True)
class Rates:
    """Tables and seconds of a number of blocks; `beside_s` is ours for those of raw."""

    our_tables: int = 0
    our_s: float = 0.0
    raw_tables: int = 0
    raw_s: float = 0.0
    beside_s: float = 0.0

    @property
    def ours(self) -> float:
        return self.our_tables / self.our_s if self.our_s else 0.0

    @property
    def raw(self) -> float:
        return self.raw_tables / self.raw_s if self.raw_s else 0.0

    @property
    def ratio(self) -> float:
        """How our rate is to the raw one, over the blocks that both wrote."""
        return self.raw_s / self.beside_s if self.beside_s else 0.0

    def plus(self, tables: int, our_s: float, raw_s: float | None) -> "Rates":
        return Rates(
            self.our_tables + tables,
            self.our_s + our_s,
            self.raw_tables + (tables if raw_s else 0),
            self.raw_s + (raw_s or 0.0),
            self.beside_s + (our_s if raw_s else 0.0),
        )


class BulkRates:
    """Writes blocks of tables with one side or both, and remembers how long each took."""

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
            index=raw_index, settings=body["settings"], mappings=body["mappings"]
        )
        self._blocks = 0

    def write(self, block: Sequence[EnrichedTable], beside_raw: bool) -> None:
        """Write the block; by both sides the one first that was last the time before."""
        self._blocks += 1
        if not beside_raw:
            self._add(len(block), self._ours(block), None)
        elif self._blocks % 2:
            our_s = self._ours(block)
            self._add(len(block), our_s, self._raw(block))
        else:
            raw_s = self._raw(block)
            self._add(len(block), self._ours(block), raw_s)

    def since_last(self) -> Rates:
        """Return the rates since this was asked the time before."""
        recent, self._recent = self._recent, Rates()
        return recent

    def _add(self, tables: int, our_s: float, raw_s: float | None) -> None:
        self.total = self.total.plus(tables, our_s, raw_s)
        self._recent = self._recent.plus(tables, our_s, raw_s)

    def _ours(self, block: Sequence[EnrichedTable]) -> float:
        def write() -> None:
            assert self._store.put(block).stored == len(block)

        return _timed(write)

    def _raw(self, block: Sequence[EnrichedTable]) -> float:
        actions = [
            {"_index": self._index, "_id": document_id(table.table_id), "_source": document(table)}
            for table in block
        ]

        def write() -> None:
            outcomes = helpers.parallel_bulk(
                self._client, actions, thread_count=self._limits.connections
            )
            assert sum(done for done, _ in outcomes) == len(block)

        return _timed(write)


def _timed(run: Callable[[], None]) -> float:
    start_s = time.perf_counter()
    run()
    return time.perf_counter() - start_s
