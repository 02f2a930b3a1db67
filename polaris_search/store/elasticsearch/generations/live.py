"""The index behind an alias: found, checked, and created once where there is none yet.

Says whether it can be read, and whether it can be searched and written: that needs the mapping and
the analyzers of this program, while a table's record reads the same whatever the mapping.
"""

import json
import re
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from elasticsearch import AuthorizationException, NotFoundError

from polaris_search.errors import PolarisError, StoreProblem
from polaris_search.store.elasticsearch.generations.creation import (
    create_index,
    forbid_auto_creation,
    generation_settings,
    new_index_name,
)
from polaris_search.store.elasticsearch.generations.definition import (
    breaking_differences,
    schema_version,
)
from polaris_search.store.elasticsearch.generations.meta import IndexMeta, meta_of, new_meta
from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.elasticsearch.server.failures import is_missing_index

MAX_CHANGES = 3
"""As many of an index's changes a sentence names."""


@dataclass(frozen=True, slots=True)
class Generation:
    """The index behind an alias; None where the credentials may search it but not look at it.

    Attributes:
        index: its name.
        problem: why it can be read only, as a sentence with a next step; None: it is current.
    """

    index: str | None
    problem: str | None = None

    def check_current(self) -> None:
        """Raise StoreProblem unless it can be searched and written by this program."""
        if self.problem is not None:
            raise StoreProblem(self.problem)


class AliasGone(StoreProblem):
    """The alias leads nowhere, though there are generations that were live."""

    def __init__(self, alias: str, kept: Collection[str]) -> None:
        super().__init__(
            f"The alias {alias!r} is gone, and its generations are still there: "
            f"{', '.join(sorted(kept))}. "
            f"Run `polaris-admin index rollback {max(kept)}` to make the newest live again."
        )


def live_generation(connection: Connection, alias: str) -> Generation | None:
    """Return the generation that the alias points at, None if there is none yet.

    Raises:
        StoreProblem: the name is an index's, the alias points at several or at another product's,
            or a newer version made the index.
        AliasGone: it was taken by hand from a generation that is still there.
    """
    with connection.answering():
        try:
            found: dict[str, Any] = connection.client.indices.get(
                index=alias, features=["aliases", "mappings", "settings"]
            ).body
        except NotFoundError as error:
            if not is_missing_index(error):
                raise
            found = {}
        except (
            AuthorizationException
        ):  # a key that may only read; the search itself says if it may not even that
            return Generation(index=None)
    if found:
        return _checked(alias, found)
    return _meanwhile_or_never(connection, alias)


def ensure_generation(connection: Connection, alias: str, shards: int) -> None:
    """Create the alias's first generation unless it has one; several processes may at once.

    Args:
        connection: the server.
        alias: the name to read and write through.
        shards: of a new index.

    Raises:
        StoreProblem: see `live_generation`; also where this program cannot write to it.
    """
    live = live_generation(connection, alias)
    if live is None:
        forbid_auto_creation(connection, alias)
        live = _created(connection, alias, shards)
    live.check_current()


def staging_prefix(alias: str) -> str:
    """Return how the aliases begin through which generations that are not live are written."""
    return f"{alias}-next-"


def generation_name(alias: str) -> re.Pattern[str]:
    """Return what the names of an alias's own generations match; group 1 is when each was made."""
    return re.compile(rf"{re.escape(alias)}-v\d+-(\d{{8}}t\d{{6}}z)-\w{{4,}}")


def _created(connection: Connection, alias: str, shards: int) -> Generation:
    index = new_index_name(alias, datetime.now(UTC), secrets.token_hex(2))
    settings = generation_settings(connection, alias, shards)
    try:
        create_index(connection, index, alias, new_meta(), settings)
    except PolarisError:
        # A second write index under an alias is refused (status 500), the request with it.
        live = live_generation(connection, alias)
        if live is None or live.index is None:
            raise
        return live
    return Generation(index)


