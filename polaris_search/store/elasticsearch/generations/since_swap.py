"""Writing to a live index only what nobody wrote there since it went live.

Elasticsearch numbers the writes of each shard; whatever is above the number that a shard had just
before the swap was written through the alias since, and is newer than anything of before.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from polaris_search.records import EnrichedTable
from polaris_search.store.elasticsearch.bulk.sending import NO_PIPELINE
from polaris_search.store.elasticsearch.documents import document_bytes, document_id
from polaris_search.store.elasticsearch.reading import refresh
from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.elasticsearch.server.failures import item_failure, item_reason
from polaris_search.store.protocol import Refused

TABLES_AT_A_TIME = 100


@dataclass(frozen=True, slots=True)
class Version:
    """Which write of a document is meant."""

    seq_no: int
    primary_term: int


@dataclass(frozen=True, slots=True)
class _There:
    """A document of the live index; `own` if nobody wrote it since the swap."""

    version: Version
    own: bool


class OldPart:
    """What of a live index was there before it went live; only that is written over.

    Args:
        connection: the server.
        index: the live index.
        own: per shard, the number of the last write before it went live.
    """

    def __init__(self, connection: Connection, index: str, own: Mapping[str, int]) -> None:
        self._connection = connection
        self._index = index
        self._own = own

    def write(self, tables: Sequence[EnrichedTable]) -> tuple[dict[str, Version], list[Refused]]:
        """Write each table unless it was written or made since; return versions and refusals."""
        there = self._there([table.table_id for table in tables])
        lines: list[Any] = []  # what the client takes: objects, or bytes that are JSON already
        asked, refused = list[str](), list[Refused]()
        for table in tables:
            found = there.get(table.table_id)
            if found and not found.own:
                continue
            try:
                body = document_bytes(table)
            except ValueError:
                reason = "A text of it holds half a surrogate pair. Repair its encoding to UTF-8."
                refused.append(Refused(table.table_id, reason))
                continue
            asked.append(table.table_id)
            lines += [_action(table.table_id, found.version if found else None), body]
        written = dict[str, Version]()
        for table_id, item in zip(asked, self._bulk(lines), strict=True):
            if "error" not in item:
                written[table_id] = Version(item["_seq_no"], item["_primary_term"])
            elif item["status"] != 409:  # 409: somebody wrote it since; theirs is newer
                refused.append(Refused(table_id, self._reason(item["error"])))
        return written, refused

    def delete_own(self, table_ids: Sequence[str]) -> int:
        """Delete those of these tables that nobody wrote since; return how many."""
        there = self._there(table_ids)
        return self.delete({key: one.version for key, one in there.items() if one.own})

    def delete(self, versions: Mapping[str, Version]) -> int:
        """Delete these tables where they are still of these versions; return how many."""
        lines = [
            {"delete": {"_id": document_id(table_id), **_condition(version)}}
            for table_id, version in versions.items()
        ]
        return sum("error" not in item and item["status"] < 300 for item in self._bulk(lines))

    def _there(self, table_ids: Sequence[str]) -> dict[str, _There]:
        """Return what there is of these tables, by id."""
        found: dict[str, _There] = {}
        refresh(self._connection, self._index)
        for some in _cut(table_ids):
            with self._connection.answering():
                answer = self._connection.client.search(
                    index=self._index,
                    query={"constant_score": {"filter": {"terms": {"table_id": some}}}},
                    source_includes=["table_id"],
                    size=len(some),
                    seq_no_primary_term=True,
                    explain=True,  # the only way to learn in which shard a document is
                    allow_partial_search_results=False,
                )
            for hit in answer["hits"]["hits"]:
                shard = hit["_shard"].rpartition("[")[2].rstrip("]")
                version = Version(hit["_seq_no"], hit["_primary_term"])
                own = version.seq_no <= self._own.get(shard, -1)
                found[hit["_source"]["table_id"]] = _There(version, own)
        return found

    def _bulk(self, lines: Sequence[Any]) -> list[dict[str, Any]]:
        if not lines:
            return []
        with self._connection.answering():
            answer = self._connection.client.bulk(
                index=self._index, operations=lines, pipeline=NO_PIPELINE
            )
        return [outcome for item in answer["items"] for outcome in item.values()]

    def _reason(self, error: Mapping[str, Any]) -> str:
        problem = item_failure(error, self._connection.address)
        if problem is not None:
            raise problem
        return item_reason(error)


def _action(table_id: str, version: Version | None) -> dict[str, Any]:
    if version is None:
        return {"create": {"_id": document_id(table_id)}}
    return {"index": {"_id": document_id(table_id), **_condition(version)}}


def _condition(version: Version) -> dict[str, int]:
    return {"if_seq_no": version.seq_no, "if_primary_term": version.primary_term}


def _cut(table_ids: Iterable[str]) -> Iterator[list[str]]:
    rest = iter(table_ids)
    while some := list(islice(rest, TABLES_AT_A_TIME)):
        yield some
