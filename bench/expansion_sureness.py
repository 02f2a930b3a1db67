"""Fit how sure the lexical expander may be: a logistic regression on what its readings rest on.

Weights and gold sets come in, weights with the numbers of the confidence go out.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from expansion_gold import GoldSet

from ingest.expand.confidence import evidence, plain_share
from ingest.expand.lexical import LexicalExpander
from ingest.expand.name_reading import words_of
from ingest.expand.weights import Weights

SURE = (
    "sure_base",
    "sure_chance",
    "sure_letter",
    "sure_guess",
    "sure_listed",
    "sure_left",
    "sure_plain",
    "sure_plain_left",
)
"""The weights of the confidence, in the order of `evidence`."""
NAMES_OF_A_SET = 900
"""A set with more names counts as much as one with so many."""
PULL = 0.5
STEPS = 30

Numbers = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def with_sureness(weights: Weights, sets: Sequence[GoldSet]) -> Weights:
    """Return the weights with those of the confidence fitted to how often names are right."""
    expander = LexicalExpander(weights=weights)
    rows: list[tuple[float, ...]] = []
    right: list[bool] = []
    counts: list[float] = []
    for gold in sets:
        found = gold.in_order(_evidence(expander, gold))
        rows += [values for values, _ in found]
        right += [gold.is_right(place, text) for place, (_, text) in enumerate(found)]
        counts += [min(1.0, NAMES_OF_A_SET / len(found))] * len(found)
    numbers = _logistic(np.array(rows), np.array(right, float), np.array(counts))
    fitted = dict(zip(SURE, (round(float(number), 3) for number in numbers), strict=True))
    return replace(weights, **fitted)


def _evidence(
    expander: LexicalExpander, gold: GoldSet
) -> list[list[tuple[tuple[float, ...], str]]]:
    """Return for each table what each column's reading rests on, and its words."""
    found = []
    for table in gold.tables:
        read = expander.whole_readings(table)
        plain = plain_share(read)
        found.append([(evidence(paths, plain), " ".join(words_of(paths[0]))) for paths in read[1:]])
    return found


def _logistic(rows: Numbers, right: Numbers, counts: Numbers) -> Numbers:
    """Return the numbers of a logistic regression by Newton's method, pulled towards 0."""
    numbers = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-rows @ numbers))
        slope = rows.T @ (counts * (right - chances)) - PULL * numbers
        bend = rows.T @ (rows * (counts * chances * (1 - chances))[:, None])
        numbers = numbers + np.linalg.solve(bend + PULL * np.eye(len(numbers)), slope)
    return numbers
