"""How sure a reading of a name is: a chance that holds, from its cost and what it rests on.

Whole readings of one name come in, a number from 0 to 1 goes out: of names that are read with it
about this share is right. A logistic regression whose numbers `bench/expansion_fit.py` fits.
"""

import math
from collections.abc import Sequence

from ingest.expand.name_reading import Path, chances
from ingest.expand.reading import Reading
from ingest.expand.weights import Weights

MOST_SURE = 0.999
"""Chances above are as good as this one: where nothing else was thought of, little is known."""

LEAST_LOG_ODDS = -50.0
"""Of a name of ten thousand tokens the exponential would be too large a number."""

Evidence = tuple[float, ...]


def confidence(paths: Sequence[Path], plain: float, weights: Weights) -> float:
    """Return how sure the first of a name's whole readings is, 0 to 1.

    `plain`: the share of the table's names that are words as they stand.
    """
    numbers = (
        weights.sure_base,
        weights.sure_chance,
        weights.sure_letter,
        weights.sure_guess,
        weights.sure_listed,
        weights.sure_left,
        weights.sure_plain,
        weights.sure_plain_left,
    )
    pairs = zip(numbers, evidence(paths, plain), strict=True)
    log_odds = math.fsum(number * value for number, value in pairs)
    return 1 / (1 + math.exp(-max(log_odds, LEAST_LOG_ODDS)))


def evidence(paths: Sequence[Path], plain: float) -> Evidence:
    """Return what the first of a name's whole readings rests on, in the order of the weights.

    1, the log-odds of its chance by the costs, how many lone letters, other guesses and listed
    short forms it reads, how many tokens that are no words it leaves alone, how plain its table
    is, the product of these two.
    """
    chance = min(chances(paths)[0], MOST_SURE)
    readings = paths[0][1]
    letters = sum(reading.letter for reading in readings)
    guesses = sum(reading.guess for reading in readings) - letters
    listed = sum(not (reading.literal or reading.guess or reading.free) for reading in readings)
    left = sum(map(_is_left, readings))
    odds = math.log(chance / (1 - chance))
    return 1.0, odds, letters, guesses, listed, left, plain, left * plain


def plain_share(read: Sequence[Sequence[Path]]) -> float:
    """Return the share of a table's names that are words as they stand, 0 to 1."""
    plain = [
        all(reading.literal and not _is_left(reading) for reading in paths[0][1]) for paths in read
    ]
    return sum(plain) / len(plain)


def _is_left(reading: Reading) -> bool:
    return reading.literal and reading.free and reading.words[0].isalpha()
