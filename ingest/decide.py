"""What is to be done with a table that was read, given what the store holds of it. Pure.

The rules: names are expanded and stored again only if the table or the expander changed. A
description outlives a change of the expander, of access rights and of where the table was read; it
does not outlive a change of the table itself, for it would speak of what is no longer there. It is
asked for where a describer is given and the description that is there is not by this describer or
does not fit the expansion; what failed is asked for again.
"""

from dataclasses import replace

from ingest.input_hash import InputHash, describer_half, input_hash_of, names_half
from ingest.steps import DescribeOutcome, Describer, Expander
from polaris_search.records import EnrichedTable, Provenance, RawTable, TableState, raw_hash

NO_REASON = "The describer gave no reason."


def names_are_stored(table: RawTable, state: TableState | None, expander: Expander) -> bool:
    """Return whether the store holds this very table, expanded by this very expander."""
    return state is not None and input_hash_of(state.input_hash).names == names_half(
        table, expander
    )


def with_names(
    table: RawTable, stored: EnrichedTable | None, expander: Expander, at: str
) -> EnrichedTable:
    """Return the table to store for its names, with the description that it may keep.

    Args:
        table: as its source gives it now.
        stored: what the store holds under its id.
        expander: expands the names.
        at: the time, ISO 8601 in UTC.
    """
    expansion = expander.expand(table)
    input_hash = InputHash(names_half(table, expander))
    label = None if expansion is None else f"{expander.name}:{expander.version}"
    if stored is None or not reads_the_same(table, stored.raw):
        return EnrichedTable(table, Provenance(input_hash.text, label, enriched_at=at), expansion)
    if expansion == stored.expansion:
        kept = input_hash_of(stored.provenance.input_hash).description
        input_hash = replace(input_hash, description=kept)
    provenance = replace(stored.provenance, input_hash=input_hash.text, expander=label)
    return EnrichedTable(table, provenance, expansion, stored.description)


def state_of(table: EnrichedTable) -> TableState:
    """Return what `TableStore.states` would say of the table once it is stored."""
    return TableState(table.provenance.input_hash, table.provenance.status)


def is_described_by(state: TableState, describer: Describer) -> bool:
    """Return whether the table has a description that fits it and is by this describer."""
    half = input_hash_of(state.input_hash).description
    return state.status == "described" and half == describer_half(describer)


def with_answer(
    table: EnrichedTable, outcome: DescribeOutcome, describer: Describer, at: str
) -> EnrichedTable | None:
    """Return the table to store, None where an older description is to stay as it is."""
    if outcome.description is None and table.description is not None:
        return None
    input_hash = input_hash_of(table.provenance.input_hash)
    made = outcome.description is not None
    provenance = Provenance(
        input_hash=(input_hash.described_by(describer) if made else input_hash.outdated()).text,
        expander=table.provenance.expander,
        model=describer.model,
        adapter=describer.adapter,
        prompt_version=describer.prompt_version,
        enriched_at=at,
        status="described" if made else "failed",
        reason=None if made else outcome.reason or NO_REASON,
    )
    return replace(table, description=outcome.description, provenance=provenance)


def reads_the_same(table: RawTable, stored: RawTable) -> bool:
    """Return whether a describer would read the same: it sees neither access rights nor source."""
    return raw_hash(_as_described(table)) == raw_hash(_as_described(stored))


def _as_described(table: RawTable) -> RawTable:
    return replace(table, access=(), source=None)
