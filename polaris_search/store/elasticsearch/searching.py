"""Asking an index a query plan: the best tables with their scores, and which index answered."""

from dataclasses import dataclass
from typing import Any

from elasticsearch import NotFoundError

from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.elasticsearch.server.failures import is_missing_index
from polaris_search.store.protocol import ScoredTable, SearchResult

NOTHING = SearchResult(hits=(), total=0)

SEARCH_TYPE = "dfs_query_then_fetch"
"""Counts words over all shards before it scores; with one shard the server leaves that out."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a search gave; `index` is the one that the hits are from, None where there are none."""

    result: SearchResult
    index: str | None


def ask(connection: Connection, name: str, body: dict[str, Any]) -> Answer:
    """Return the answer to a search body; nothing where no index has the name.

    Raises:
        StoreProblem, ServiceUnreachable: also where only some of the shards answer.
    """
    with connection.answering():
        try:
            answer = connection.client.search(
                index=name,
                body=body,
                search_type=SEARCH_TYPE,
                allow_partial_search_results=False,
            )
        except NotFoundError as error:
            if is_missing_index(error):
                return Answer(NOTHING, None)
            raise
    hits = answer["hits"]["hits"]
    scored = tuple(ScoredTable(hit["sort"][1], hit["_score"]) for hit in hits)
    index = hits[0].get("_index") if hits else None
    return Answer(SearchResult(scored, answer["hits"]["total"]["value"]), index)
