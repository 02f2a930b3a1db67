"""The ingest pipeline for what other programs write to the alias: put, and looked after.

It makes a table that Kibana, Logstash or curl sends the document that this product would have
written, and sends what it cannot take to the index `ALIAS-dead-letters`. Its scripts stand in
mappings/painless. This product's own writes are whole documents and go round it.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from elasticsearch import AuthorizationException, BadRequestError, NotFoundError

import mappings
from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.elasticsearch.server.existence import is_there
from polaris_search.store.elasticsearch.server.failures import error_type

FOREIGN_INPUT_HASH = "foreign-none"
"""Provenance.input_hash of a table that another program sent; no enrichment gives this one."""

TEMPLATE_PRIORITY = 500

_THERE_ALREADY = ("resource_already_exists_exception", "invalid_alias_name_exception")


@dataclass(frozen=True, slots=True)
class ForeignWrites:
    """What there is for other programs that write to the alias.

    Attributes:
        normalised: whether what they write to the live index passes through the pipeline; None:
            there is no live index, or these credentials may not look at it.
        dead_letters: how many tables the pipeline could not take; None: they may not be read.
    """

    normalised: bool | None
    dead_letters: int | None


def dead_letter_index(alias: str) -> str:
    """Return the name of the index for what the pipeline of this alias cannot take."""
    return f"{alias}-dead-letters"


def pipeline_settings(connection: Connection, alias: str) -> dict[str, Any]:
    """Put the pipeline, and return the settings that attach it to a new index of the alias.

    Nothing where it is not there and these credentials may not put it: then what other programs
    write is refused by the strict mapping unless it is a whole document.
    """
    return {"index.default_pipeline": alias} if put_pipeline(connection, alias) else {}


def put_pipeline(connection: Connection, alias: str) -> bool:
    """Put the alias's pipeline and the index for its dead letters; return whether they are there.

    Needs the cluster privileges manage_ingest_pipelines, or read_pipeline where it is there
    already, and manage_index_templates for a dead-letter index that may be deleted at any time.
    """
    with connection.answering():
        try:
            _put_dead_letter_index(connection, alias)
        except AuthorizationException:
            return False
        try:
            connection.client.ingest.put_pipeline(id=alias, **_pipeline(alias))
        except AuthorizationException:
            return bool(_is_there(connection, alias))
    return True


def foreign_writes(connection: Connection, alias: str) -> ForeignWrites:
    """Return whether other programs' writes are normalised, and what could not be taken."""
    with connection.answering():
        return ForeignWrites(_is_attached(connection, alias), _dead_letters(connection, alias))


def _pipeline(alias: str) -> dict[str, Any]:
    pipeline = mappings.ingest_pipeline()
    buried = pipeline["on_failure"][-1]["script"]
    buried["params"] = {"dead_letters": dead_letter_index(alias)}
    return pipeline


def _put_dead_letter_index(connection: Connection, alias: str) -> None:
    """Create the index behind an alias, for writers that demand one of every write.

    Where somebody deleted it, a template gives the index that the next write makes the same
    mapping.
    """
    name, body = dead_letter_index(alias), mappings.dead_letters()
    with suppress(AuthorizationException, BadRequestError):  # no right to, or a site has its own
        connection.client.indices.put_index_template(
            name=name,
            index_patterns=[name],
            priority=TEMPLATE_PRIORITY,
            allow_auto_create=True,
            template=body,
        )
    if is_there(connection.client, name):
        return
    try:
        aliases = {name: {"is_write_index": True}}
        connection.client.indices.create(index=f"{name}-v1", aliases=aliases, **body)
    except BadRequestError as error:
        if error_type(error.body) not in _THERE_ALREADY:
            raise


def _is_attached(connection: Connection, alias: str) -> bool | None:
    try:
        found = connection.client.indices.get_settings(
            index=alias, name="index.default_pipeline", flat_settings=True
        )
    except (AuthorizationException, NotFoundError):
        return None
    named = any(body["settings"].get("index.default_pipeline") == alias for body in found.values())
    # An index that was restored on another cluster may name a pipeline that is not there.
    return named and _is_there(connection, alias) is not False


def _is_there(connection: Connection, alias: str) -> bool | None:
    """Return whether the pipeline exists; None where these credentials may not see it."""
    try:
        connection.client.ingest.get_pipeline(id=alias, summary=True)
    except NotFoundError:
        return False
    except AuthorizationException:
        return None
    return True


def _dead_letters(connection: Connection, alias: str) -> int | None:
    try:  # with ignore_unavailable, an index that may not be read would count as empty
        count: int = connection.client.count(index=dead_letter_index(alias))["count"]
    except NotFoundError:
        return 0
    except AuthorizationException:
        return None
    return count
