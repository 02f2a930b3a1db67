"""Writing to an alias in bulk: tables in, a report of what became of each out.

A table that the server refuses is reported and stops no other; trouble that would meet every table
alike is raised. Every write demands the alias, so that none creates an index by itself.
"""

from collections.abc import Iterable, Iterator, Sequence

from polaris_search.records import EnrichedTable
from polaris_search.store.elasticsearch.bulk.chunks import BulkLimits, Write
from polaris_search.store.elasticsearch.bulk.side_by_side import send_all
from polaris_search.store.elasticsearch.documents import (
    document_bytes,
    document_id,
    json_text,
    storable_ids,
)
from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.protocol import Refused, WriteReport

DEFAULT_LIMITS = BulkLimits()


def put_tables(
    connection: Connection,
    alias: str,
    tables: Iterable[EnrichedTable],
    limits: BulkLimits = DEFAULT_LIMITS,
) -> WriteReport:
    """Store the tables, each replacing the one of the same id; of two given, the last stays.

    A server that restarts meanwhile is waited for.

    Raises:
        ServiceUnreachable: the server stopped answering; what went before is stored.
        StoreProblem: the index takes no writes: no right to, no disk left, or the index is gone.
    """
    unsent: list[tuple[int, Refused]] = []
    sent = send_all(connection, alias, _puts(tables, limits.document_bytes, unsent), limits)
    refused = [(one.number, Refused(one.table_id, one.reason)) for one in sent.unwritten]
    in_order = sorted(unsent + refused, key=lambda numbered: numbered[0])
    return WriteReport(sent.done, tuple(one for _, one in in_order))


def delete_tables(
    connection: Connection,
    alias: str,
    table_ids: Sequence[str],
    limits: BulkLimits = DEFAULT_LIMITS,
) -> int:
    """Remove the tables; return how many there were.

    Where the server went away in the midst, those may be missing from the count that it removed
    without saying so.
    """
    writes = (
        Write(number, table_id, document_id(table_id), _action("delete", document_id(table_id)))
        for number, table_id in enumerate(storable_ids(table_ids))
    )
    return send_all(connection, alias, writes, limits).done


def _puts(
    tables: Iterable[EnrichedTable], max_bytes: int, unsent: list[tuple[int, Refused]]
) -> Iterator[Write]:
    for number, table in enumerate(tables):
        try:
            body = document_bytes(table)
        except ValueError:
            reason = (
                "A text of it holds half a surrogate pair. Repair the text's encoding to UTF-8."
            )
            unsent.append((number, Refused(table.table_id, reason)))
            continue
        if len(body) > max_bytes:
            unsent.append((number, Refused(table.table_id, _too_big(len(body), max_bytes))))
            continue
        document = document_id(table.table_id)
        lines = b"%b%b\n" % (_action("index", document), body)
        yield Write(number, table.table_id, document, lines)


def _action(verb: str, document: str) -> bytes:
    return f'{{"{verb}":{{"_id":{json_text(document)}}}}}\n'.encode()


def _too_big(n_bytes: int, max_bytes: int) -> str:
    return (
        f"Its document has {n_bytes / 1e6:.1f} MB, and {max_bytes / 1e6:g} MB are possible. "
        "Shorten its context or its columns' comments."
    )
