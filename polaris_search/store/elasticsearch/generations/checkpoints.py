"""How far an index got: sequence numbers up to which every write is done, on every copy.

Each write to a shard has the next number. Writes end out of order, so the highest number says
little; what counts is the checkpoint below which none is under way.
"""

from collections.abc import Mapping
from typing import Any

from elasticsearch import AuthorizationException

from polaris_search.errors import ServiceUnreachable, StoreProblem
from polaris_search.store.elasticsearch.server.connection import Connection

NOTHING_YET = -1

ByShard = Mapping[str, int]
"""A sequence number of each shard, by the shard's number; each shard counts for itself."""


def done_up_to(connection: Connection, index: str) -> ByShard:
    """Return, of each shard, the number up to which all writes are done, on every copy of it.

    After a refresh that begins later, a search sees each of them.

    Raises:
        ServiceUnreachable: a shard is not there yet, as just after the server's start.
        StoreProblem: the credentials may not ask.
    """
    shards = _primaries(connection, index)
    return {
        number: min(int(copy["global_checkpoint"]) for copy in copies)
        for number, copies in shards.items()
    }


def last_writes(connection: Connection, index: str) -> ByShard:
    """Return the number of the last write that each shard took; see `done_up_to`."""
    shards = _primaries(connection, index)
    return {
        number: max(int(copy["max_seq_no"]) for copy in copies) for number, copies in shards.items()
    }


def _primaries(connection: Connection, index: str) -> dict[str, list[Mapping[str, Any]]]:
    """Return the numbers of each shard's primary: of both, while it moves to another node."""
    with connection.answering():
        try:
            answer = connection.client.indices.stats(index=index, metric="docs", level="shards")
            settings = connection.client.indices.get_settings(
                index=index, name="index.number_of_shards"
            )
        except AuthorizationException:
            raise StoreProblem(
                f"The user or key may not read the statistics of {index}, which tell what was "
                "written meanwhile. Give it the index privilege monitor on the tables' indices."
            ) from None
    expected = int(settings[index]["settings"]["index"]["number_of_shards"])
    shards: Mapping[str, Any] = answer["indices"].get(index, {}).get("shards", {})
    primaries = {
        number: [
            copy["seq_no"] for copy in copies if copy["routing"]["primary"] and "seq_no" in copy
        ]
        for number, copies in shards.items()
    }
    found = {number: copies for number, copies in primaries.items() if copies}
    if len(found) < expected:
        raise ServiceUnreachable(
            f"Elasticsearch at {connection.address} has {len(found)} of {expected} shards of "
            f"{index}. Wait until it has them all, or look at its log, then run the command again."
        )
    return found
