"""Reading documents back through an alias: by id, or all in id order as of one point in time.

Yields documents' sources, reduced to the fields asked for. An alias that does not exist holds
nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from elasticsearch import AuthorizationException, NotFoundError

from polaris_search.store.elasticsearch.connection import Connection
from polaris_search.store.elasticsearch.documents import document_id, storable_ids
from polaris_search.store.elasticsearch.failures import is_missing_index, read_failure

Source = Mapping[str, Any]

IDS_PER_REQUEST = 100
KEEP_ALIVE = "5m"
"""How long the server keeps the point in time after a page; a consumer may take as long over it."""


def sources_by_id(
    connection: Connection, alias: str, table_ids: Sequence[str], fields: Sequence[str]
) -> dict[str, Source]:
    """Return the sources of the tables there are, by table_id; also what no search shows yet."""
    wanted = storable_ids(table_ids)
    found: dict[str, Source] = {}
    for start in range(0, len(wanted), IDS_PER_REQUEST):
        page = wanted[start : start + IDS_PER_REQUEST]
        for document in _documents(connection, alias, page, ["table_id", *fields]):
            found[document["_source"]["table_id"]] = document["_source"]
    return {table_id: found[table_id] for table_id in wanted if table_id in found}


def all_sources(
    connection: Connection, alias: str, fields: Sequence[str], page_size: int
) -> Iterator[Source]:
    """Yield every table's source, table_id ascending, holding `page_size` of them at a time.

    What is written while this runs is not seen.

    Raises:
        StoreProblem: the index was dropped meanwhile, or a page was consumed for over five minutes.
    """
    _refresh_if_allowed(connection, alias)
    pit = _open_point_in_time(connection, alias)
    if pit is None:
        return
    after: list[Any] | None = None
    try:
        while hits := _page(connection, pit, [*fields], page_size, after):
            yield from (hit["_source"] for hit in hits)
            after = hits[-1]["sort"]
    finally:
        with connection.answering():
            connection.client.options(ignore_status=404).close_point_in_time(id=pit)


def _documents(
    connection: Connection, alias: str, table_ids: Sequence[str], fields: Sequence[str]
) -> list[dict[str, Any]]:
    with connection.answering():
        answer = connection.client.mget(
            index=alias,
            ids=[document_id(table_id) for table_id in table_ids],
            source_includes=list(fields),
        )
    documents: list[dict[str, Any]] = answer["docs"]
    for document in documents:
        error = document.get("error", {"type": "index_not_found_exception"})
        if error["type"] != "index_not_found_exception":
            raise read_failure(error, connection.address)
    return [document for document in documents if document.get("found")]


def _refresh_if_allowed(connection: Connection, alias: str) -> None:
    with connection.answering():
        try:
            connection.client.indices.refresh(index=alias, ignore_unavailable=True)
        except AuthorizationException:  # a key that may only read sees what the last refresh shows
            return


def _open_point_in_time(connection: Connection, alias: str) -> str | None:
    with connection.answering():
        try:
            answer = connection.client.open_point_in_time(index=alias, keep_alive=KEEP_ALIVE)
        except NotFoundError as error:
            if is_missing_index(error):
                return None
            raise
    pit: str = answer["id"]
    return pit


def _page(
    connection: Connection, pit: str, fields: list[str], size: int, after: list[Any] | None
) -> list[dict[str, Any]]:
    with connection.answering():
        answer = connection.client.search(
            pit={"id": pit, "keep_alive": KEEP_ALIVE},
            sort=[{"table_id": "asc"}],
            size=size,
            source_includes=fields,
            search_after=after,
            track_total_hits=False,
        )
    hits: list[dict[str, Any]] = answer["hits"]["hits"]
    return hits
