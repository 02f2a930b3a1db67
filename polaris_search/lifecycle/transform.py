"""What becomes of a stored table on its way into a new generation. Pure.

Kept as it is, or expanded anew, or described anew. A description is dropped only where the table
itself changed; the rules are those of `ingest.decide`.
"""

import json
from dataclasses import dataclass, replace
from typing import Literal

import mappings
from ingest.answer import Models, Wanted
from ingest.decide import (
    is_described_by,
    names_are_stored,
    reads_the_same,
    state_of,
    wants_model_names,
    with_model_names,
    with_names,
)
from ingest.input_hash import input_hash_of, label_of
from ingest.steps import Describer, Expander, Expanders, ModelExpander
from polaris_search.errors import UsageError
from polaris_search.records import EnrichedTable, RawTable, content_hash

Redescribe = Literal["stale", "all", "none"]
"""stale: what has no description that fits and is this describer's; none: keep what is there."""


@dataclass(frozen=True, slots=True)
class Renewal:
    """What a reindex makes anew.

    Attributes:
        expander: expands the names at once; None keeps the expansions that are there.
        later: a model that then reads the names anew; needs an expander.
        keeps_models: leaves the names that a model has read as they are where `later` is None.
        describer: writes the descriptions that `redescribe` names.
        redescribe: which tables are described anew; any but none needs a describer.
        concurrency: tables that models are asked about at a time, >= 1.
    """

    expander: Expander | None = None
    describer: Describer | None = None
    redescribe: Redescribe = "none"
    concurrency: int = 4
    later: ModelExpander | None = None
    keeps_models: bool = False

    def __post_init__(self) -> None:
        if self.redescribe != "none" and self.describer is None:
            raise UsageError(
                f"--describe {self.redescribe} needs a model. Set POLARIS_LLM_URL to a chat "
                "server, or POLARIS_LLM_KIND=local for the small one."
            )

    @property
    def expanders(self) -> Expanders | None:
        """Who expands names; None where they are kept."""
        if self.expander is None:
            return None
        return Expanders(self.expander, self.later, self.keeps_models)

    @property
    def models(self) -> Models:
        """Who is asked."""
        return Models(self.later, None if self.redescribe == "none" else self.describer)

    def recipe(self, *sources: str) -> str:
        """Return a text that is equal for two runs only if they make the same of a table.

        Args:
            sources: where the tables come from; none: the live generation.
        """
        expander, describer = self.later or self.expander, self.describer
        names = label_of(expander) if expander else "keep"
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
    expanders = renewal.expanders
    same = stored if stored is not None and raw == stored.raw else None
    if same and (expanders is None or names_are_stored(raw, state_of(same), expanders)):
        return same
    if expanders is None:
        raise UsageError("New tables need an expander. Name one by --expand.")
    return with_names(raw, stored, expanders, at)


def wants_description(table: EnrichedTable, renewal: Renewal) -> bool:
    """Return whether the describer is to be asked about the table."""
    if renewal.describer is None or renewal.redescribe == "none":
        return False
    return renewal.redescribe == "all" or not _is_by(renewal.describer, table)


def wants_model(table: EnrichedTable, staged: EnrichedTable | None, renewal: Renewal) -> bool:
    """Return whether a model is to be asked about the table.

    Args:
        table: as the live generation has it now, its names renewed.
        staged: what the new generation holds under its id: this run asked about its names already.
        renewal: the run's.
    """
    was_asked = staged is not None and reads_the_same(table.raw, staged.raw)
    return wants_description(table, renewal) or (not was_asked and _wants_names(table, renewal))


def wanted(table: EnrichedTable, renewal: Renewal) -> Wanted:
    """Return what of the table a model is to be asked for."""
    return Wanted(table, _wants_names(table, renewal), wants_description(table, renewal))


def with_names_of(
    table: EnrichedTable, staged: EnrichedTable | None, renewal: Renewal
) -> EnrichedTable:
    """Return the table with the names that this run's model made of it, itself if it made none.

    Args:
        table: as the live generation has it now, its names renewed.
        staged: what the new generation holds under its id.
        renewal: the run's.
    """
    later = renewal.later
    if staged is None or later is None or not reads_the_same(table.raw, staged.raw):
        return table
    if staged.provenance.expander != label_of(later) or staged.expansion is None:
        return table
    return with_model_names(table, staged.expansion, later)


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


def _wants_names(table: EnrichedTable, renewal: Renewal) -> bool:
    expanders = renewal.expanders
    return expanders is not None and wants_model_names(table.raw, state_of(table), expanders)


def _is_by(describer: Describer, table: EnrichedTable) -> bool:
    return is_described_by(state_of(table), describer)
