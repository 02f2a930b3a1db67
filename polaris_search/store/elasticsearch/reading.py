"""Reading documents back: by id, or all in id order as of one point in time.

Yields documents' sources, reduced to the fields asked for. A name that does not exist holds
nothing.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from elasticsearch import ApiError, AuthorizationException, NotFoundError

from polaris_search.errors import ServiceUnreachable
from polaris_search.store.elasticsearch.documents import document_id, storable_ids
from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.elasticsearch.server.failures import is_missing_index, read_failure
from polaris_search.store.elasticsearch.server.patience import Patience

Source = Mapping[str, Any]

IDS_PER_REQUEST = 100
FIRST_PAGE = 100
LARGEST_PAGE = 500
"""A wide table's record has some 100 kB, so that a page stays within tens of MB."""

IDS_PER_PAGE = 5_000
PAGE_BYTES = 2_000_000

KEEP_ALIVE = "5m"
"""How long the server keeps the point in time after a page; a consumer may take as long over it."""

_LAST_OF_AN_ID = 2**62
"""Above every document's number within a point in time: what follows has another id."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A document as a page of an index gives it; `last` is what the next page begins behind."""

    source: Source
    seq_no: int
    last: str

    @property
    def table_id(self) -> str:
        """The id of the document's table."""
        table_id: str = self.source["table_id"]
        return table_id


def sources_by_id(
    connection: Connection, name: str, table_ids: Sequence[str], fields: Sequence[str]
) -> dict[str, Source]:
    """Return the sources of the tables there are, by table_id; also what no search shows yet."""
    wanted = storable_ids(table_ids)
    found: dict[str, Source] = {}
    for start in range(0, len(wanted), IDS_PER_REQUEST):
        page = wanted[start : start + IDS_PER_REQUEST]
        for document in _documents(connection, name, page, ["table_id", *fields]):
            found[document["_source"]["table_id"]] = document["_source"]
    return {table_id: found[table_id] for table_id in wanted if table_id in found}


def all_sources(connection: Connection, name: str, fields: Sequence[str]) -> Iterator[Source]:
    """Yield every table's source, table_id ascending, a page at a time.

    What is written while this runs is not seen.

    Raises:
        StoreProblem: the index was dropped meanwhile, or a page was consumed for over five minutes.
    """
    refresh_if_allowed(connection, name)
    with closing(_PointInTime(connection, name)) as point:
        yield from (hit.source for hit in _hits(point, _Asked(fields), Patience(0)))


def all_hits(
    connection: Connection,
    name: str,
    fields: Sequence[str],
    patience: Patience,
    query: Mapping[str, Any] | None = None,
    shard: str | None = None,
) -> Iterator[Hit]:
    """Yield every document that a query matches, table_id ascending; its source has that too.

    Of all shards, or of the one that is given. As of one point in time; where the server loses
    that, as of a later one from the last id on. A server that is away is waited for.
    """
    patience.persist(lambda: refresh(connection, name))  # unseen writes would be lost for ever
    with closing(_PointInTime(connection, name, shard, renewable=True)) as point:
        yield from _hits(point, _Asked(["table_id", *fields], query), patience)


def refresh(connection: Connection, name: str) -> None:
    """Make all that was written visible to searches."""
    with connection.answering():
        connection.client.indices.refresh(index=name, ignore_unavailable=True)


def refresh_if_allowed(connection: Connection, name: str) -> None:
    """Make all that was written visible to searches, where the credentials may."""
    with connection.answering():
        try:
            connection.client.indices.refresh(index=name, ignore_unavailable=True)
        except AuthorizationException:  # a key that may only read sees what the last refresh shows
            return


