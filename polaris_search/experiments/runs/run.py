"""Runs an experiment over data sets, and writes its tables and what is needed to run it again."""

import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import polaris_search
from polaris_search.errors import UsageError
from polaris_search.evaluate.written import write_lines
from polaris_search.experiments.given_descriptions import GivenDescriptions
from polaris_search.experiments.runs.catalogue import Experiment, rows_for
from polaris_search.experiments.runs.cells import DATA_FILES, Bench, Cell, cell
from polaris_search.experiments.runs.tables import csv_lines, markdown
from trainer.text_shape import TextShape, text_shape


def run_experiment(
    experiment: Experiment,
    datasets: Sequence[Path],
    descriptions: Mapping[str, GivenDescriptions],
    bench: Bench,
    out: Path,
) -> tuple[Cell, ...]:
    """Return the cells, data set by data set, and write table.md, table.csv and run.json.

    Can be stopped at any time: cells that are measured are kept in the bench's folder.

    Args:
        experiment: its rows.
        datasets: folders in the paper's layout.
        descriptions: by the name that they have in the tables.
        bench: what to measure with.
        out: the run's folder.

    Raises:
        UsageError: two folders of one name, or a folder without one of its three files.
        PolarisError: as evaluate_folder.
    """
    _check(datasets)
    rows = rows_for(experiment, list(descriptions))
    cells = tuple(
        cell(bench, dataset, row, name, descriptions[name] if name else None)
        for dataset in datasets
        for row, name in rows
    )
    shapes = {name: _shape(given) for name, given in descriptions.items()}
    write_lines(out / "table.md", [*markdown(experiment, cells), *_described(shapes)])
    write_lines(out / "table.csv", csv_lines(cells))
    record = {
        "experiment": experiment.name,
        "polaris_search": polaris_search.__version__,
        "python": platform.python_version(),
        "expander": f"{bench.expander.name}:{bench.expander.version}",
        "datasets": [dataset.resolve().name for dataset in datasets],
        "descriptions": {
            name: {"version": given.version, "tables": len(given), **asdict(shapes[name])}
            for name, given in descriptions.items()
        },
        "rows": [row.name for row in experiment.rows],
    }
    write_lines(out / "run.json", [json.dumps(record, ensure_ascii=False, indent=1)])
    return cells


def _shape(given: GivenDescriptions) -> TextShape:
    return text_shape([" ".join(one.values()) for one in given.descriptions.values()])


def _described(shapes: Mapping[str, TextShape]) -> Iterator[str]:
    """Yield how long the descriptions are: short ones are cheaper to write and to read."""
    if shapes:
        yield ""
        yield "## Descriptions"
        yield "| descriptions | mean length in stems | share of distinct stems |"
        yield "| --- | --- | --- |"
    for name, shape in shapes.items():
        yield f"| {name} | {shape.stems:.1f} | {shape.distinct_share:.2f} |"


def _check(datasets: Sequence[Path]) -> None:
    names = [dataset.resolve().name for dataset in datasets]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"Two data sets are called {', '.join(twice)}. Rename one folder.")
    missing = [
        str(dataset / name)
        for dataset in datasets
        for name in DATA_FILES
        if not (dataset / name).is_file()
    ]
    if missing:
        raise UsageError(f"There is no {', '.join(missing)}. Name folders in the paper's layout.")
