"""How sure a difference of two rows is: a paired bootstrap over queries. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

DRAWS = 4_000
SEED = 20261130
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Difference:
    """The mean difference of two rows, and the interval that holds it with CONFIDENCE."""

    mean: float
    low: float
    high: float

    @property
    def is_sure(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0


def paired_difference(row: Sequence[float], baseline: Sequence[float]) -> Difference:
    """Return row minus baseline, each given as the values of the same queries in the same order.

    Source: Efron and Tibshirani 1993, "An Introduction to the Bootstrap", the percentile interval.
    Queries are drawn with replacement; those of one table are not independent, so that the true
    interval is wider where many queries ask for the same table.
    """
    differences = np.asarray(row) - np.asarray(baseline)
    chance = np.random.default_rng(SEED)
    n = len(differences)
    means = [differences[chance.integers(0, n, n)].mean() for _ in range(DRAWS)]
    outside = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(means, (outside, 100 - outside))
    return Difference(float(differences.mean()), float(low), float(high))
