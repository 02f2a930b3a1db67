"""The log of deletions: which tables were asked to be deleted, from which generation.

What is gone leaves nothing to be found by; so each delete is written down first, and whoever
builds another generation reads it. Entries are added and, after a day, removed; never changed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from elasticsearch import helpers

from polaris_search.store.elasticsearch.generations.checkpoints import NOTHING_YET, done_up_to
from polaris_search.store.elasticsearch.generations.creation import create_once
from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.elasticsearch.server.existence import is_there
from polaris_search.store.elasticsearch.server.failures import read_failure

SETTINGS = {"number_of_shards": 1, "auto_expand_replicas": "0-1", "refresh_interval": "-1"}
MAPPING = {
    "dynamic": "strict",
    "properties": {
        "table_id": {"type": "keyword", "ignore_above": 8191},
        "generation": {"type": "keyword"},
        "at": {"type": "date"},
    },
}

KEPT = "24h"
"""Longer than any process waits between writing down a delete and doing it."""

ENTRIES_PER_PAGE = 5_000


@dataclass(frozen=True, slots=True)
class Deletion:
    """A table that was asked to be deleted.

    Attributes:
        table_id: the table's id; there need not have been one.
        generation: the index that was live just before or just after; None where not known.
        number: later entries have higher ones.
    """

    table_id: str
    generation: str | None
    number: int


class ChangeLog:
    """The deletions of one store's tables; its index is made at the first."""

    def __init__(self, connection: Connection, alias: str) -> None:
        self._connection = connection
        self._index = f"{alias}-deletions"
        self._exists = False

    def append(self, table_ids: Sequence[str], generation: str | None) -> None:
        """Write down durably that these tables are about to be deleted."""
        if not table_ids:
            return
        if not self._exists:
            create_once(self._connection, self._index, SETTINGS, MAPPING)
            self._exists = True
        at = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}"
        entries = (
            {"_op_type": "create", "_source": {"table_id": one, "generation": generation, "at": at}}
            for one in table_ids
        )
        with self._connection.answering():
            outcomes = helpers.streaming_bulk(
                self._connection.client,
                entries,
                index=self._index,
                chunk_size=ENTRIES_PER_PAGE,
                raise_on_error=False,
                max_retries=3,
                initial_backoff=1,
            )
            failed = [item["create"] for done, item in outcomes if not done]
        if failed:
            raise read_failure(failed[0].get("error") or {}, self._connection.address)

    def position(self) -> int:
        """Return the number up to which all entries are written; -1 where there is no log."""
        if not self._is_there():
            return NOTHING_YET
        return min(done_up_to(self._connection, self._index).values())  # it has one shard

    def since(self, number: int) -> Iterator[list[Deletion]]:
        """Yield the entries above this number, oldest first, in lists of bounded length."""
        if not self._is_there():
            return
        with self._connection.answering():
            self._connection.client.indices.refresh(index=self._index)
        while page := self._page(number):
            yield page
            number = page[-1].number

    def named_since(self, number: int, table_ids: Sequence[str]) -> set[str]:
        """Return those of these ids (at most 5,000) that the entries above this number name."""
        if not table_ids or not self._is_there():
            return set()
        conditions = [
            {"terms": {"table_id": list(table_ids)}},
            {"range": {"_seq_no": {"gt": number}}},
        ]
        with self._connection.answering():
            self._connection.client.indices.refresh(index=self._index)
            answer = self._connection.client.search(
                index=self._index,
                query={"bool": {"filter": conditions}},
                collapse={"field": "table_id"},
                size=ENTRIES_PER_PAGE,
                source_includes=["table_id"],
                allow_partial_search_results=False,
            )
        return {hit["_source"]["table_id"] for hit in answer["hits"]["hits"]}

    def forget_old(self) -> None:
        """Remove the entries that are over a day old; such as may not be removed stay."""
        if not self._is_there():
            return
        with self._connection.answering():
            self._connection.client.delete_by_query(
                index=self._index,
                query={"range": {"at": {"lt": f"now-{KEPT}"}}},
                conflicts="proceed",
                refresh=False,
            )

    def _is_there(self) -> bool:
        with self._connection.answering():
            return is_there(self._connection.client, self._index)

    def _page(self, number: int) -> list[Deletion]:
        with self._connection.answering():
            answer = self._connection.client.search(
                index=self._index,
                query={"range": {"_seq_no": {"gt": number}}},
                sort=[{"_seq_no": "asc"}],
                size=ENTRIES_PER_PAGE,
                seq_no_primary_term=True,
                allow_partial_search_results=False,
                track_total_hits=False,
            )
        hits: list[dict[str, Any]] = answer["hits"]["hits"]
        return [
            Deletion(hit["_source"]["table_id"], hit["_source"].get("generation"), hit["_seq_no"])
            for hit in hits
        ]
