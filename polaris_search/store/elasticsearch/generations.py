"""The concrete index behind an alias: found, checked, created once, dropped.

An alias such as `polaris-tables` points at one index, `polaris-tables-v1-20261130t020000z-ab12`.
Index and alias are created in one request, so that of two processes that start at once only one
gets its index.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from elasticsearch import ApiError, AuthorizationException, BadRequestError, NotFoundError

import mappings
from polaris_search.errors import StoreProblem
from polaris_search.store.elasticsearch.connection import Connection
from polaris_search.store.elasticsearch.failures import is_missing_index

TEMPLATE_PRIORITY = 500
"""Above the catch-all templates that a site may have, whose settings would change the scores."""

STAMP = "%Y%m%dt%H%M%Sz"
"""When an index was made, in UTC, as its name has it."""


@dataclass(frozen=True, slots=True)
class Generation:
    """The index behind an alias; None where the credentials may search it but not look at it."""

    index: str | None


def live_generation(connection: Connection, alias: str) -> Generation | None:
    """Return the generation that the alias points at, None if there is none yet.

    Raises:
        StoreProblem: the name is an index's, the alias points at several, or the schema differs.
    """
    with connection.answering():
        try:
            found: dict[str, Any] = connection.client.indices.get_mapping(index=alias).body
        except NotFoundError as error:
            if is_missing_index(error):
                return None
            raise
        except (
            AuthorizationException
        ):  # a key that may only read; the search itself says if it may not even that
            return Generation(index=None)
    return _checked(alias, found)


def ensure_generation(connection: Connection, alias: str) -> None:
    """Create the alias's first generation unless it has one; several processes may at once."""
    if live_generation(connection, alias) is None:
        _forbid_auto_creation(connection, alias)
        create_generation(connection, alias)


def create_generation(
    connection: Connection, alias: str, settings: Mapping[str, Any] | None = None
) -> None:
    """Create an index from mappings/tables.json under the alias, unless another process just did.

    Args:
        connection: the server.
        alias: the name to read and write through.
        settings: index settings beside those of the mapping file.
    """
    index = new_index_name(alias, datetime.now(UTC), secrets.token_hex(2))
    create_index(connection, index, alias, settings or {})


def create_index(
    connection: Connection, index: str, alias: str, settings: Mapping[str, Any]
) -> None:
    """Create this very index under the alias, unless another process just gave the alias one."""
    body = mappings.tables()
    with connection.answering():
        try:
            connection.client.indices.create(
                index=index,
                settings={**body["settings"], **settings},
                mappings=body["mappings"],
                aliases={alias: {"is_write_index": True}},
            )
        except ApiError:
            # A second write index under an alias is refused (status 500), the request with it.
            live = live_generation(connection, alias)
            if live is None or live.index is None:
                raise


def new_index_name(alias: str, now: datetime, suffix: str) -> str:
    """Return the name of a new concrete index; lower case throughout, as the server demands."""
    return f"{alias}-v{_schema_version(mappings.tables()['mappings'])}-{now:{STAMP}}-{suffix}"


def drop_index(connection: Connection, index: str) -> None:
    """Delete the index, and its alias with it; nothing happens where it is gone already."""
    with connection.answering():
        connection.client.indices.delete(index=index, ignore_unavailable=True)


def _forbid_auto_creation(connection: Connection, alias: str) -> None:
    """Keep other programs from creating an index with guessed mappings by writing to these names.

    Writes of this product carry require_alias and need no template; so credentials without the
    cluster privilege manage_index_templates, or a site's own template on these names, are no reason
    to stop.
    """
    with connection.answering():
        try:
            connection.client.indices.put_index_template(
                name=alias,
                index_patterns=[alias, f"{alias}-v*"],
                priority=TEMPLATE_PRIORITY,
                allow_auto_create=False,
            )
        except (AuthorizationException, BadRequestError):
            return


def _checked(alias: str, found: Mapping[str, Any]) -> Generation:
    if alias in found:
        raise StoreProblem(
            f"{alias!r} is an index, and the store needs an alias of that name. Some program wrote "
            "to the name directly; copy what you need from it, delete it, and ingest again."
        )
    if len(found) > 1:
        raise StoreProblem(
            f"The alias {alias!r} points at {len(found)} indices ({', '.join(sorted(found))}); "
            "it must point at one. Remove it from the others."
        )
    ((index, body),) = found.items()
    stored = _schema_version(body["mappings"])
    expected = _schema_version(mappings.tables()["mappings"])
    if stored is None:
        raise StoreProblem(
            f"The alias {alias!r} points at {index}, which is not an index of this product. "
            "Remove the alias from it (POST /_aliases), and ingest again."
        )
    if stored != expected:
        raise StoreProblem(
            f"The index {index} has schema version {stored}, and this program needs {expected}. "
            "Use the version that made it, or delete the index and ingest again."
        )
    return Generation(index)


def _schema_version(mapping: Mapping[str, Any]) -> int | None:
    version: int | None = mapping.get("_meta", {}).get("schema_version")
    return version
