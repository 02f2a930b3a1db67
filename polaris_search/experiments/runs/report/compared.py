"""Cells beside the rows that they are compared with: every difference and interval, once. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polaris_search.evaluate.intervals import Difference, paired_difference
from polaris_search.experiments.runs.catalogue import MEASURES
from polaris_search.experiments.runs.cells import Cell


@dataclass(frozen=True, slots=True)
class Compared:
    """A cell and how it differs from its baseline.

    Attributes:
        cell: what was measured.
        against: the baseline's title; its own, where it is the baseline.
        differences: measure to the difference over the same queries; empty for the baseline.
    """

    cell: Cell
    against: str
    differences: Mapping[str, Difference]


def compared(cells: Sequence[Cell]) -> tuple[Compared, ...]:
    """Return each cell beside its baseline among those of its data set, in the same order."""
    return tuple(
        _beside(cell, baseline_of(cell, [one for one in cells if one.dataset == cell.dataset]))
        for cell in cells
    )


def baseline_of(cell: Cell, rows: Sequence[Cell]) -> Cell:
    """Return which of a data set's cells this one is compared with: the one named, or the first."""
    return next((one for one in rows if one.row == cell.against), rows[0])


def _beside(cell: Cell, baseline: Cell) -> Compared:
    if cell is baseline:
        return Compared(cell, baseline.row, {})
    queries = list(baseline.per_query)
    differences = {
        measure: paired_difference(
            [cell.per_query[query][measure] for query in queries],
            [baseline.per_query[query][measure] for query in queries],
        )
        for measure in MEASURES
    }
    return Compared(cell, baseline.row, differences)
