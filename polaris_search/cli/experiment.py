"""`polaris-admin experiment`: named experiments over data sets, resumable."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polaris_search.cli.output import JsonOption, print_columns, print_json, print_text, tell

if TYPE_CHECKING:
    from polaris_search.experiments.given_descriptions import GivenDescriptions

app = typer.Typer(
    help="Named experiments over data sets: tables with intervals.\n\n"
    "Example: polaris-admin experiment list",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


@app.command("list")
def list_experiments(as_json: JsonOption = False) -> None:
    """List the experiments and what they show.

    Example: polaris-admin experiment list
    """
    from polaris_search.experiments.runs.catalogue import experiments

    found = experiments()
    if as_json:
        print_json(
            {one.name: {"help": one.help, "rows": [row.name for row in one.rows]} for one in found}
        )
    else:
        print_columns([[one.name, one.help] for one in found], ["experiment", "shows"])


@app.command()
def run(
    name: Annotated[str, typer.Argument(metavar="NAME", help="As `experiment list` names it.")],
    datasets: Annotated[
        list[Path], typer.Argument(metavar="DATASET_DIR...", help="In the paper's layout.")
    ],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The run's folder; POLARIS_HOME/runs/NAME.")
    ] = None,
    descriptions: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FILE", help="JSONL {table_id, description} of some system."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure each row of an experiment on each data set; a stopped run goes on.

    Writes table.md, table.csv and run.json into DIR. The live tables are not touched.

    Example: polaris-admin experiment run expansion examples/tables --out runs/expansion
    """
    from polaris_search.cli.choices import chosen_expander
    from polaris_search.experiments.runs.catalogue import experiment_named
    from polaris_search.experiments.runs.cells import Bench
    from polaris_search.experiments.runs.run import run_experiment
    from polaris_search.settings import read_settings
    from polaris_search.store.opening import open_store

    settings = read_settings()
    experiment = experiment_named(name)
    given = _given(descriptions or [])
    folder = out or settings.home / "runs" / name
    store = open_store(settings)
    try:
        bench = Bench(store, chosen_expander("lexical", settings), folder / "cells", tell)
        cells = run_experiment(experiment, datasets, given, bench, folder)
    finally:
        store.close()
    if as_json:
        print_json(
            {
                "experiment": name,
                "out": str(folder),
                "cells": [
                    {"dataset": one.dataset, "row": one.row, "measures": dict(one.means)}
                    for one in cells
                ],
            }
        )
    else:
        rows = [[one.dataset, one.row, f"{one.means['nDCG@10']:.4f}"] for one in cells]
        print_columns(rows, ["data set", "row", "nDCG@10"], name)
        print_text(f"All measures with their intervals: {folder / 'table.md'}.")


def _given(options: list[str]) -> "dict[str, GivenDescriptions]":
    from polaris_search.errors import UsageError
    from polaris_search.experiments.given_descriptions import read_descriptions

    found = {}
    for option in options:
        name, equals, path = option.partition("=")
        if not equals or not name or not path or name in found:
            raise UsageError(f"--descriptions is {option!r}; NAME=FILE with a new NAME is wanted.")
        found[name] = read_descriptions(Path(path))
    return found
