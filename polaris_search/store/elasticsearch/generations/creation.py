"""Making and dropping concrete indices: generations from mappings/tables.json, and what they need.

An index and its alias are made in one request, so that of two processes that start at once only
one gets its index.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from elasticsearch import AuthorizationException, BadRequestError

import mappings
from polaris_search.store.elasticsearch.generations.definition import schema_version
from polaris_search.store.elasticsearch.generations.meta import IndexMeta
from polaris_search.store.elasticsearch.pipeline import pipeline_settings
from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.elasticsearch.server.existence import is_there
from polaris_search.store.elasticsearch.server.failures import error_type

TEMPLATE_PRIORITY = 500
"""Above the catch-all templates that a site may have, whose settings would change the scores."""

STAMP = "%Y%m%dt%H%M%Sz"
"""When an index was made, in UTC, as its name has it."""


def new_index_name(alias: str, now: datetime, suffix: str) -> str:
    """Return the name of a new concrete index; lower case throughout, as the server demands."""
    return f"{alias}-v{schema_version()}-{now:{STAMP}}-{suffix}"


def create_index(
    connection: Connection,
    index: str,
    alias: str,
    meta: Mapping[str, Any],
    settings: Mapping[str, Any],
    made_of: Mapping[str, Any] | None = None,
) -> None:
    """Create this very index, to be written through this alias; nothing else has the name.

    Args:
        connection: the server.
        index: its name, never used before.
        alias: the name to write through.
        meta: what it says of itself.
        settings: index settings beside those of the mapping file.
        made_of: settings and mappings in place of those of mappings/tables.json.
    """
    body = made_of or mappings.tables()
    with connection.answering():
        try:
            connection.client.indices.create(
                index=index,
                settings={**body["settings"], **settings},
                mappings={**body["mappings"], "_meta": dict(meta)},
                aliases={alias: {"is_write_index": True}},
            )
        except BadRequestError as error:
            # The client asks again where the line breaks before the answer: it is ours then.
            if error_type(error.body) != "resource_already_exists_exception":
                raise


def create_once(
    connection: Connection, index: str, settings: Mapping[str, Any], mapping: Mapping[str, Any]
) -> None:
    """Create an index that is no generation, unless it is there."""
    with connection.answering():
        try:
            if not is_there(connection.client, index):
                connection.client.indices.create(index=index, settings=settings, mappings=mapping)
        except BadRequestError as error:
            if error_type(error.body) != "resource_already_exists_exception":
                raise


def generation_settings(connection: Connection, alias: str, shards: int) -> dict[str, Any]:
    """Return the settings of a new generation beside those of the mapping file.

    Puts what they refer to: the ingest pipeline for what other programs write to the alias.
    """
    return {"number_of_shards": shards, **pipeline_settings(connection, alias)}


def drop_index(connection: Connection, index: str) -> None:
    """Delete the index, and its aliases with it; nothing happens where it is gone already."""
    with connection.answering():
        connection.client.indices.delete(index=index, ignore_unavailable=True)


def write_meta(connection: Connection, index: str, meta: IndexMeta) -> None:
    """Write down what an index says of itself."""
    with connection.answering():
        connection.client.indices.put_mapping(index=index, meta=meta.raw)


def forbid_auto_creation(connection: Connection, alias: str) -> None:
    """Keep other programs from creating an index with guessed mappings by writing to these names.

    Writes of this product carry require_alias and need no template; so credentials without the
    cluster privilege manage_index_templates, or a site's own template on these names, are no reason
    to stop.
    """
    with connection.answering():
        try:
            connection.client.indices.put_index_template(
                name=alias,
                index_patterns=[alias, f"{alias}-v*", f"{alias}-deletions", f"{alias}-leases"],
                priority=TEMPLATE_PRIORITY,
                allow_auto_create=False,
            )
        except (AuthorizationException, BadRequestError):
            return
