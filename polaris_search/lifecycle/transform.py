"""What becomes of a stored table on its way into a new generation. Pure.

Kept as it is, or expanded anew, or described anew. A description is dropped only where the table
itself changed; the rules are those of `ingest.decide`.
"""

import json
from dataclasses import dataclass, replace
from typing import Literal

import mappings
from ingest.decide import (
    is_described_by,
    names_are_stored,
    reads_the_same,
    state_of,
    with_names,
)
from ingest.input_hash import input_hash_of
from ingest.steps import Describer, Expander
from polaris_search.errors import UsageError
from polaris_search.records import EnrichedTable, RawTable, content_hash

Redescribe = Literal["stale", "all", "none"]
"""stale: what has no description that fits and is this describer's; none: keep what is there."""


@dataclass(frozen=True, slots=True)
class Renewal:
    """What a reindex makes anew.

    Attributes:
        expander: expands the names; None keeps the expansions that are there.
        describer: writes the descriptions that `redescribe` names.
        redescribe: which tables are described anew; any but none needs a describer.
        concurrency: tables the describer is asked about at a time, >= 1.
    """

    expander: Expander | None = None
    describer: Describer | None = None
    redescribe: Redescribe = "none"
    concurrency: int = 4

    def __post_init__(self) -> None:
        if self.redescribe != "none" and self.describer is None:
            raise UsageError(
                f"--describe {self.redescribe} needs a model. Set POLARIS_LLM_URL to a chat "
                "server, or POLARIS_LLM_KIND=local for the small one."
            )

    def recipe(self, *sources: str) -> str:
        """Return a text that is equal for two runs only if they make the same of a table.

        Args:
            sources: where the tables come from; none: the live generation.
        """
        expander, describer = self.expander, self.describer
        names = f"{expander.name}:{expander.version}" if expander else "keep"
        version = describer.version if describer and self.redescribe != "none" else ""
        definition = content_hash(json.dumps(mappings.tables(), sort_keys=True))
        parts = (names, self.redescribe, version, definition, *sources)
        return json.dumps(parts, ensure_ascii=True)


def renewed_names(
    raw: RawTable, stored: EnrichedTable | None, renewal: Renewal, at: str
) -> EnrichedTable:
    """Return the table with its names as the renewal has them; `stored` itself if nothing changes.

    Args:
        raw: the table as it is now.
        stored: what the live generation holds under its id.
        renewal: keeps expansions only of a stored table that is the same.
        at: the time, ISO 8601 in UTC.
    """
    expander = renewal.expander
    same = stored if stored is not None and raw == stored.raw else None
    if same and (expander is None or names_are_stored(raw, state_of(same), expander)):
        return same
    if expander is None:
        raise UsageError("New tables need an expander. Name one by --expand.")
    return with_names(raw, stored, expander, at)


def wants_description(table: EnrichedTable, renewal: Renewal) -> bool:
    """Return whether the describer is to be asked about the table."""
    if renewal.describer is None or renewal.redescribe == "none":
        return False
    return renewal.redescribe == "all" or not _is_by(renewal.describer, table)


def with_description_of(
    table: EnrichedTable, staged: EnrichedTable | None, renewal: Renewal
) -> EnrichedTable | None:
    """Return the table with the description that this run made of it, None where it made none.

    Args:
        table: as the live generation has it now, its names renewed.
        staged: what the new generation holds under its id.
        renewal: the run's.
    """
    if staged is None or renewal.describer is None or not _is_by(renewal.describer, staged):
        return None
    if staged.expansion != table.expansion or not reads_the_same(table.raw, staged.raw):
        return None
    half = input_hash_of(staged.provenance.input_hash).description
    input_hash = replace(input_hash_of(table.provenance.input_hash), description=half)
    provenance = replace(
        staged.provenance, input_hash=input_hash.text, expander=table.provenance.expander
    )
    return replace(table, description=staged.description, provenance=provenance)


def _is_by(describer: Describer, table: EnrichedTable) -> bool:
    return is_described_by(state_of(table), describer)