@dataclass(frozen=True, slots=True)
class _Asked:
    """One page: up to `size` of the documents that match, from the one behind the id `after`."""

    fields: Sequence[str]
    query: Mapping[str, Any] | None = None
    after: str | None = None
    size: int = FIRST_PAGE

    def behind(self, page: Sequence[Hit]) -> "_Asked":
        """Return the next page, of as many documents as make up PAGE_BYTES if they go on alike."""
        sampled = page[:: max(1, len(page) // 10)]
        n_bytes = sum(len(json.dumps(hit.source)) for hit in sampled) // len(sampled)
        size = min(max(FIRST_PAGE, PAGE_BYTES // n_bytes), self.largest)
        return replace(self, after=page[-1].last, size=size)

    @property
    def largest(self) -> int:
        """The most documents of a page: a run of wide tables may follow a run of narrow ones."""
        return LARGEST_PAGE if "record" in self.fields else IDS_PER_PAGE


class _PointInTime:
    """An index as of one moment, opened at the first page; as of a later one if that is lost.

    Only a renewable one is opened again; of another, losing it is an error.
    """

    def __init__(
        self,
        connection: Connection,
        name: str,
        shard: str | None = None,
        *,
        renewable: bool = False,
    ) -> None:
        self._connection = connection
        self._name = name
        self._preference = None if shard is None else f"_shards:{shard}"
        self._renewable = renewable
        self._id: str | None = None

    def page(self, asked: _Asked) -> list[Hit]:
        """Return a page, empty behind the last one or where there is no such index."""
        answer = self._answer(asked)
        if answer is None and self._renewable:
            self._id = None
            answer = self._answer(asked)
        hits: list[dict[str, Any]] = answer["hits"]["hits"] if answer else []
        return [Hit(hit["_source"], hit["_seq_no"], hit["sort"][0]) for hit in hits]

    def close(self) -> None:
        """Let the server forget it; one that is away does so by itself."""
        if self._id is None:
            return
        with suppress(ServiceUnreachable), self._connection.answering():
            self._connection.client.options(ignore_status=404).close_point_in_time(id=self._id)

    def _answer(self, asked: _Asked) -> dict[str, Any] | None:
        """Return the server's answer; None where the point was lost, or there is no index."""
        if self._id is None:
            self._id = self._opened()
        if self._id is None:
            return None
        after: list[str | int] | None = (
            None if asked.after is None else [asked.after, _LAST_OF_AN_ID]
        )
        with self._connection.answering():
            try:
                answer = self._connection.client.search(
                    pit={"id": self._id, "keep_alive": KEEP_ALIVE},
                    query=asked.query,
                    sort=[{"table_id": "asc"}],
                    size=asked.size,
                    source_includes=list(asked.fields),
                    search_after=after,
                    seq_no_primary_term=True,
                    track_total_hits=False,
                    allow_partial_search_results=False,
                )
            except ApiError as error:
                if self._renewable and is_lost_point(error):
                    return None
                raise
        self._id = answer["pit_id"]
        body: dict[str, Any] = answer.body
        return body

    def _opened(self) -> str | None:
        with self._connection.answering():
            try:
                answer = self._connection.client.open_point_in_time(
                    index=self._name, keep_alive=KEEP_ALIVE, preference=self._preference
                )
            except NotFoundError as error:
                if is_missing_index(error):
                    return None
                raise
        pit: str = answer["id"]
        return pit


def is_lost_point(error: ApiError) -> bool:
    """Return whether the server said that it knows the point in time no more."""
    return "search_context_missing_exception" in str(error.body)


def _hits(point: _PointInTime, asked: _Asked, patience: Patience) -> Iterator[Hit]:
    while page := patience.persist(partial(point.page, asked)):
        yield from page
        asked = asked.behind(page)


def _documents(
    connection: Connection, name: str, table_ids: Sequence[str], fields: Sequence[str]
) -> list[dict[str, Any]]:
    with connection.answering():
        answer = connection.client.mget(
            index=name,
            ids=[document_id(table_id) for table_id in table_ids],
            source_includes=list(fields),
        )
    documents: list[dict[str, Any]] = answer["docs"]
    for document in documents:
        error = document.get("error", {"type": "index_not_found_exception"})
        if error["type"] != "index_not_found_exception":
            raise read_failure(error, connection.address)
    return [document for document in documents if document.get("found")]
