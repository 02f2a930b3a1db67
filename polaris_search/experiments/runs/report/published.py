"""What the paper published of an experiment, beside what was measured. Pure but for its data file.

A figure stands beside ours only where the data set is the paper's: one of its names, as many tables
and as many queries. Where the paper gives no figure in a sentence, the page says so.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from polaris_search.experiments.runs.catalogue import Experiment
from polaris_search.experiments.runs.cells import Cell

SINGLE_FIELD = "description alone"
"""The row of `overall` that the paper's figures are of; other experiments have a row a system."""


@dataclass(frozen=True, slots=True)
class PaperDataset:
    """One of the paper's data sets: its sizes, and what folders of it may be called."""

    name: str
    folders: tuple[str, ...]
    tables: int
    queries: int
    where: str


@dataclass(frozen=True, slots=True)
class Figure:
    """One published figure: a value, or how a system differs from another, absolute or relative.

    Attributes:
        dataset: the paper's name of it.
        experiment: ours.
        measure: as ours; "@5" where the sentence does not say which of the two it is.
        system: whose.
        table: the paper's table that it should stand in.
        where: the sentence that it stands in.
        value: the measure itself.
        against: the system that it is compared with.
        difference: minus that one's.
        relative: over that one's, minus 1.
    """

    dataset: str
    experiment: str
    measure: str
    system: str
    table: str
    where: str
    value: float | None = None
    against: str | None = None
    difference: float | None = None
    relative: float | None = None

    @property
    def published(self) -> str:
        """The figure as a person reads it."""
        if self.value is not None:
            return f"{self.value:.3f}"
        if self.difference is not None:
            return f"{self.difference:+.2f} to {self.against}"
        return f"{self.relative or 0:+.1%} to {self.against}"


@dataclass(frozen=True, slots=True)
class Publication:
    """The paper's data sets and figures, and its title."""

    paper: str
    datasets: tuple[PaperDataset, ...]
    figures: tuple[Figure, ...]
    length: str


@cache
def publication() -> Publication:
    """Return what published.json holds."""
    document = json.loads((Path(__file__).parent / "published.json").read_text(encoding="utf-8"))
    datasets = (
        PaperDataset(**{**one, "folders": tuple(one["folders"])}) for one in document["datasets"]
    )
    figures = (Figure(**one) for one in document["figures"])
    return Publication(document["paper"], tuple(datasets), tuple(figures), document["length"])


def published_lines(experiment: Experiment, cells: Sequence[Cell]) -> Iterator[str]:
    """Yield the lines of a section: each data set's figures, or why there are none."""
    yield "## Published"
    yield f"Figures of {publication().paper}, from its sentences; others are not known here."
    if experiment.name == "length":
        yield publication().length
    for dataset in dict.fromkeys(cell.dataset for cell in cells):
        rows = [cell for cell in cells if cell.dataset == dataset]
        yield ""
        yield from _of_dataset(experiment, dataset, rows)


def paper_dataset(folder: str) -> PaperDataset | None:
    """Return which of the paper's data sets a folder of this name may hold."""
    named = folder.lower()
    return next((one for one in publication().datasets if named in one.folders), None)


def _of_dataset(experiment: Experiment, dataset: str, rows: Sequence[Cell]) -> Iterator[str]:
    paper = paper_dataset(dataset)
    if paper is None:
        yield f"{dataset}: not a data set of the paper."
        return
    tables, queries = rows[0].tables, len(rows[0].per_query)
    if (tables, queries) != (paper.tables, paper.queries):
        yield (
            f"{dataset}: not the paper's {paper.name}, which has {paper.tables:,} tables and "
            f"{paper.queries} queries ({paper.where}); this one has {tables:,} and {queries}."
        )
        return
    figures = [
        one
        for one in publication().figures
        if (one.dataset, one.experiment) == (paper.name, experiment.name)
    ]
    if not figures:
        yield f"{dataset}: the paper's {paper.name}; no sentence gives a figure of this experiment."
        return
    yield "| data set | measure | system | published | here | where |"
    yield "| --- | --- | --- | --- | --- | --- |"
    ours = {one.system: one for one in rows if one.system and _is_single_field(experiment, one)}
    for figure in figures:
        here = ", ".join(_here(figure, ours)) or "not measured"
        where = f"table {figure.table}; {figure.where}"
        yield (
            f"| {dataset} | {figure.measure} | {figure.system} | {figure.published} | {here} | "
            f"{where} |"
        )


def _is_single_field(experiment: Experiment, cell: Cell) -> bool:
    return experiment.name != "overall" or cell.row.startswith(SINGLE_FIELD)


def _here(figure: Figure, ours: Mapping[str, Cell]) -> Iterator[str]:
    """Yield our figure in the same form; of both measures where the paper does not say which."""
    measures = ("nDCG@5", "R@5") if figure.measure == "@5" else (figure.measure,)
    row, base = ours.get(figure.system), ours.get(figure.against or figure.system)
    if row is None or base is None:
        return
    for measure in measures:
        value, other = row.means[measure], base.means[measure]
        name = f" ({measure})" if len(measures) > 1 else ""
        if figure.value is not None:
            yield f"{value:.3f}{name}"
        elif figure.difference is not None:
            yield f"{value - other:+.2f}{name}"
        elif other:
            yield f"{value / other - 1:+.1%}{name}"
