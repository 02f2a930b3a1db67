"""What both sides wrote of the same tables, in numbers: is it JSON, whole, sane, and not the same.

Each number is a value a table, so that the sides are compared table by table. How long, repetitive
and far from the table texts are is compared on the tables that both sides describe.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from polaris_search.evaluate.gate.compared import Compared, compared
from polaris_search.evaluate.gate.texts import (
    distinct_share,
    longest_repeat,
    n_words,
    unknown_share,
)


@dataclass(frozen=True, slots=True)
class Written:
    """What one side wrote of one table.

    Attributes:
        prompt: what the model was shown of the table.
        valid: whether its first reply is JSON of the six texts.
        cut: whether its first reply was cut at the token limit.
        replies: how often it was asked until there was a description, or none to be had.
        texts: the six of the description that is indexed; none where there is no description.
    """

    prompt: str
    valid: bool
    cut: bool
    replies: int
    texts: tuple[str, ...] = ()


Side = Mapping[str, Written]
"""Table to what was written of it."""


@dataclass(frozen=True, slots=True)
class TextNumbers:
    """The texts of the tables that both sides describe; `same` is the share of equal ones."""

    words: Compared
    distinct: Compared
    repeat: Compared
    unknown: Compared
    same: float


@dataclass(frozen=True, slots=True)
class DescriptionNumbers:
    """The replies of both sides; `texts` is None where no table is described by both."""

    valid: Compared
    cut: Compared
    replies: Compared
    described: Compared
    alone: Compared
    texts: TextNumbers | None

    @property
    def rows(self) -> tuple[Compared, ...]:
        """All numbers, in the order of a report."""
        replies = (self.valid, self.cut, self.replies, self.described, self.alone)
        if self.texts is None:
            return replies
        return (
            *replies,
            self.texts.words,
            self.texts.distinct,
            self.texts.repeat,
            self.texts.unknown,
        )


Pair = tuple[Written, Written]


def compare_descriptions(candidate: Side, reference: Side, confidence: float) -> DescriptionNumbers:
    """Return the numbers of both sides, which hold the same tables.

    Raises:
        NothingToCompare: there are no tables.
    """
    pairs = [(one, reference[table_id]) for table_id, one in candidate.items()]

    def of(name: str, value: Callable[[Written], float]) -> Compared:
        return _compared(name, pairs, value, confidence)

    return DescriptionNumbers(
        valid=of("first replies that are JSON of six texts", lambda one: one.valid),
        cut=of("first replies cut at the token limit", lambda one: one.cut),
        replies=of("replies a table", lambda one: one.replies),
        described=of("tables described", lambda one: bool(one.texts)),
        alone=compared(
            "texts that no other table has",
            _alone([mine for mine, _ in pairs]),
            _alone([theirs for _, theirs in pairs]),
            confidence,
        ),
        texts=_texts([pair for pair in pairs if pair[0].texts and pair[1].texts], confidence),
    )


def _texts(pairs: list[Pair], confidence: float) -> TextNumbers | None:
    if not pairs:
        return None

    def of(name: str, value: Callable[[Written], float]) -> Compared:
        return _compared(name, pairs, value, confidence)

    return TextNumbers(
        words=of("words", lambda one: n_words(one.texts)),
        distinct=of("distinct stems among all", lambda one: distinct_share(one.texts)),
        repeat=of("words of the longest repeated phrase", lambda one: longest_repeat(one.texts)),
        unknown=of(
            "content words that the prompt does not hold",
            lambda one: unknown_share(one.texts, one.prompt),
        ),
        same=sum(mine.texts == theirs.texts for mine, theirs in pairs) / len(pairs),
    )


def _compared(
    name: str, pairs: list[Pair], value: Callable[[Written], float], confidence: float
) -> Compared:
    mine, theirs = ([float(value(pair[side])) for pair in pairs] for side in (0, 1))
    return compared(name, mine, theirs, confidence)


def _alone(side: list[Written]) -> list[float]:
    """Return of each table whether it has a text that no other one has."""
    seen = Counter(one.texts for one in side)
    return [float(bool(one.texts) and seen[one.texts] == 1) for one in side]
