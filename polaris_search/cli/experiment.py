"""`polaris-admin experiment`: named experiments over data sets, resumable."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from polaris_search.cli.experiment_data import downsample, leave_one_out
from polaris_search.cli.experiment_train import train_rows
from polaris_search.cli.output import JsonOption, print_columns, print_json, print_text, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polaris_search.experiments.runs.catalogue import Experiment
    from polaris_search.experiments.runs.given import System
    from polaris_search.experiments.runs.record import Invocation
    from polaris_search.experiments.runs.run import Found
    from polaris_search.experiments.runs.written import Writer
    from polaris_search.settings import Settings

app = typer.Typer(
    help="Named experiments over data sets: tables with intervals.\n\n"
    "Example: polaris-admin experiment list",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
app.command("downsample")(downsample)
app.command("leave-one-out")(leave_one_out)
app.command("train")(train_rows)


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
        typer.Option(
            metavar="NAME=FILE",
            help="JSONL of some system's descriptions, or of candidates; or a folder that holds "
            "DATASET.jsonl for each.",
        ),
    ] = None,
    describe: Annotated[
        Literal["llm", "none"],
        typer.Option(help="llm: descriptions that rows want and nobody gives are written now."),
    ] = "none",
    adapter: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[DATASET=]NAME",
            help="Adapter that writes those of rows that are trained; implies --describe llm.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure each row of an experiment on each data set; a stopped run goes on.

    Writes table.md, table.csv, run.json and plots into DIR. The live tables are not touched.

    Example: polaris-admin experiment run expansion examples/tables --out runs/expansion
    """
    from polaris_search.cli.choices import chosen_expander
    from polaris_search.experiments.runs.catalogue import experiment_named
    from polaris_search.experiments.runs.cells import Bench
    from polaris_search.experiments.runs.folders import check_folders
    from polaris_search.experiments.runs.run import run_experiment
    from polaris_search.settings import read_settings
    from polaris_search.store.opening import open_store

    settings = read_settings()
    experiment = experiment_named(name)
    check_folders(datasets)
    folder = out or settings.home / "runs" / name
    systems = _given(descriptions or [], datasets)
    if describe == "llm" or adapter:
        systems |= _written(experiment, systems, datasets, adapter or [], _writer(settings, folder))
    store = open_store(settings)
    try:
        bench = Bench(store, chosen_expander("lexical", settings), folder / "cells", tell)
        found = run_experiment(experiment, datasets, systems, bench, folder, _invocation())
    finally:
        store.close()
    for notice in found.notices:
        tell(notice)
    _show(found, name, folder, as_json=as_json)


def _given(options: "Sequence[str]", datasets: "Sequence[Path]") -> "dict[str, System]":
    from polaris_search.experiments.runs.given import named_paths, read_system

    names = [dataset.resolve().name for dataset in datasets]
    return {name: read_system(name, path, names) for name, path in named_paths(options).items()}


def _written(
    experiment: "Experiment",
    given: "dict[str, System]",
    datasets: "Sequence[Path]",
    options: "Sequence[str]",
    writer: "Writer",
) -> "dict[str, System]":
    from polaris_search.experiments.runs.written import (
        named_adapters,
        recipes_for,
        written_system,
    )

    adapters = named_adapters(options)
    names = [dataset.resolve().name for dataset in datasets]
    recipes = recipes_for(experiment, given, adapters, names)
    return {one.system: written_system(writer, one, datasets, adapters) for one in recipes}


def _writer(settings: "Settings", folder: Path) -> "Writer":
    from dataclasses import replace

    from ingest.describe.opening import describe_settings, slot_tokens
    from polaris_search.cli.choices import SET_A_MODEL, chosen_expander
    from polaris_search.errors import UsageError
    from polaris_search.experiments.runs.written import Writer
    from polaris_search.llm.model import ChatModel
    from polaris_search.llm.opening import open_chat_model

    lengths = describe_settings(settings)

    def opened(adapter: str | None) -> ChatModel:
        chosen = replace(settings, adapter=adapter or "none")
        model = open_chat_model(chosen, slot_tokens=slot_tokens(lengths))
        if model is None:
            raise UsageError(f"Descriptions are written by a model. {SET_A_MODEL}")
        return model

    return Writer(
        open_model=opened,
        lengths=lengths,
        expander=chosen_expander("lexical", settings),
        folder=folder / "descriptions",
        concurrency=settings.tables_at_a_time,
        notify=tell,
    )


def _invocation() -> "Invocation":
    from polaris_search.experiments.runs.record import Invocation
    from polaris_search.settings import setting_origins

    shown = {one.setting.name: one.shown for one in setting_origins()}
    return Invocation(("polaris-admin", *sys.argv[1:]), shown)


def _show(found: "Found", name: str, folder: Path, *, as_json: bool) -> None:
    cells = [one.cell for one in found.rows]
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
        return
    rows = [[one.dataset, one.row, f"{one.means['nDCG@10']:.4f}"] for one in cells]
    print_columns(rows, ["data set", "row", "nDCG@10"], name)
    print_text(f"All measures with their intervals: {folder / 'table.md'}.")
