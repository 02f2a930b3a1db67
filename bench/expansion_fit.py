"""Fit the weights of the lexical expander to gold files; print or write them.

    python bench/expansion_fit.py GOLD_FOLDER --out FILE [--leave SET ...] [--sweeps 3] [--seed 1]

Coordinate search: each weight in turn is moved one step up and down, and kept where the objective
grows; a step that helps grows, one that does not is halved. The objective is the mean over sets of
the share of abbreviated names that are read right, less PLAIN_PENALTY times the share of plain
names that are broken (those that splitting alone gets right), less far more where a set has more of
them than MOST_BROKEN. A share counts a name that is read
right 0.6 and its chance by the costs 0.4, so that it is not all steps. To the gold sets comes one
made of readable names of the set `spider` by rules. `--leave` fits without sets, to measure on
them: `spider` and `spider20_least` share databases and are left out together. What gold files
cannot tell, because they hold no comments and no texts, keeps the value it starts from. The numbers
of the confidence are fitted last, to the same sets.

Two processes; some minutes a sweep. Equal seed, files and start give equal weights.
"""

import argparse
import math
import multiprocessing
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from pathlib import Path

from expansion_gold import GoldSet, read_sets, shortened
from expansion_sureness import SURE, with_sureness

from ingest.expand.lexical import LexicalExpander
from ingest.expand.name_reading import Path as Reading
from ingest.expand.name_reading import chances, words_of
from ingest.expand.tokens import split_name
from ingest.expand.weights import HEADER, Weights, as_text, weights_of

PLAIN_PENALTY = 2.0
MOST_BROKEN = 0.009
BROKEN_PENALTY = 40.0
"""What plain names cost that are broken, and what a set's share of them above the limit costs."""
READ_RIGHT = 0.6
MIN_ABBREVIATED = 20
"""Sets with fewer abbreviated names count for their plain names only."""
MIN_PLAIN = 1_000
MIN_GAIN = 1e-5
KEPT = frozenset({"own_word", "text_word", "defined", *SURE})
"""Weights of evidence that gold files lack; those of the confidence are fitted last."""
SHARES = frozenset({"neighbour_share", "names_share", "plain_from"})
SMALL_STEPS = SHARES | {"word_scale", "shortening", "literal_letter", "spoken_letter"}
BOUNDS = {
    **dict.fromkeys(SHARES, (0.05, 0.95)),
    "vote": (0.0, 6.0),
    "abbreviated_table": (0.0, 6.0),
    "acronym": (-4.0, 8.0),
    "word_scale": (0.5, 1.3),
    "shortening": (0.3, 2.0),
}
OTHER_BOUNDS = (-3.0, 25.0)


