"""One number of both sides with its difference, and what is found by it. Values only."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from polaris_search.evaluate.intervals import Difference, paired_difference


@dataclass(frozen=True, slots=True)
class Compared:
    """A mean of both sides.

    Attributes:
        name: what is compared.
        candidate: its mean.
        reference: its mean.
        difference: candidate less reference, with its interval.
        n: values that each mean is taken over.
    """

    name: str
    candidate: float
    reference: float
    difference: Difference
    n: int


@dataclass(frozen=True, slots=True)
class Finding:
    """Whether one condition holds, and a sentence on it."""

    holds: bool
    says: str


def compared(
    name: str,
    candidate: Sequence[float],
    reference: Sequence[float],
    confidence: float,
    groups: Sequence[Hashable] | None = None,
) -> Compared:
    """Return both means of paired values, and their difference.

    Raises:
        NothingToCompare: there are none.
    """
    difference = paired_difference(candidate, reference, groups, confidence=confidence)
    n = len(candidate)
    return Compared(name, sum(candidate) / n, sum(reference) / n, difference, n)
