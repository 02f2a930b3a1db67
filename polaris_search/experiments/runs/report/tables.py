"""An experiment as tables: Markdown like the paper's for people, CSV for programs. Pure.

One table of nDCG and one of recall, data sets below each other, the best of a column in bold; then
how rows differ, with an interval, marked where it leaves out 0.
"""

from collections.abc import Iterator, Sequence

from polaris_search.evaluate.csv_line import csv_line
from polaris_search.evaluate.intervals import CONFIDENCE, DRAWS, SEED, Difference
from polaris_search.experiments.runs.catalogue import CUTOFFS, MEASURES, Experiment
from polaris_search.experiments.runs.cells import Cell
from polaris_search.experiments.runs.report.compared import Compared

TITLES = {"nDCG": "nDCG@K", "R": "Recall@K"}


def markdown(experiment: Experiment, found: Sequence[Compared]) -> Iterator[str]:
    """Yield the lines of a page with the tables of all data sets."""
    yield f"# {experiment.name}"
    yield ""
    yield experiment.help
    for measure in TITLES:
        yield ""
        yield from _values(measure, [one.cell for one in found])
    yield ""
    yield from _differences(found)
    notices = dict.fromkeys(
        f"{one.cell.dataset}, {one.cell.row}: {notice}"
        for one in found
        for notice in one.cell.notices
    )
    if notices:
        yield ""
        yield "## Set aside"
        yield from (f"- {notice}" for notice in notices)


def csv_lines(found: Sequence[Compared]) -> Iterator[str]:
    """Yield a header and a line for each data set, row and measure.

    A row that is a baseline has no difference: the last three cells of its lines are empty.
    """
    yield "dataset,row,system,queries,tables,described,measure,mean,against,difference,low,high"
    for one in found:
        cell = one.cell
        names = [cell.dataset, cell.row, cell.system or ""]
        counts = [str(len(cell.per_query)), str(cell.tables), str(cell.described)]
        for measure in MEASURES:
            difference = one.differences.get(measure)
            ends = (difference.mean, difference.low, difference.high) if difference else ()
            numbers = [repr(end) for end in ends] or ["", "", ""]
            mean = repr(cell.means[measure])
            yield csv_line([*names, *counts, measure, mean, one.against, *numbers])


def _values(measure: str, cells: Sequence[Cell]) -> Iterator[str]:
    yield f"## {TITLES[measure]}"
    yield "| data set | row | " + " | ".join(f"@{k}" for k in CUTOFFS) + " | described |"
    yield "| --- | --- |" + " --- |" * (len(CUTOFFS) + 1)
    names = [f"{measure}@{k}" for k in CUTOFFS]
    for dataset in dict.fromkeys(cell.dataset for cell in cells):
        rows = [cell for cell in cells if cell.dataset == dataset]
        best = {name: max(_rounded(row, name) for row in rows) for name in names}
        for row in rows:
            values = (
                _bold(_rounded(row, name), _rounded(row, name) == best[name]) for name in names
            )
            described = f"{row.described:,} of {row.tables:,}"
            yield f"| {dataset} | {row.row} | " + " | ".join(values) + f" | {described} |"


def _differences(found: Sequence[Compared]) -> Iterator[str]:
    yield "## Differences"
    yield (
        f"Of a row to the row named behind it, with the {CONFIDENCE:.0%} interval of a paired "
        f"bootstrap over queries ({DRAWS:,} draws, seed {SEED}); * where that leaves out 0."
    )
    yield ""
    yield "| data set | queries | row | against | " + " | ".join(MEASURES) + " |"
    yield "| --- | --- | --- | --- |" + " --- |" * len(MEASURES)
    for one in found:
        if one.differences:
            cell = one.cell
            shown = " | ".join(_shown(one.differences[measure]) for measure in MEASURES)
            queries = f"{len(cell.per_query):,}"
            yield f"| {cell.dataset} | {queries} | {cell.row} | {one.against} | {shown} |"


def _shown(difference: Difference) -> str:
    star = "*" if difference.is_sure else ""
    return f"{difference.mean:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]{star}"


def _rounded(cell: Cell, measure: str) -> str:
    return f"{cell.means[measure]:.3f}"


def _bold(text: str, is_best: bool) -> str:
    return f"**{text}**" if is_best else text
