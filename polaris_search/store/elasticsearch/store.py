"""The store of tables in Elasticsearch: the protocol's methods over the alias of the live index.

Asks the server nothing before the first call. Reading where nothing was ever written gives nothing;
the first write creates the first generation.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from polaris_search.profiles.plan import QueryPlan
from polaris_search.records import EnrichedTable, TableState
from polaris_search.settings import Settings
from polaris_search.store.elasticsearch.bulk.chunks import BulkLimits
from polaris_search.store.elasticsearch.bulk.writing import DEFAULT_LIMITS
from polaris_search.store.elasticsearch.documents import storable_ids
from polaris_search.store.elasticsearch.generations.change_log import ChangeLog
from polaris_search.store.elasticsearch.generations.live import (
    Generation,
    ensure_generation,
    live_generation,
)
from polaris_search.store.elasticsearch.generations.of_alias import ElasticsearchGenerations
from polaris_search.store.elasticsearch.generations.place import Place
from polaris_search.store.elasticsearch.index_tables import IndexTables
from polaris_search.store.elasticsearch.query import search_body
from polaris_search.store.elasticsearch.searching import NOTHING, ask
from polaris_search.store.elasticsearch.server.connection import Connection, connect
from polaris_search.store.protocol import Filters, SearchResult, StoreStatus, WriteReport

ALIAS = "polaris-tables"


class ElasticsearchStore(IndexTables):
    """Tables behind one alias of an Elasticsearch server; TableStore says what a method promises.

    Scores are exact as long as no table was replaced or deleted: the server counts such a document
    in its statistics until it merges it away.

    Args:
        connection: the server.
        alias: the name to read and write through.
        limits: how writes are sent.
        shards: of the generations that are made; scores are exact with one.
        patience_s: how long a server that went away is waited for as generations are built.
    """

    def __init__(
        self,
        connection: Connection,
        alias: str = ALIAS,
        limits: BulkLimits = DEFAULT_LIMITS,
        shards: int = 1,
        patience_s: float = 30.0,
    ) -> None:
        super().__init__(connection, alias, limits)
        self._place = Place(connection, alias, limits, shards, patience_s)
        self._log = ChangeLog(connection, alias)
        self._checked: Generation | None = None

    @property
    def generations(self) -> ElasticsearchGenerations:
        """The generations of this alias."""
        return ElasticsearchGenerations(self._place)

    def put(self, tables: Iterable[EnrichedTable]) -> WriteReport:
        """Store the tables; see TableStore."""
        ensure_generation(self._connection, self._alias, self._place.shards)
        return super().put(tables)

    def refresh(self) -> None:
        """Make everything stored so far searchable."""
        if self._live() is not None:
            super().refresh()

    def get(self, table_ids: Sequence[str]) -> dict[str, EnrichedTable]:
        """Return the tables there are, by id, in the order asked for."""
        is_known = self._checked is not None  # a search looked; its hits are read at once
        return super().get(table_ids) if is_known or self._live() else {}

    def states(self, table_ids: Sequence[str]) -> dict[str, TableState]:
        """Return input hash and description status of the tables there are, by id."""
        return super().states(table_ids) if self._live() else {}

    def delete(self, table_ids: Sequence[str]) -> int:
        """Remove the tables; return how many there were.

        Each is written down first, for whoever builds another generation at the time. Once more
        where another one went live meanwhile: they may have been deleted from that one then.
        """
        live = self._live()
        if live is None:
            return 0
        live.check_current()
        wanted = storable_ids(table_ids)
        self._log.append(wanted, live.index)
        deleted = super().delete(wanted)
        after = self._live()
        if after is not None and after.index != live.index:
            self._log.append(wanted, after.index)
        return deleted

    def table_ids(self) -> Iterator[str]:
        """Yield every stored id in ascending order."""
        return super().table_ids() if self._live() else iter(())

    def tables(self) -> Iterator[EnrichedTable]:
        """Yield every stored table, ids ascending, a page at a time."""
        return super().tables() if self._live() else iter(())

    def search(self, plan: QueryPlan, size: int, filters: Filters | None = None) -> SearchResult:
        """Return the `size` (1 to 10,000) best tables for a plan that pass every filter."""
        body = search_body(plan, size, filters)
        if plan.asks_nothing or not self._is_searchable():
            return NOTHING
        answer = ask(self._connection, self._alias, body)
        if self._checked and self._checked.index not in (None, answer.index):
            self._checked = None  # another generation answered, or none: look what is there now
            self._is_searchable()
        return answer.result

    def status(self) -> StoreStatus:
        """Return what the store is and holds. Needs no more than the right to search the alias."""
        live = self._live()
        if live is None:
            version = self._connection.server_version()
            return StoreStatus("elasticsearch", self._connection.address, version, None, 0)
        return replace(self._status(live.index), current=live.problem is None)

    def close(self) -> None:
        """Drop the scratch generations that are still open, and let go of the connection."""
        try:
            super().close()
        finally:
            self._connection.close()

    def _live(self) -> Generation | None:
        """Return the live generation, None if nothing was ever written.

        Asked on every call but a search and the reading of its hits: reading by id would not notice
        another program's index.

        Raises:
            StoreProblem: what the alias names is not an index that can be read.
        """
        return live_generation(self._connection, self._alias)

    def _is_searchable(self) -> bool:
        """Look at the index behind the alias before the first search, and after each swap.

        Raises:
            StoreProblem: this program's queries would not be understood there.
        """
        if self._checked is None:
            live = self._live()
            if live is not None:
                live.check_current()
            self._checked = live
        return self._checked is not None


def open_elasticsearch(settings: Settings) -> ElasticsearchStore:
    """Return the store at the address that POLARIS_STORE names. Asks the server nothing.

    Raises:
        UsageError: the address, the key or the certificate's path cannot be used.
    """
    return ElasticsearchStore(
        connect(settings),
        limits=BulkLimits(connections=settings.es_connections, patience_s=settings.es_timeout_s),
        shards=settings.es_shards,
        patience_s=settings.es_timeout_s,
    )
