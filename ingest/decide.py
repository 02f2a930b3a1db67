"""What is to be done with a table that was read, given what the store holds of it. Pure.

The rules: names are expanded and stored again only if the table or the expander changed. What a
model made of the names outlives a change of that model and of its prompt until it is asked anew; it
does not outlive a change of the table, or of the word lists and the glossary it started from.

A description outlives a change of the expander, of access rights and of where the table was read;
it does not outlive a change of the table itself, for it would speak of what is no longer there. It
is asked for where a describer is given and the description that is there is not by this describer
or does not fit the expansion. What failed is asked for again, names and descriptions alike.
"""

from dataclasses import dataclass, replace

from ingest.answer import Answer, Models
from ingest.input_hash import (
    InputHash,
    describer_half,
    input_hash_of,
    label_of,
    names_half,
    names_half_by,
)
from ingest.steps import DescribeOutcome, Describer, Expander, Expanders, ModelExpander
from polaris_search.records import (
    EnrichedTable,
    Expansion,
    Provenance,
    RawTable,
    TableState,
    raw_hash,
)

NO_REASON = "The describer gave no reason."


def names_are_stored(table: RawTable, state: TableState | None, expanders: Expanders) -> bool:
    """Return whether the store holds this very table, expanded by one of these expanders."""
    if state is None:
        return False
    stored = input_hash_of(state.input_hash).names
    later = expanders.later
    by_model = later is not None and stored == names_half(table, later)
    return by_model or stored == names_half(table, expanders.at_once)


def wants_model_names(table: RawTable, state: TableState, expanders: Expanders) -> bool:
    """Return whether a model is to be asked about the names of a table that is stored."""
    later = expanders.later
    return later is not None and input_hash_of(state.input_hash).names != names_half(table, later)


def with_names(
    table: RawTable, stored: EnrichedTable | None, expanders: Expanders, at: str
) -> EnrichedTable:
    """Return the table to store for its names, with the description that it may keep.

    That is `stored` itself where it is to stay as it is.

    Args:
        table: as its source gives it now.
        stored: what the store holds under its id.
        expanders: who expands the names; the one at once does so here.
        at: the time, ISO 8601 in UTC.
    """
    if stored is not None and not reads_the_same(table, stored.raw):
        stored = None
    if stored is not None and _keeps_its_names(stored, expanders):
        label = stored.provenance.expander
        named = _Named(stored.expansion, label, names_half_by(table, label or ""))
    else:
        named = _named_at_once(table, expanders.at_once)
    if stored is None:
        provenance = Provenance(InputHash(named.half).text, named.label, enriched_at=at)
        return EnrichedTable(table, provenance, named.expansion)
    renewed = _renamed(replace(stored, raw=table), named)
    return stored if renewed == stored else renewed


def with_answer(answer: Answer, models: Models, at: str) -> EnrichedTable | None:
    """Return the table to store, None where everything is to stay as it is."""
    table = answer.table
    if answer.names and answer.names.expansion and models.expander:
        table = with_model_names(table, answer.names.expansion, models.expander)
    if answer.description and models.describer:
        table = _with_description(table, answer.description, models.describer, at)
    return None if table is answer.table else table


def with_model_names(
    table: EnrichedTable, expansion: Expansion, expander: ModelExpander
) -> EnrichedTable:
    """Return the table with the names that a model made of it."""
    named = _Named(expansion, label_of(expander), names_half(table.raw, expander))
    return _renamed(table, named)


def state_of(table: EnrichedTable) -> TableState:
    """Return what `TableStore.states` would say of the table once it is stored."""
    return TableState(table.provenance.input_hash, table.provenance.status)


def is_described_by(state: TableState, describer: Describer) -> bool:
    """Return whether the table has a description that fits it and is by this describer."""
    half = input_hash_of(state.input_hash).description
    return state.status == "described" and half == describer_half(describer)


def reads_the_same(table: RawTable, stored: RawTable) -> bool:
    """Return whether a model would read the same: it sees neither access rights nor source."""
    return raw_hash(_as_read(table)) == raw_hash(_as_read(stored))


@dataclass(frozen=True, slots=True)
class _Named:
    """An expansion, the label of who made it, and the half of the hash that says so."""

    expansion: Expansion | None
    label: str | None
    half: str


def _named_at_once(table: RawTable, expander: Expander) -> _Named:
    expansion = expander.expand(table)
    label = None if expansion is None else label_of(expander)
    return _Named(expansion, label, names_half(table, expander))


def _keeps_its_names(stored: EnrichedTable, expanders: Expanders) -> bool:
    """Return whether a model made the stored expansion, from what the expander at once says now."""
    _, _, version = (stored.provenance.expander or "").partition(":")
    from_the_same = version.startswith(f"{expanders.at_once.version}-")
    return from_the_same and (expanders.keeps_models or expanders.later is not None)


def _renamed(table: EnrichedTable, named: _Named) -> EnrichedTable:
    """Return the table with these names; its description fits only those that it was made for."""
    input_hash = InputHash(named.half)
    if named.expansion == table.expansion:
        kept = input_hash_of(table.provenance.input_hash).description
        input_hash = replace(input_hash, description=kept)
    provenance = replace(table.provenance, input_hash=input_hash.text, expander=named.label)
    return replace(table, expansion=named.expansion, provenance=provenance)


def _with_description(
    table: EnrichedTable, outcome: DescribeOutcome, describer: Describer, at: str
) -> EnrichedTable:
    """Return the table with what was answered; an older description outlives a failure."""
    if outcome.description is None and table.description is not None:
        return table
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


def _as_read(table: RawTable) -> RawTable:
    return replace(table, access=(), source=None)
