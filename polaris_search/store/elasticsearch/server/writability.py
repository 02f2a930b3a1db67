"""Why the index behind an alias takes no writes just now, found out without writing.

Says what a write would be refused with, as far as the credentials may look: reading goes on in
most such states, so that nobody notices them before the next ingest.
"""

from collections.abc import Mapping
from typing import Any

from elasticsearch import ApiError

from polaris_search.errors import PolarisError
from polaris_search.store.elasticsearch.server import faults
from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.elasticsearch.server.failures import read_failure

_OF_AN_INDEX = {
    "index.blocks.read_only_allow_delete": "TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage",
    "index.blocks.read_only": "FORBIDDEN/5/index read-only (api)",
    "index.blocks.write": "FORBIDDEN/8/index write (api)",
}
_OF_THE_CLUSTER = {
    "cluster.blocks.read_only_allow_delete": "FORBIDDEN/13/cluster read-only / allow delete (api)",
    "cluster.blocks.read_only": "FORBIDDEN/6/cluster read-only (api)",
}
"""Settings, and how the server calls the blocks that they put up."""


def why_not_writable(connection: Connection, alias: str) -> PolarisError | None:
    """Return what a write would be refused with; None: with nothing, or these may not look."""
    try:
        found = connection.client.indices.get_settings(index=alias, flat_settings=True)
    except ApiError:  # there is none yet, or these credentials may not look at it
        return None
    return (
        _no_node(connection, alias)
        or _cluster_block(connection)
        or _index_block(connection, {name: one["settings"] for name, one in found.items()})
    )


def _no_node(connection: Connection, alias: str) -> PolarisError | None:
    try:
        health = connection.client.cluster.health(index=alias, master_timeout="1s", timeout="1s")
    except ApiError as error:
        return connection.failure(error) if error.status_code == 503 else None
    return faults.NO_SHARD.at(connection.address) if health["status"] == "red" else None


def _cluster_block(connection: Connection) -> PolarisError | None:
    try:
        answer = connection.client.cluster.get_settings(flat_settings=True)
    except ApiError:
        return None
    reason = _reason({**answer["transient"], **answer["persistent"]}, _OF_THE_CLUSTER)
    return _refusal(connection, f"blocked by: [{reason}];") if reason else None


def _index_block(
    connection: Connection, found: Mapping[str, Mapping[str, Any]]
) -> PolarisError | None:
    for index, settings in found.items():
        reason = _reason(settings, _OF_AN_INDEX)
        if reason:
            return _refusal(connection, f"index [{index}] blocked by: [{reason}];")
    return None


def _reason(settings: Mapping[str, Any], blocks: Mapping[str, str]) -> str | None:
    return next((blocks[name] for name in blocks if settings.get(name) == "true"), None)


def _refusal(connection: Connection, reason: str) -> PolarisError:
    error = {"type": "cluster_block_exception", "reason": reason}
    return read_failure(error, connection.address)
