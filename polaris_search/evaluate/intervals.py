"""How sure a difference of two rows is: a paired bootstrap over what was measured. Pure."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polaris_search.errors import PolarisError

DRAWS = 4_000
SEED = 20261130
CONFIDENCE = 0.95
MAX_DRAWN = 200_000
"""Values drawn at a time: a few megabytes."""

Floats = NDArray[np.float64]


class NothingToCompare(PolarisError):
    """Two rows that cannot be compared, value by value."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean difference of two rows, and the interval that holds it with some confidence."""

    mean: float
    low: float
    high: float

    @property
    def is_sure(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0


def paired_difference(
    row: Sequence[float],
    baseline: Sequence[float],
    groups: Sequence[Hashable] | None = None,
    *,
    confidence: float = CONFIDENCE,
    seed: int = SEED,
    draws: int = DRAWS,
) -> Difference:
    """Return row minus baseline, each given as the values of the same things in the same order.

    Without `groups`, single values are drawn with replacement: queries of one table are not
    independent then, so that the true interval is wider where many ask for the same table. With
    them, whole groups are drawn, and the interval is that of values which depend on each other
    within a group as they may.

    Args:
        row: the values in question.
        baseline: what they are compared with.
        groups: what each value belongs to; None: each to itself.
        confidence: of the interval, between its two ends.
        seed: of the draws.
        draws: how many.

    Raises:
        NothingToCompare: no values, or rows of different lengths.

    Source: Efron and Tibshirani 1993, "An Introduction to the Bootstrap", the percentile interval;
    Davison and Hinkley 1997, "Bootstrap Methods", section 3.8, for groups.
    """
    sums, counts = _grouped(row, baseline, groups)
    means = _drawn_means(sums, counts, np.random.default_rng(seed), draws)
    outside = 100 * (1 - confidence) / 2
    low, high = np.percentile(means, (outside, 100 - outside))
    return Difference(float(sums.sum() / counts.sum()), float(low), float(high))


def _drawn_means(sums: Floats, counts: Floats, chance: np.random.Generator, draws: int) -> Floats:
    n = len(sums)
    means = np.empty(draws)
    at_a_time = max(1, MAX_DRAWN // n)
    for first in range(0, draws, at_a_time):
        drawn = chance.integers(0, n, (min(at_a_time, draws - first), n))
        means[first : first + at_a_time] = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    return means


def _grouped(
    row: Sequence[float], baseline: Sequence[float], groups: Sequence[Hashable] | None
) -> tuple[Floats, Floats]:
    """Return each group's sum of differences, and how many values it has."""
    if not len(row) or len(row) != len(baseline) or (groups and len(groups) != len(row)):
        raise NothingToCompare(
            f"Rows of {len(row)} and {len(baseline)} values cannot be compared. "
            "Measure the same queries for both."
        )
    differences = np.asarray(row, dtype=np.float64) - np.asarray(baseline, dtype=np.float64)
    if groups is None:
        return differences, np.ones(len(differences))
    numbers: dict[Hashable, int] = {}
    places = [numbers.setdefault(group, len(numbers)) for group in groups]
    counts = np.bincount(places).astype(np.float64)
    return np.bincount(places, weights=differences).astype(np.float64), counts
