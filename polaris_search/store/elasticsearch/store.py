"""The store of tables in Elasticsearch: the protocol's methods over one alias.

Asks the server nothing before the first call. Reading where nothing was ever written gives nothing;
the first write creates the first generation.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from elasticsearch import NotFoundError

from polaris_search.profiles.plan import QueryPlan
from polaris_search.records import EnrichedTable, TableState
from polaris_search.settings import Settings
from polaris_search.store.elasticsearch.connection import Connection, connect
from polaris_search.store.elasticsearch.documents import state_of, table_of
from polaris_search.store.elasticsearch.failures import is_missing_index
from polaris_search.store.elasticsearch.generations import (
    ensure_generation,
    live_generation,
)
from polaris_search.store.elasticsearch.query import search_body
from polaris_search.store.elasticsearch.reading import all_sources, sources_by_id
from polaris_search.store.elasticsearch.scratch import ScratchIndices
from polaris_search.store.elasticsearch.writing import (
    DEFAULT_LIMITS,
    BulkLimits,
    delete_tables,
    put_tables,
)
from polaris_search.store.protocol import (
    Filters,
    ScoredTable,
    SearchResult,
    StoreStatus,
    WriteReport,
)

ALIAS = "polaris-tables"
NOTHING = SearchResult(hits=(), total=0)
IDS_PER_PAGE = 5_000
TABLES_PER_PAGE = 100
"""A wide table's record has some 100 kB, so that a page stays within tens of MB."""


class ElasticsearchStore:
    """Tables behind one alias of an Elasticsearch server; TableStore says what a method promises.

    Scores are exact as long as no table was replaced or deleted: the server counts such a document
    in its statistics until it merges it away.
    """

    def __init__(
        self, connection: Connection, alias: str = ALIAS, limits: BulkLimits = DEFAULT_LIMITS
    ) -> None:
        self._connection = connection
        self._alias = alias
        self._limits = limits
        self._checked = False
        self._scratch = ScratchIndices(connection, alias)

    def put(self, tables: Iterable[EnrichedTable]) -> WriteReport:
        """Store the tables; see TableStore."""
        ensure_generation(self._connection, self._alias)
        return put_tables(self._connection, self._alias, tables, self._limits)

    def refresh(self) -> None:
        """Make everything stored so far searchable."""
        if self._is_empty():
            return
        with self._connection.answering():
            try:
                self._connection.client.indices.refresh(index=self._alias)
            except NotFoundError as error:
                if not is_missing_index(error):
                    raise

    def get(self, table_ids: Sequence[str]) -> dict[str, EnrichedTable]:
        """Return the tables there are, by id, in the order asked for."""
        if self._is_empty():
            return {}
        found = sources_by_id(self._connection, self._alias, table_ids, ["record"])
        return {table_id: table_of(source) for table_id, source in found.items()}

    def states(self, table_ids: Sequence[str]) -> dict[str, TableState]:
        """Return input hash and description status of the tables there are, by id."""
        if self._is_empty():
            return {}
        fields = ["input_hash", "status"]
        found = sources_by_id(self._connection, self._alias, table_ids, fields)
        return {table_id: state_of(source) for table_id, source in found.items()}

    def delete(self, table_ids: Sequence[str]) -> int:
        """Remove the tables; return how many there were."""
        if self._is_empty():
            return 0
        return delete_tables(self._connection, self._alias, table_ids, self._limits)

    def table_ids(self) -> Iterator[str]:
        """Yield every stored id in ascending order."""
        if self._is_empty():
            return iter(())
        pages = all_sources(self._connection, self._alias, ["table_id"], IDS_PER_PAGE)
        return (source["table_id"] for source in pages)

    def tables(self) -> Iterator[EnrichedTable]:
        """Yield every stored table, ids ascending, a page at a time."""
        if self._is_empty():
            return iter(())
        pages = all_sources(self._connection, self._alias, ["record"], TABLES_PER_PAGE)
        return (table_of(source) for source in pages)

    def search(self, plan: QueryPlan, size: int, filters: Filters | None = None) -> SearchResult:
        """Return the `size` (1 to 10,000) best tables for a plan that pass every filter."""
        body = search_body(plan, size, filters)
        if plan.asks_nothing or not self._has_generation():
            return NOTHING
        with self._connection.answering():
            try:
                answer = self._connection.client.search(index=self._alias, body=body)
            except NotFoundError as error:
                if is_missing_index(error):
                    return NOTHING
                raise
        hits = tuple(ScoredTable(hit["sort"][1], hit["_score"]) for hit in answer["hits"]["hits"])
        return SearchResult(hits, answer["hits"]["total"]["value"])

    @contextmanager
    def scratch(self) -> Iterator["ElasticsearchStore"]:
        """Open an empty generation under an alias of its own, dropped at the end.

        Drops those of this alias too that a killed process left behind over 24 hours ago.
        """
        with self._scratch.opened() as alias:
            yield ScratchStore(self._connection, alias, self._limits)

    def status(self) -> StoreStatus:
        """Return what the store is and holds. Needs no more than the right to search the alias."""
        generation = live_generation(self._connection, self._alias)
        return StoreStatus(
            kind="elasticsearch",
            location=self._connection.address,
            version=self._connection.server_version(),
            generation=generation.index if generation else None,
            tables=self._count() if generation else 0,
        )

    def close(self) -> None:
        """Drop the scratch generations that are still open, and let go of the connection."""
        try:
            self._scratch.close()
        finally:
            self._connection.close()

    def _is_empty(self) -> bool:
        """Return whether nothing was ever written.

        Asked on every call but a search: reading by id would not notice another program's index.

        Raises:
            StoreProblem: what the alias names is not an index of this product.
        """
        return live_generation(self._connection, self._alias) is None

    def _has_generation(self) -> bool:
        """Look at the index behind the alias once, before the first search."""
        if not self._checked:
            self._checked = live_generation(self._connection, self._alias) is not None
        return self._checked

    def _count(self) -> int:
        with self._connection.answering():
            count: int = self._connection.client.count(index=self._alias)["count"]
        return count


class ScratchStore(ElasticsearchStore):
    """A store on another one's connection, which it does not close."""

    def close(self) -> None:
        """Do nothing: the connection belongs to the store that opened this one."""


def open_elasticsearch(settings: Settings) -> ElasticsearchStore:
    """Return the store at the address that POLARIS_STORE names. Asks the server nothing.

    Raises:
        UsageError: the address, the key or the certificate's path cannot be used.
    """
    return ElasticsearchStore(connect(settings))
