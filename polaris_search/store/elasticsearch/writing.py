"""Writing to an alias in bulk: tables in, a report of what became of each out.

Chunks are bounded by bytes and by number. A table that the server refuses is reported and stops no
other; trouble that would meet every table alike is raised. Every write demands the alias, so that
none creates an index by itself.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from elasticsearch import helpers

from polaris_search.records import EnrichedTable
from polaris_search.store.elasticsearch.connection import Connection
from polaris_search.store.elasticsearch.documents import document_bytes, document_id, storable_ids
from polaris_search.store.elasticsearch.failures import item_failure, item_reason
from polaris_search.store.protocol import Refused, WriteReport

Action = dict[str, Any]


@dataclass(frozen=True, slots=True)
class BulkLimits:
    """How much one request carries, and how a busy server (429) is waited for.

    `backoff_s` doubles with each of the `retries`. A document is charged about four times its size
    against a tenth of the server's heap, so that one above 20 MB is refused for ever by a server
    with 1 GB.
    """

    chunk_bytes: int = 5_000_000
    chunk_tables: int = 500
    document_bytes: int = 20_000_000
    retries: int = 3
    backoff_s: float = 1.0


DEFAULT_LIMITS = BulkLimits()


def put_tables(
    connection: Connection,
    alias: str,
    tables: Iterable[EnrichedTable],
    limits: BulkLimits = DEFAULT_LIMITS,
) -> WriteReport:
    """Store the tables, each replacing the one of the same id.

    Raises:
        ServiceUnreachable: the server stopped answering; what went before is stored.
        StoreProblem: the index takes no writes: no right to, no disk left, or the index is gone.
    """
    refused: list[Refused] = []
    names: dict[str, str] = {}  # `_id` to table_id, of the hashed ones under way
    stored = 0
    actions = _put_actions(tables, limits.document_bytes, names, refused)
    for document, error in _outcomes(connection, alias, actions, limits):
        table_id = names.pop(document, document)
        if error is None:
            stored += 1
        else:
            refused.append(Refused(table_id, item_reason(error)))
    return WriteReport(stored, tuple(refused))


def delete_tables(
    connection: Connection,
    alias: str,
    table_ids: Sequence[str],
    limits: BulkLimits = DEFAULT_LIMITS,
) -> int:
    """Remove the tables; return how many there were."""
    documents = dict.fromkeys(map(document_id, storable_ids(table_ids)))
    actions = ({"_op_type": "delete", "_id": document} for document in documents)
    return sum(error is None for _, error in _outcomes(connection, alias, actions, limits))


def _put_actions(
    tables: Iterable[EnrichedTable], max_bytes: int, names: dict[str, str], refused: list[Refused]
) -> Iterator[Action]:
    for table in tables:
        try:
            body = document_bytes(table)
        except UnicodeEncodeError:
            reason = (
                "A text of it holds half a surrogate pair. Repair the text's encoding to UTF-8."
            )
            refused.append(Refused(table.table_id, reason))
            continue
        if len(body) > max_bytes:
            refused.append(Refused(table.table_id, _too_big(len(body), max_bytes)))
            continue
        document = document_id(table.table_id)
        if document != table.table_id:
            names[document] = table.table_id
        yield {"_id": document, "_source": body}


def _too_big(n_bytes: int, max_bytes: int) -> str:
    return (
        f"Its document has {n_bytes / 1e6:.1f} MB, and {max_bytes / 1e6:g} MB are possible. "
        "Shorten its context or its columns' comments."
    )


def _outcomes(
    connection: Connection, alias: str, actions: Iterable[Action], limits: BulkLimits
) -> Iterator[tuple[str, Mapping[str, Any] | None]]:
    """Yield each action's `_id` and its error; None where it was done.

    Deleting what is not there counts as an error. With the client's default raise_on_error, a bulk
    would stop at the first bad chunk and retry nothing.
    """
    with connection.answering():
        for done, item in helpers.streaming_bulk(
            connection.client,
            actions,
            chunk_size=limits.chunk_tables,
            max_chunk_bytes=limits.chunk_bytes,
            raise_on_error=False,
            max_retries=limits.retries,
            initial_backoff=limits.backoff_s,
            index=alias,
            require_alias=True,
        ):
            (outcome,) = item.values()
            yield outcome["_id"], None if done else _own_error(outcome, connection.address)


def _own_error(outcome: Mapping[str, Any], address: str) -> Mapping[str, Any]:
    """Return the error of one item. Raises StoreProblem where it is the whole index's."""
    error: Mapping[str, Any] = outcome.get("error") or {"type": outcome.get("result", "unknown")}
    problem = item_failure(error, address)
    if problem is not None:
        raise problem
    return error
