"""Counts what became of tables on their way into a new generation, also of those that failed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ingest.answer import Answer
from ingest.decide import NO_REASON
from ingest.model_names import counts_of_names, notices_of_names
from ingest.report import ModelNames, counted

Kind = Literal["kept", "expanded", "new", "changed"]
"""What became of one table's names; each has its count."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of tables, each counted whenever it came by: again if it changed meanwhile.

    Attributes:
        kept: written as the live generation had them.
        expanded: the same table, its names expanded anew.
        new: not in the live generation; with a source only.
        changed: in the live generation, but not as their source has them now; with a source only.
        described: tables that got a new description, counted above too.
        failed: tables whose description was asked for in vain; an older one stayed.
        reasons: the first MAX_SHOWN different reasons, and how many failed of each.
        notices: the first MAX_SHOWN different things to know of those described, counted alike.
        prompt_tokens: tokens sent, as the server counts.
        completion_tokens: tokens received, as the server counts.
        model_names: what became of names that a model was to read.
    """

    kept: int = 0
    expanded: int = 0
    new: int = 0
    changed: int = 0
    described: int = 0
    failed: int = 0
    reasons: tuple[tuple[str, int], ...] = ()
    notices: tuple[tuple[str, int], ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model_names: ModelNames = ModelNames()

    @property
    def tables(self) -> int:
        """How many tables came by."""
        return self.kept + self.expanded + self.new + self.changed


def sum_of(one: Counts, other: Counts) -> Counts:
    """Return the counts of both."""
    return Counts(
        kept=one.kept + other.kept,
        expanded=one.expanded + other.expanded,
        new=one.new + other.new,
        changed=one.changed + other.changed,
        described=one.described + other.described,
        failed=one.failed + other.failed,
        reasons=counted(dict(one.reasons), other.reasons),
        notices=counted(dict(one.notices), other.notices),
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
        model_names=one.model_names.plus(other.model_names),
    )


def counts_of_kinds(kinds: Sequence[Kind]) -> Counts:
    """Return the counts of tables whose names are renewed."""
    return Counts(
        kept=kinds.count("kept"),
        expanded=kinds.count("expanded"),
        new=kinds.count("new"),
        changed=kinds.count("changed"),
    )


def counts_of_answers(group: Sequence[Answer]) -> Counts:
    """Return the counts of what models answered."""
    outcomes = [answer.description for answer in group if answer.description]
    names = [answer.names for answer in group if answer.names]
    described = [outcome for outcome in outcomes if outcome.description is not None]
    failed = [outcome for outcome in outcomes if outcome.description is None]
    return Counts(
        described=len(described),
        failed=len(failed),
        reasons=_each_once(outcome.reason or NO_REASON for outcome in failed),
        notices=_each_once(
            [notice for outcome in described for notice in outcome.notices]
            + list(notices_of_names(names))
        ),
        prompt_tokens=sum(outcome.prompt_tokens for outcome in outcomes),
        completion_tokens=sum(outcome.completion_tokens for outcome in outcomes),
        model_names=counts_of_names(names),
    )


def _each_once(texts: Iterable[str]) -> tuple[tuple[str, int], ...]:
    nothing: Mapping[str, int] = {}
    return counted(nothing, ((text, 1) for text in texts))
