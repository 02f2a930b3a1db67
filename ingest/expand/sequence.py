"""Choose one reading for each token of a name, so that the whole name is likeliest.

Readings of tokens come in, whole readings go out, the likeliest first (a beam search). What a word
costs depends on the word before it and on what its table says.
"""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from ingest.expand.name_model import END, START, NameModel
from ingest.expand.name_reading import Path
from ingest.expand.reading import Reading, Words
from ingest.expand.weights import Weights

BEAM = 8
"""Whole readings kept from token to token."""
HOPELESS = 9.0
"""What a whole reading may cost more than the best so far and still be kept."""
HEADS = frozenset({"id", "name", "code", "type", "number", "date", "description", "key"})
"""What follows the words of a table's name in the names of its columns."""

_State = tuple[float, Words, int, str, tuple[Reading, ...]]
"""A whole reading so far: cost, words, a number that no other has, last word, readings."""


@dataclass(frozen=True)
class Places:
    """What words cost where they stand: by the names of tables in general and by one table.

    `own`: words of the table with their costs. `nouns`: those of its name. `pairs`: neighbours in
    its other names. `topic_pairs`: neighbours in names of tables of its kind.
    """

    names: NameModel
    own: Mapping[str, float]
    nouns: Words
    pairs: AbstractSet[tuple[str, str]]
    topic_pairs: AbstractSet[tuple[str, str]]
    weights: Weights
    _kept: dict[tuple[str, str], float] = field(default_factory=dict)

    def cost(self, before: str, word: str) -> float:
        """Return the cost of a word after another."""
        key = before, word
        cost = self._kept.get(key)
        if cost is None:
            cost = self._kept[key] = self._cost(before, word)
        return cost

    def _cost(self, before: str, word: str) -> float:
        pair = before, word
        cost = self.names.cost(before, word)
        if word in self.own:
            cost = min(cost, self.own[word])
        if pair in self.pairs:
            cost = min(cost, self.weights.pair)
        if pair in self.topic_pairs:
            cost = min(cost, self.weights.topic_pair)
        if before in self.nouns and word in HEADS:
            cost = min(cost, self.weights.noun_head)
        return cost


def whole_readings(choices: Sequence[Sequence[Reading]], places: Places) -> list[Path]:
    """Return the cheapest whole readings of a name, cheapest first, at least one.

    A number between two words does not part them.
    """
    states: list[_State] = [(0.0, (), 0, START, ())]
    for readings in choices:
        states = _next(states, readings, places.cost)
        if len(states) > 1:
            states.sort()
            del states[BEAM:]
            worst = states[0][0] + HOPELESS
            while states[-1][0] > worst:
                states.pop()
    ended = [
        (cost + places.names.cost(last, END), words, number, taken)
        for cost, words, number, last, taken in states
    ]
    return [(cost, taken) for cost, _, _, taken in sorted(ended)]


def _next(
    states: list[_State], readings: Sequence[Reading], cost_of: Callable[[str, str], float]
) -> list[_State]:
    found: list[_State] = []
    number = 0
    for reading in readings:
        meaning, own_cost, free = reading.words, reading.cost, reading.free
        first, ending = meaning[0], meaning[-1]
        counts = not ending.isdecimal()
        for cost, words, _, last, taken in states:
            total = cost + own_cost if free else cost + own_cost + cost_of(last, first)
            after = ending if counts else last
            found.append((total, words + meaning, number, after, (*taken, reading)))
            number += 1
    return found
