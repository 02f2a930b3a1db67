"""What a stored table was made from, in one short text that a resumed run compares.

Two halves, "names-description". The first identifies the raw table and the expander whose expansion
is stored, a model or not. The second identifies the describer whose description fits the names as
they are stored, and is "none" where there is no such description: none was asked for, it failed, or
the expansion has changed since.
"""

from dataclasses import dataclass, replace

from ingest.steps import Describer, Expander, ModelExpander
from polaris_search.records import RawTable, content_hash, raw_hash

NO_DESCRIPTION = "none"

_HALF_DIGITS = 32


@dataclass(frozen=True, slots=True)
class InputHash:
    """The two halves. Equal names: nothing to store; equal description too: nothing to ask."""

    names: str
    description: str = NO_DESCRIPTION

    @property
    def text(self) -> str:
        """The form that is stored as Provenance.input_hash."""
        return f"{self.names}-{self.description}"

    def described_by(self, describer: Describer) -> "InputHash":
        """Return the hash of the same table with a description by `describer`."""
        return replace(self, description=describer_half(describer))

    def outdated(self) -> "InputHash":
        """Return the hash of the same table with no description that fits it."""
        return replace(self, description=NO_DESCRIPTION)


def input_hash_of(text: str) -> InputHash:
    """Return the halves of a stored hash; of a text of another kind, ones that equal no other."""
    names, _, description = text.partition("-")
    return InputHash(names, description or NO_DESCRIPTION)


def names_half(table: RawTable, expander: Expander | ModelExpander) -> str:
    """Return the half that identifies a table's names and their expansion."""
    return names_half_by(table, label_of(expander))


def names_half_by(table: RawTable, label: str) -> str:
    """Return the same half for the expander that has this label."""
    name, _, version = label.partition(":")
    return content_hash(raw_hash(table), name, version)[:_HALF_DIGITS]


def label_of(expander: Expander | ModelExpander) -> str:
    """Return what Provenance.expander says of an expansion: its maker's name and version."""
    return f"{expander.name}:{expander.version}"


def describer_half(describer: Describer) -> str:
    """Return the half that identifies a describer."""
    return content_hash(describer.version)[:_HALF_DIGITS]