@dataclass(frozen=True, slots=True)
class Share:
    """What one set says of weights: shares of its abbreviated and its plain names."""

    abbreviated: list[float]
    plain: list[float]

    @property
    def broken(self) -> float:
        """The share of plain names that are not read as they are, of sets with many."""
        if len(self.plain) < MIN_PLAIN:
            return 0.0
        return sum(share < READ_RIGHT for share in self.plain) / len(self.plain)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="GOLD_FOLDER")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--start", type=Path, help="weights to start from instead of those of weights.py"
    )
    parser.add_argument("--leave", action="append", default=[], metavar="SET")
    parser.add_argument("--sweeps", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    start = weights_of(given.start.read_text(encoding="utf-8")) if given.start else Weights()
    sets = training_sets(read_sets(given.folder), given.leave, given.seed)
    print("fitted to", ", ".join(gold.name for gold in sets), flush=True)
    for weights in fitted(start, sets, given.sweeps, given.seed):
        text = HEADER + as_text(with_sureness(weights, sets))
        given.out.write_text(text, encoding="utf-8")


def training_sets(gold: Sequence[GoldSet], left_out: Sequence[str], seed: int) -> list[GoldSet]:
    """Return the sets to fit to, with one made by rules from every fifth database of `spider`."""
    sets = [one for one in gold if one.name not in left_out]
    least = [one for one in sets if one.name == "spider20_least"]
    held = {table.table_id.partition("#")[0] for one in least for table in one.tables}
    made = [shortened(one, _a_fifth(one, held), seed) for one in sets if one.name == "spider"]
    return sets + made


def _a_fifth(gold: GoldSet, held: set[str]) -> list[str]:
    databases = {table.table_id.partition("#")[0] for table in gold.tables} - held
    return [name for name in sorted(databases) if sha256(name.encode()).digest()[0] % 5 == 0]


class Objective:
    """What weights are worth on some sets; made before the processes that ask it."""

    def __init__(self, sets: Sequence[GoldSet]) -> None:
        self._sets = sets
        self._plain = [
            [
                gold.is_right(place, " ".join(token.text for token in split_name(row.column_name)))
                for place, row in enumerate(gold.rows)
            ]
            for gold in sets
        ]

    def __call__(self, weights: Weights) -> float:
        expander = LexicalExpander(weights=weights)
        shares = [
            self._share(expander, gold, plain)
            for gold, plain in zip(self._sets, self._plain, strict=True)
        ]
        read = [_mean(one.abbreviated) for one in shares if len(one.abbreviated) > MIN_ABBREVIATED]
        plain = [share for one in shares for share in one.plain]
        return (
            _mean(read)
            - PLAIN_PENALTY * (1 - _mean(plain))
            - BROKEN_PENALTY * sum(max(0.0, one.broken - MOST_BROKEN) for one in shares)
        )

    def _share(self, expander: LexicalExpander, gold: GoldSet, plain: Sequence[bool]) -> Share:
        found = Share([], [])
        names = gold.in_order(expander.whole_readings(table)[1:] for table in gold.tables)
        for place, paths in enumerate(names):
            share = _share_right(gold, place, paths)
            (found.plain if plain[place] else found.abbreviated).append(share)
        return found


def _share_right(gold: GoldSet, place: int, paths: list[Reading]) -> float:
    right = [gold.is_right(place, " ".join(words_of(path))) for path in paths]
    chance = math.fsum(chance for chance, hit in zip(chances(paths), right, strict=True) if hit)
    return READ_RIGHT * right[0] + (1 - READ_RIGHT) * chance


def _mean(shares: Sequence[float]) -> float:
    return math.fsum(shares) / len(shares) if shares else 1.0


def fitted(start: Weights, sets: Sequence[GoldSet], sweeps: int, seed: int) -> Iterator[Weights]:
    """Yield the weights after each sweep over all of them."""
    made = random.Random(seed)
    objective = Objective(sets)
    names = [one.name for one in fields(start) if one.name not in KEPT]
    steps = {name: 0.1 if name in SMALL_STEPS else 0.8 for name in names}
    best = objective(start)
    weights = start
    _asked.append(objective)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        for sweep in range(sweeps):
            for name in made.sample(names, len(names)):
                moved = _moved(weights, name, steps[name])
                values = pool.map(_value, moved)
                value, taken = max(zip(values, moved, strict=True), key=lambda pair: pair[0])
                if value > best + MIN_GAIN:
                    best, weights = value, taken
                    steps[name] *= 1.3
                else:
                    steps[name] *= 0.5
            print(f"sweep {sweep + 1}: {best:.4f}", flush=True)
            yield weights


_asked: list[Objective] = []
"""The objective, where processes find it that are forked: its tables cannot be sent to them."""


def _value(weights: Weights) -> float:
    return _asked[-1](weights)


def _moved(weights: Weights, name: str, step: float) -> list[Weights]:
    low, high = BOUNDS.get(name, OTHER_BOUNDS)
    value: float = getattr(weights, name)
    places = (min(high, value + step), max(low, value - step))
    return [replace(weights, **{name: round(place, 3)}) for place in places]


if __name__ == "__main__":
    main()
