"""Choose one reading for each token of a name, so that the whole name is likeliest.

Readings come in, words go out. Neighbours gain that are a listed phrase, or a word of the table's
name and what such words are followed by: `stadium id` (Viterbi over the tokens).
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from ingest.expand.candidates import Reading
from ingest.expand.vocabulary import Words

PHRASE_GAIN = 2.5
"""What two neighbouring readings gain that belong together."""
HEADS = frozenset({"id", "name", "code", "type", "number", "date", "description", "key"})


@dataclass(frozen=True, slots=True)
class Phrases:
    """Neighbours that belong together: the listed ones, and each of `nouns` with a head."""

    listed: AbstractSet[Words]
    nouns: AbstractSet[str]

    def hold(self, before: str, after: str) -> bool:
        """Whether the two words belong together in this order."""
        return (before, after) in self.listed or (before in self.nouns and after in HEADS)


def likeliest(choices: Sequence[Sequence[Reading]], phrases: Phrases) -> Words:
    """Return the words of the likeliest sequence of readings; each token's cheapest come first."""
    if all(len(readings) == 1 for readings in choices):
        return tuple(word for (reading,) in choices for word in reading.words)
    paths: list[tuple[float, Words]] = [(0.0, ())]
    for readings in choices:
        paths = [_best_path_to(reading, paths, phrases) for reading in readings]
    return min(paths)[1]


def _best_path_to(
    reading: Reading, paths: Sequence[tuple[float, Words]], phrases: Phrases
) -> tuple[float, Words]:
    return min(
        (cost + reading.cost - _phrase_gain(words, reading.words, phrases), words + reading.words)
        for cost, words in paths
    )


def _phrase_gain(before: Words, after: Words, phrases: Phrases) -> float:
    return PHRASE_GAIN if before and phrases.hold(before[-1], after[0]) else 0.0
