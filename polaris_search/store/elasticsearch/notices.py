"""What an operator should know of tables in Elasticsearch: who sees them, who else writes them."""

from collections.abc import Iterator

from polaris_search.store.elasticsearch.pipeline import (
    ForeignWrites,
    dead_letter_index,
    foreign_writes,
)
from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.elasticsearch.server.writability import why_not_writable
from polaris_search.store.notices import StoreNotice

ACCESS = StoreNotice(
    "access",
    "a user or key of Elasticsearch or Kibana that may read the index sees every table: the groups "
    "of a table are kept by this product's own interfaces alone, for document-level security needs "
    "a paid licence of Elasticsearch",
)


def notices(connection: Connection, alias: str) -> tuple[StoreNotice, ...]:
    """Return what there is to know of the tables behind the alias.

    Raises:
        ServiceUnreachable, StoreProblem: the server cannot be asked.
    """
    writes = foreign_writes(connection, alias)
    texts = [*_pipeline(alias, writes), *_dead_letters(alias, writes)]
    others = (StoreNotice("other writers", text) for text in texts)
    return *_writes(connection, alias), ACCESS, *others


def _writes(connection: Connection, alias: str) -> Iterator[StoreNotice]:
    refused = why_not_writable(connection, alias)
    if refused is not None:
        yield StoreNotice("writes", str(refused), refused.exit_code)


def _pipeline(alias: str, writes: ForeignWrites) -> Iterator[str]:
    if writes.normalised:
        yield f"tables that other programs send to {alias} pass through its ingest pipeline"
    if writes.normalised is False:
        yield (
            "no ingest pipeline is in place, so that tables that other programs send are refused; "
            "`polaris-admin reindex` by one who may manage_ingest_pipelines puts it there"
        )


def _dead_letters(alias: str, writes: ForeignWrites) -> Iterator[str]:
    if writes.dead_letters:
        index = dead_letter_index(alias)
        yield (
            f"{writes.dead_letters} tables that other programs sent could not be taken; "
            f"GET {index}/_search?sort=at:desc shows each with the reason. Once they are sent "
            f"again, remove them: POST {index}/_delete_by_query?q=*:*"
        )
