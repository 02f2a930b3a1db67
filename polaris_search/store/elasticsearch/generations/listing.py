"""Which generations an alias has on the server, and what state each is in.

An index is staged while it has an alias of its own to be written through, which it loses in the
same request that makes it live. Scratch indices are no generations.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from polaris_search.store.elasticsearch.generations.live import generation_name, staging_prefix
from polaris_search.store.elasticsearch.generations.meta import IndexMeta, meta_of
from polaris_search.store.elasticsearch.reading import refresh_if_allowed
from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.generations import GenerationInfo, GenerationState

_ORDER = {"live": 0, "staged": 1, "kept": 1}


@dataclass(frozen=True, slots=True)
class FoundGeneration:
    """A generation as it is on the server.

    Attributes:
        name: its index.
        uuid: tells it from another index of the same name.
        state: live, kept or staged.
        staging_alias: the alias it is written through while it is not live; a kept one has one
            where a run that reopened it was interrupted.
        meta: what it says of itself.
        created_ms: when the server made it, in ms since 1970.
        shards: how many it has.
        body: settings and mapping, as the server gives them.
    """

    name: str
    uuid: str
    state: GenerationState
    staging_alias: str | None
    meta: IndexMeta
    created_ms: int
    shards: int
    body: Mapping[str, Any]

    @property
    def made_at(self) -> datetime | None:
        """When it was begun, in UTC; None where the server does not tell."""
        return datetime.fromtimestamp(self.created_ms / 1000, UTC) if self.created_ms else None

    @property
    def settled(self) -> bool:
        """Whether no writes to its base are left to be brought over to it."""
        reindex = self.meta.reindex
        return self.state != "live" or reindex is None or reindex.state == "settled"

    @property
    def live_at(self) -> datetime | None:
        """When it last became live, in UTC; None if it never did."""
        reindex = self.meta.reindex
        if reindex is None:  # made by the first write, and live from the start
            return self.made_at
        stamp = reindex.live_at if self.staging_alias else reindex.swap_at or reindex.live_at
        return datetime.fromisoformat(stamp) if stamp else None


def found_generations(connection: Connection, alias: str) -> list[FoundGeneration]:
    """Return the generations of an alias, the live one first, then the newest first."""
    with connection.answering():
        found = connection.client.indices.get(
            index=[alias, f"{alias}-v*"],
            ignore_unavailable=True,
            expand_wildcards="all",
            features=["aliases", "mappings", "settings"],
        ).body
    own = [
        _generation(alias, index, body)
        for index, body in found.items()
        if alias in body["aliases"] or generation_name(alias).fullmatch(index)
    ]
    return sorted(own, key=lambda one: (_ORDER[one.state], -one.created_ms, one.name))


def infos(connection: Connection, found: Sequence[FoundGeneration]) -> list[GenerationInfo]:
    """Return what `index list` shows of generations, in the same order."""
    counts = _counts(connection, [one.name for one in found])
    return [
        GenerationInfo(
            name=one.name,
            state=one.state,
            tables=counts.get(one.name, 0),
            made_at=one.made_at,
            live_at=one.live_at,
            current=one.meta.current,
            from_sources=one.meta.reindex is not None and one.meta.reindex.from_sources,
            settled=one.settled,
        )
        for one in found
    ]


def prompt_versions(connection: Connection, index: str) -> list[str]:
    """Return the versions of the prompts that an index's descriptions come from, most used first.

    At most 20, of what searches see.
    """
    with connection.answering():
        answer = connection.client.search(
            index=index,
            size=0,
            aggs={"prompts": {"terms": {"field": "prompt_version", "size": 20}}},
            allow_partial_search_results=False,
        )
    return [bucket["key"] for bucket in answer["aggregations"]["prompts"]["buckets"]]


def _counts(connection: Connection, names: Sequence[str]) -> dict[str, int]:
    """Return how many documents each index holds, also what no search shows yet."""
    if not names:
        return {}
    # What is being built is not refreshed by itself, and would count as empty.
    refresh_if_allowed(connection, ",".join(names))
    with connection.answering():
        answer = connection.client.search(
            index=list(names),
            ignore_unavailable=True,
            size=0,
            aggs={"indices": {"terms": {"field": "_index", "size": len(names)}}},
            allow_partial_search_results=False,
        )
    buckets = answer["aggregations"]["indices"]["buckets"]
    return {bucket["key"]: bucket["doc_count"] for bucket in buckets}


def _generation(alias: str, index: str, body: Mapping[str, Any]) -> FoundGeneration:
    settings = body["settings"]["index"]
    meta = meta_of(body["mappings"])
    aliases = [one for one in body["aliases"] if one.startswith(staging_prefix(alias))]
    staging_alias = min(aliases, default=None)
    return FoundGeneration(
        name=index,
        uuid=settings["uuid"],
        state=_state(alias in body["aliases"], staging_alias, meta),
        staging_alias=staging_alias,
        meta=meta,
        created_ms=int(settings.get("creation_date", 0)),
        shards=int(settings["number_of_shards"]),
        body=body,
    )


def _state(live: bool, staging_alias: str | None, meta: IndexMeta) -> GenerationState:
    if live:
        return "live"
    was_live = meta.reindex is not None and meta.reindex.live_at is not None
    return "staged" if staging_alias and not was_live else "kept"