def _meanwhile_or_never(connection: Connection, alias: str) -> Generation | None:
    """Return the generation that the alias got meanwhile, None if there never was one.

    Raises:
        AliasGone: there are generations, so that the alias was taken from one by hand.
    """
    with connection.answering():
        try:
            found = connection.client.indices.get_alias(index=f"{alias}-v*").body
        except AuthorizationException:  # such a key finds nothing, and can create nothing either
            return None
    own = {
        index: body["aliases"]
        for index, body in found.items()
        if generation_name(alias).fullmatch(index)
    }
    if any(alias in aliases for aliases in own.values()):
        return live_generation(connection, alias)
    kept = [index for index, aliases in own.items() if not _is_staged(alias, aliases)]
    if kept:
        raise AliasGone(alias, kept)
    return None


def _is_staged(alias: str, aliases: Collection[str]) -> bool:
    return any(one.startswith(staging_prefix(alias)) for one in aliases)


def _checked(alias: str, found: Mapping[str, Any]) -> Generation:
    if alias in found:
        raise StoreProblem(_taken(alias, found[alias]["mappings"]))
    if len(found) > 1:
        raise StoreProblem(
            f"The alias {alias!r} points at {len(found)} indices ({', '.join(sorted(found))}); "
            "it must point at one. Remove it from the others."
        )
    ((index, body),) = found.items()
    meta = meta_of(body["mappings"])
    if meta.schema_version is None:
        raise StoreProblem(
            f"The alias {alias!r} points at {index}, which is not an index of this product. "
            "Remove the alias from it (POST /_aliases); `polaris-admin doctor` then says how to go "
            "on."
        )
    _check_whole(alias, index, body["aliases"][alias])
    if meta.schema_version > schema_version():
        raise StoreProblem(
            f"The index {index} has schema version {meta.schema_version}, and this program needs "
            f"{schema_version()}. Use the version that made it, or a newer one."
        )
    changed = breaking_differences(body["settings"]["index"], body["mappings"])
    return Generation(index, _problem(index, meta, changed))


def _check_whole(alias: str, index: str, found: Mapping[str, Any]) -> None:
    """Refuse an alias that leads to a part of its index only, or takes no writes."""
    hides = sorted({"filter", "index_routing", "search_routing"}.intersection(found))
    if hides:
        fault = f"hides tables ({', '.join(hides)})"
    elif found.get("is_write_index") is False:
        fault = "takes no writes (is_write_index)"
    else:
        return
    place = {"index": index, "alias": alias}
    actions = [{"remove": place}, {"add": {**place, "is_write_index": True}}]
    raise StoreProblem(
        f"The alias {alias!r} at {index} {fault}. "
        f"Set it anew: POST /_aliases with {json.dumps({'actions': actions})}."
    )


def _problem(index: str, meta: IndexMeta, changed: Sequence[str]) -> str | None:
    if meta.current and not changed:
        return None
    if meta.current:
        reason = f"was changed after it was made ({', '.join(changed[:MAX_CHANGES])})"
    elif meta.schema_version != schema_version():
        reason = f"has schema version {meta.schema_version}, and this program needs "
        reason += str(schema_version())
    else:
        reason = "was made with other fields or analyzers than this program's"
    return (
        f"The index {index} {reason}: it can be read, but neither searched nor written. "
        "Run `polaris-admin reindex`; no table is lost."
    )


def _taken(alias: str, mapping: Mapping[str, Any]) -> str:
    """Return what to do about an index that has the name of the alias."""
    if mapping.get("dynamic") == "strict" or meta_of(mapping).schema_version is not None:
        origin = "Somebody made it under that name"
    else:  # a mapping that nobody wrote is guessed from the first documents
        origin = "A program that wrote to the name before there was an alias made it, by guessing"
    return (
        f"{alias!r} is an index, and the store needs an alias of that name. {origin}. "
        f"Copy what you need from it, delete it (DELETE /{alias}), and ingest again."
    )
