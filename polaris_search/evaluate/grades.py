"""Judgments as whole numbers, which is all that trec_eval reads, with every measure's value kept.

A linear gain does not change when all grades are multiplied by one factor, so fractions are scaled
to whole numbers by their exact common denominator.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from polaris_search.evaluate.dataset import Qrels

MAX_WHOLE_GRADE = 1_000_000
"""trec_eval walks every level up to the highest grade: 1.3 ms a query at a million."""


@dataclass(frozen=True, slots=True)
class WholeGrades:
    """The judgments with every relevance multiplied by `factor`: whole numbers."""

    factor: Fraction
    qrels: dict[str, dict[str, int]]


def whole_grades(qrels: Qrels) -> WholeGrades:
    """Return the judgments as whole numbers, in their order.

    Exact where the scaled highest grade stays within MAX_WHOLE_GRADE. Grades finer than that are
    rounded to steps of a millionth of the highest, and what is above 0 stays above 0.
    """
    exact = {grade: Fraction(repr(grade)) for judged in qrels.values() for grade in judged.values()}
    factor = _factor(exact.values())
    whole = {grade: _whole(fraction, factor) for grade, fraction in exact.items()}
    scaled = {
        query_id: {table_id: whole[grade] for table_id, grade in judged.items()}
        for query_id, judged in qrels.items()
    }
    return WholeGrades(factor, scaled)


def _factor(grades: Iterable[Fraction]) -> Fraction:
    distinct = set(grades)
    highest = max(distinct, default=Fraction(0))
    if not highest:
        return Fraction(1)
    common = 1
    for grade in distinct:
        common = lcm(common, grade.denominator)
        if common * highest > MAX_WHOLE_GRADE:
            return MAX_WHOLE_GRADE / highest
    return Fraction(common)


def _whole(grade: Fraction, factor: Fraction) -> int:
    return max(round(grade * factor), 1) if grade else 0
