"""What an index says of itself under `_meta`: what it was made with, and how far its reindex got.

The server keeps it with the index, so that it lives and goes with what it describes. Pure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from polaris_search import __version__
from polaris_search.store.elasticsearch.generations.definition import (
    definition,
    profiles_hash,
    schema_version,
)

ReindexState = Literal["staged", "swapping", "settled"]
"""swapping: it is about to go live, or did so and the last writes to its base are not over yet."""


@dataclass(frozen=True, slots=True)
class Reindex:
    """How an index came or comes about beside another one.

    Attributes:
        recipe: hash of what becomes of the tables.
        base: the index that it replaces; None: there was none.
        base_uuid: tells the base from one of the same name restored from a snapshot.
        after: per shard of the base, the sequence number up to which its changes are over.
        deletions_from: how far the change log went as this index was begun.
        state: how far it is.
        own: per shard, the last sequence number written before it went live; a document above it
            was written through the alias since.
        deletions_after: how far the change log went as it went live.
        swap_at: when it last was about to go live, ISO 8601 in UTC.
        from_sources: whether it was built from sources, not from its base.
        live_at: when it last went live, written down once that had surely happened.
    """

    recipe: str
    base: str | None
    base_uuid: str | None
    after: Mapping[str, int]
    deletions_from: int
    state: ReindexState = "staged"
    own: Mapping[str, int] = field(default_factory=dict)
    deletions_after: int = -1
    swap_at: str | None = None
    live_at: str | None = None
    from_sources: bool = False


@dataclass(frozen=True, slots=True)
class IndexMeta:
    """The `_meta` of an index; `raw` is all of it, also what this program does not know."""

    schema_version: int | None
    definition: str | None
    reindex: Reindex | None
    raw: Mapping[str, Any]

    @property
    def current(self) -> bool:
        """Whether mapping and analyzers are this program's."""
        return self.schema_version == schema_version() and self.definition == definition()

    def with_reindex(self, reindex: Reindex) -> "IndexMeta":
        """Return the same with another account of its reindex."""
        return replace(self, reindex=reindex, raw={**self.raw, "reindex": asdict(reindex)})

    def with_prompts(self, prompts: Sequence[str]) -> "IndexMeta":
        """Return the same with the versions of the prompts that its descriptions come from."""
        return replace(self, raw={**self.raw, "prompts": [*prompts]})


def new_meta(
    reindex: Reindex | None = None, holder: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the `_meta` of an index that this program makes.

    Args:
        reindex: how it comes about beside another one.
        holder: the process that a scratch index lasts as long as.
    """
    meta: dict[str, Any] = {
        "schema_version": schema_version(),
        "definition": definition(),
        "profiles": profiles_hash(),
        "made_by": f"polaris-search {__version__}",
    }
    if reindex is not None:
        meta["reindex"] = asdict(reindex)
    if holder is not None:
        meta["holder"] = dict(holder)
    return meta


def meta_of(mapping: Mapping[str, Any]) -> IndexMeta:
    """Return what a mapping, as the server gives it, has under `_meta`."""
    raw: Mapping[str, Any] = mapping.get("_meta") or {}
    return IndexMeta(
        schema_version=raw.get("schema_version"),
        definition=raw.get("definition"),
        reindex=_reindex_of(raw.get("reindex")),
        raw=raw,
    )


def _reindex_of(stored: Any) -> Reindex | None:
    if not isinstance(stored, Mapping):
        return None
    names = Reindex.__dataclass_fields__
    try:
        return Reindex(**{name: value for name, value in stored.items() if name in names})
    except TypeError:  # written by a version that keeps other things
        return None
