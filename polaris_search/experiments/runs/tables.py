"""The cells of an experiment as tables: Markdown for people, CSV for programs. Pure.

Each row is compared with another, mostly the first, query by query; a difference whose interval
leaves out 0 is marked.
"""

from collections.abc import Iterator, Sequence

from polaris_search.evaluate.csv_line import csv_line
from polaris_search.experiments.runs.catalogue import MEASURES, Experiment
from polaris_search.experiments.runs.cells import Cell
from polaris_search.experiments.runs.intervals import CONFIDENCE, Difference, paired_difference

SHOWN = ("nDCG@10", "R@100")
"""The measures that get an interval in the Markdown table; the CSV has all."""


def markdown(experiment: Experiment, cells: Sequence[Cell]) -> Iterator[str]:
    """Yield the lines of a page with a table for each data set."""
    yield f"# {experiment.name}"
    yield ""
    yield experiment.help
    yield (
        f"Behind a measure: its difference to the first row, or to the one named, with the "
        f"{CONFIDENCE:.0%} interval of a paired bootstrap over queries; * where that leaves out 0."
    )
    for dataset in dict.fromkeys(cell.dataset for cell in cells):
        rows = [cell for cell in cells if cell.dataset == dataset]
        yield ""
        yield f"## {dataset}, {len(rows[0].per_query):,} queries"
        yield "| row | " + " | ".join(MEASURES) + " | described |"
        yield "| --- |" + " --- |" * (len(MEASURES) + 1)
        for row in rows:
            values = (_shown(row, baseline_of(row, rows), measure) for measure in MEASURES)
            title = f"{row.row} (against {row.against})" if row.against else row.row
            yield f"| {title} | " + " | ".join(values) + f" | {row.described:,} |"
    notices = dict.fromkeys(
        f"{cell.dataset}, {cell.row}: {notice}" for cell in cells for notice in cell.notices
    )
    if notices:
        yield ""
        yield "## Set aside"
        yield from (f"- {notice}" for notice in notices)


def csv_lines(cells: Sequence[Cell]) -> Iterator[str]:
    """Yield a header and a line for each data set, row and measure."""
    header = "dataset,row,measure,mean,against,difference,low,high,queries"
    yield header
    for cell in cells:
        baseline = baseline_of(cell, [one for one in cells if one.dataset == cell.dataset])
        for measure in MEASURES:
            found = difference(cell, baseline, measure)
            mean, *rest = map(repr, (cell.means[measure], found.mean, found.low, found.high))
            names = [cell.dataset, cell.row, measure, mean, baseline.row]
            yield csv_line([*names, *rest, str(len(cell.per_query))])


def baseline_of(cell: Cell, rows: Sequence[Cell]) -> Cell:
    """Return which of a data set's cells this one is compared with."""
    return next((one for one in rows if one.row == cell.against), rows[0])


def difference(cell: Cell, baseline: Cell, measure: str) -> Difference:
    """Return how a cell's measure differs from the baseline's, over the same queries."""
    queries = list(baseline.per_query)
    return paired_difference(
        [cell.per_query[query][measure] for query in queries],
        [baseline.per_query[query][measure] for query in queries],
    )


def _shown(cell: Cell, baseline: Cell, measure: str) -> str:
    value = f"{cell.means[measure]:.4f}"
    if cell is baseline or measure not in SHOWN:
        return value
    found = difference(cell, baseline, measure)
    star = "*" if found.is_sure else ""
    return f"{value} ({found.mean:+.4f} [{found.low:+.4f}, {found.high:+.4f}]{star})"
