"""One alias taken from an index and given to another in a single request that names both exactly.

It changes nothing unless the index that is to lose the alias still has it: of two who swap at a
time, one finds that it is too late.
"""

import secrets
from collections.abc import Mapping
from typing import Any

from elasticsearch import NotFoundError

from polaris_search.errors import StoreProblem
from polaris_search.store.elasticsearch.generations.live import staging_prefix
from polaris_search.store.elasticsearch.server.connection import Connection


def new_staging_alias(alias: str) -> str:
    """Return a name to write a generation through that no other process has."""
    return f"{staging_prefix(alias)}{secrets.token_hex(8)}"


def change_aliases(connection: Connection, *actions: Mapping[str, Any]) -> bool:
    """Do all of these actions at once; return False, with none done, where one finds no alias.

    Raises:
        StoreProblem: the server did only some, or nobody knows.
    """
    with connection.answering():
        try:
            answer = connection.client.indices.update_aliases(actions=[*actions])
        except NotFoundError:
            return False
    if answer.get("errors") or not answer.get("acknowledged"):
        raise StoreProblem(
            f"Elasticsearch at {connection.address} did not say that the aliases were changed "
            "everywhere. Look at its log, then run the command again."
        )
    return True


def removed(index: str, alias: str) -> dict[str, Any]:
    """Return the action that takes an alias from the index that must have it."""
    return {"remove": {"index": index, "alias": alias, "must_exist": True}}


def added(index: str, alias: str) -> dict[str, Any]:
    """Return the action that gives an alias to an index, to be written through as well."""
    return {"add": {"index": index, "alias": alias, "is_write_index": True}}


def block_writes(connection: Connection, index: str) -> None:
    """Let an index take no more writes; returns once those that were under way have ended."""
    if not _block(connection, index):
        # It is blocked already, perhaps by a run that was killed before the last write had ended:
        # only a new block waits for that.
        allow_writes(connection, index)
        _block(connection, index)


def _block(connection: Connection, index: str) -> bool:
    """Block writes; return False, having waited for nothing, where they are blocked already.

    Raises:
        StoreProblem: not every shard says that its writes have ended.
    """
    with connection.answering():
        answer = connection.client.indices.add_block(index=index, block="write")
    if answer["acknowledged"] and not answer["indices"]:
        return False
    if not answer["shards_acknowledged"]:
        raise StoreProblem(
            f"Elasticsearch at {connection.address} did not block the writes to {index} on every "
            "shard. Look at its log, then run the command again."
        )
    return True


def allow_writes(connection: Connection, index: str) -> None:
    """Let an index take writes again."""
    with connection.answering():
        connection.client.indices.put_settings(index=index, settings={"index.blocks.write": None})
