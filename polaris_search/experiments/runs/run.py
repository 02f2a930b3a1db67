"""Runs an experiment over data sets, and writes its tables, plots and what is needed to redo it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polaris_search.evaluate.written import write_lines
from polaris_search.experiments.runs.catalogue import Experiment
from polaris_search.experiments.runs.cells import Bench, Cell, cell
from polaris_search.experiments.runs.folders import check_folders, table_ids
from polaris_search.experiments.runs.given import System
from polaris_search.experiments.runs.record import Invocation, run_record
from polaris_search.experiments.runs.report.compared import Compared, compared
from polaris_search.experiments.runs.report.plots import write_plots
from polaris_search.experiments.runs.report.published import published_lines
from polaris_search.experiments.runs.report.shapes import (
    SystemShape,
    shape_csv,
    shape_lines,
    shape_of,
)
from polaris_search.experiments.runs.report.tables import csv_lines, markdown
from polaris_search.experiments.runs.rows import ChosenRows, chosen_rows


@dataclass(frozen=True, slots=True)
class Found:
    """What a run found.

    Attributes:
        rows: the cells, data set by data set, with their differences.
        notices: sentences on rows left out and on plots that could not be drawn.
    """

    rows: tuple[Compared, ...]
    notices: tuple[str, ...]


def run_experiment(
    experiment: Experiment,
    datasets: Sequence[Path],
    systems: Mapping[str, System],
    bench: Bench,
    out: Path,
    invocation: Invocation,
) -> Found:
    """Return what the rows give, and write the run's folder.

    It holds table.md, table.csv, run.json, plots, and length.csv where descriptions are compared.
    Can be stopped at any time: cells that are measured are kept in the bench's folder.

    Args:
        experiment: its rows.
        datasets: folders in the paper's layout.
        systems: whose descriptions, by the name that they have in the tables.
        bench: what to measure with.
        out: the run's folder.
        invocation: how the run was started.

    Raises:
        UsageError: two folders of one name, a folder without one of its three files, or an
            experiment of descriptions without any.
        PolarisError: as evaluate_folder.
    """
    check_folders(datasets)
    chosen = chosen_rows(experiment, systems)
    record = run_record(experiment.name, invocation, bench, datasets, systems, chosen)
    write_lines(out / "run.json", [json.dumps(record, ensure_ascii=False, indent=1)])
    cells = tuple(_cells(datasets, chosen, systems, bench))
    found = compared(cells)
    shapes = [shape for dataset in datasets for shape in _shapes(dataset, systems)]
    page = [*markdown(experiment, found), *_described(shapes)]
    write_lines(out / "table.md", [*page, "", *published_lines(experiment, cells)])
    write_lines(out / "table.csv", csv_lines(found))
    if shapes:
        write_lines(out / "length.csv", shape_csv(shapes))
    return Found(found, (*_left_out(chosen), *write_plots(out, cells, shapes)))


def _cells(
    datasets: Sequence[Path], chosen: ChosenRows, systems: Mapping[str, System], bench: Bench
) -> Iterator[Cell]:
    for dataset in datasets:
        name = dataset.resolve().name
        for row in chosen.rows:
            given = systems[row.system].descriptions[name] if row.system else None
            yield cell(bench, dataset, row, given)


def _shapes(dataset: Path, systems: Mapping[str, System]) -> Iterator[SystemShape]:
    if systems:
        ids = table_ids(dataset)
        for system in systems.values():
            yield shape_of(system, dataset.resolve().name, ids)


def _described(shapes: Sequence[SystemShape]) -> Iterator[str]:
    if shapes:
        yield ""
        yield from shape_lines(shapes)


def _left_out(chosen: ChosenRows) -> Iterator[str]:
    if chosen.left_out:
        names = ", ".join(chosen.left_out)
        yield (
            f"No rows of {names}: their descriptions are not given. "
            "Name them with --descriptions NAME=FILE."
        )
