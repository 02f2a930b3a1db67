"""The tables of one index: the protocol's methods over the name it is read by.

Knows nothing of generations: whether the index is the live one, one that is being built, or a
scratch one is for those who inherit from this.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from elasticsearch import ApiError, NotFoundError

from polaris_search.profiles.plan import QueryPlan
from polaris_search.records import EnrichedTable, TableState
from polaris_search.store.elasticsearch.bulk.chunks import BulkLimits
from polaris_search.store.elasticsearch.bulk.writing import delete_tables, put_tables
from polaris_search.store.elasticsearch.documents import state_of, table_of
from polaris_search.store.elasticsearch.generations.scratch import ScratchIndices
from polaris_search.store.elasticsearch.query import search_body
from polaris_search.store.elasticsearch.reading import (
    all_sources,
    sources_by_id,
)
from polaris_search.store.elasticsearch.searching import NOTHING, ask
from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.elasticsearch.server.failures import is_missing_index
from polaris_search.store.protocol import Filters, SearchResult, StoreStatus, WriteReport


class IndexTables:
    """The tables that one name leads to; TableStore says what a method promises.

    Args:
        connection: the server.
        alias: the name to write through.
        limits: how writes are sent.
        name: the name to read by, where it is another one.
    """

    def __init__(
        self, connection: Connection, alias: str, limits: BulkLimits, name: str | None = None
    ) -> None:
        self._connection = connection
        self._alias = alias
        self._limits = limits
        self._name = name or alias
        self._scratch = ScratchIndices(connection, alias)

    def put(self, tables: Iterable[EnrichedTable]) -> WriteReport:
        """Store the tables; see TableStore."""
        return put_tables(self._connection, self._alias, tables, self._limits)

    def refresh(self) -> None:
        """Make everything stored so far searchable."""
        with self._connection.answering():
            try:
                self._connection.client.indices.refresh(index=self._name)
            except NotFoundError as error:
                if not is_missing_index(error):
                    raise

    def get(self, table_ids: Sequence[str]) -> dict[str, EnrichedTable]:
        """Return the tables there are, by id, in the order asked for."""
        found = sources_by_id(self._connection, self._name, table_ids, ["record"])
        return {table_id: table_of(source) for table_id, source in found.items()}

    def states(self, table_ids: Sequence[str]) -> dict[str, TableState]:
        """Return input hash and description status of the tables there are, by id."""
        fields = ["input_hash", "status"]
        found = sources_by_id(self._connection, self._name, table_ids, fields)
        return {table_id: state_of(source) for table_id, source in found.items()}

    def delete(self, table_ids: Sequence[str]) -> int:
        """Remove the tables; return how many there were."""
        return delete_tables(self._connection, self._alias, table_ids, self._limits)

    def table_ids(self) -> Iterator[str]:
        """Yield every stored id in ascending order."""
        pages = all_sources(self._connection, self._name, ["table_id"])
        return (source["table_id"] for source in pages)

    def tables(self) -> Iterator[EnrichedTable]:
        """Yield every stored table, ids ascending, a page at a time."""
        pages = all_sources(self._connection, self._name, ["record"])
        return (table_of(source) for source in pages)

    def search(self, plan: QueryPlan, size: int, filters: Filters | None = None) -> SearchResult:
        """Return the `size` (1 to 10,000) best tables for a plan that pass every filter."""
        body = search_body(plan, size, filters)
        return NOTHING if plan.asks_nothing else ask(self._connection, self._name, body).result

    @contextmanager
    def scratch(self) -> Iterator["IndexTables"]:
        """Open an empty generation under an alias of its own, dropped at the end.

        Drops those of this alias too that a killed process left behind.
        """
        with self._scratch.opened() as alias:
            yield ScratchTables(self._connection, alias, self._limits)

    def status(self) -> StoreStatus:
        """Return what the index is and holds. Needs no more than the right to search it."""
        return self._status(self._name)

    def close(self) -> None:
        """Drop the scratch generations that are still open."""
        self._scratch.close()

    def _status(self, generation: str | None) -> StoreStatus:
        return StoreStatus(
            kind="elasticsearch",
            location=self._connection.address,
            version=self._connection.server_version(),
            generation=generation,
            tables=self._count(),
            replaced=self._replaced(),
        )

    def _count(self) -> int:
        with self._connection.answering():
            try:
                count: int = self._connection.client.count(index=self._name)["count"]
            except NotFoundError as error:
                if is_missing_index(error):
                    return 0
                raise
        return count

    def _replaced(self) -> int:
        """Return how many documents that are gone the server still counts; 0 where it won't say."""
        with self._connection.answering():
            try:
                answer = self._connection.client.indices.stats(
                    index=self._name, metric="docs", filter_path="_all.primaries.docs.deleted"
                )
            except ApiError:
                return 0
        return int(answer.get("_all", {}).get("primaries", {}).get("docs", {}).get("deleted", 0))


class ScratchTables(IndexTables):
    """The tables of a scratch index, which whoever opened it drops."""

    def close(self) -> None:
        """Do nothing: the index is dropped at the end of the block that it was opened for."""
