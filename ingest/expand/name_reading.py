"""What an expander says of one name: its words, how sure that is, what else it may mean.

Ranked whole readings with their costs come in, a NameReading goes out.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ingest.expand.reading import Reading

MAX_CHOICES = 8

Words = tuple[str, ...]
Path = tuple[float, tuple[Reading, ...]]
"""A reading of a whole name: its cost, and the reading of each of its tokens."""


@dataclass(frozen=True, slots=True)
class NameReading:
    """The words of a name. `confidence`: of names read with it, this share is right, 0 to 1.

    `choices`: readings of the whole name, likeliest first, at most 8, `words` the first of them.
    """

    words: Words
    confidence: float
    choices: tuple[Words, ...]


def name_reading(paths: Sequence[Path], confidence: float) -> NameReading:
    """Return the reading of a name from its whole readings, likeliest first, at least one."""
    choices = tuple(dict.fromkeys(words_of(path) for path in paths))[:MAX_CHOICES]
    return NameReading(choices[0], confidence, choices)


def chances(paths: Sequence[Path]) -> list[float]:
    """Return the chance of each of several whole readings by their costs; they sum up to 1."""
    best = paths[0][0]
    weights = [math.exp(best - cost) for cost, _ in paths]
    total = sum(weights)
    return [weight / total for weight in weights]


def words_of(path: Path) -> Words:
    """Return the words of a whole reading."""
    return tuple(word for reading in path[1] for word in reading.words)
