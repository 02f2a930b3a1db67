"""`polaris-admin experiment train`: rows that need trained adapters, up to their table."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polaris_search.cli.output import JsonOption, print_json, print_text, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polaris_search.experiments.runs.training.steps import Plan, Step
    from polaris_search.experiments.runs.training.variations import Variation

COMMAND = (sys.executable, "-m", "polaris_search.cli.main")


def train_rows(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Such as ablations, sensitivity.")],
    datasets: Annotated[list[Path], typer.Argument(metavar="DATASET_DIR...", help="Two or more.")],
    base: Annotated[str, typer.Option(metavar="MODEL", help="What adapters are trained on.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The run's folder.")],
    row: Annotated[
        list[str] | None, typer.Option(metavar="SYSTEM", help="This row, not all; repeatable.")
    ] = None,
    other_base: Annotated[
        str | None, typer.Option(metavar="MODEL", help="The other model, of the row `model`.")
    ] = None,
    other_config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The settings (TOML) by which that one is served."),
    ] = None,
    train: Annotated[
        str, typer.Option(metavar="ARGUMENTS", help='More for every training: "--rank 8".')
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the commands, run nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Run every command from data sets to the table of an experiment, one data set left out a time.

    Candidates, pairs, training, descriptions, table: each step is a command of its own, and a
    stopped run goes on behind the last one that ended.

    Example: polaris-admin experiment train sensitivity A B --base MODEL --out runs/s --dry-run
    """
    from polaris_search.experiments.runs.training.execute import as_process, is_done, run_steps
    from polaris_search.experiments.runs.training.steps import Plan, steps_of

    plan = Plan(
        experiment=name,
        datasets=_named(datasets),
        variations=_variations(name, row or [], other_base),
        bases={"base": base, **({"other": other_base} if other_base else {})},
        settings={"base": {}, "other": _config(other_config)},
        out=out,
        train=tuple(shlex.split(train)),
    )
    steps, notes = list(steps_of(plan)), out / "steps"
    if dry_run:
        _print([(step, is_done(step, notes)) for step in steps], as_json=as_json)
        return
    ran, before = run_steps(steps, notes, as_process(COMMAND), tell)
    if as_json:
        print_json({"steps": len(steps), "ran": ran, "done_before": before, "out": str(out)})
    else:
        print_text(f"{ran} steps ran, {before} were done before. The table: {_table(plan)}.")


def _variations(
    name: str, rows: "Sequence[str]", other_base: str | None
) -> "tuple[Variation, ...]":
    from polaris_search.errors import UsageError
    from polaris_search.experiments.runs.catalogue import experiment_named
    from polaris_search.experiments.runs.training.variations import variation_of

    wanted = dict.fromkeys(one.system for one in experiment_named(name).rows if one.system)
    found = {system: made for system in wanted if (made := variation_of(system))}
    if not found:
        raise UsageError(
            f"The experiment {name!r} has no rows to train for. Choose ablations or sensitivity."
        )
    unknown = [one for one in rows if one not in found]
    if unknown:
        raise UsageError(f"No row {unknown[0]!r}. Choose among: {', '.join(found)}.")
    chosen = [made for system, made in found.items() if system in (rows or found)]
    if not other_base:
        if "model" in rows:
            raise UsageError("The row `model` compares two models. Name the other: --other-base.")
        chosen = [one for one in chosen if one.system != "model"]
    return tuple(chosen)


def _named(datasets: "Sequence[Path]") -> dict[str, Path]:
    from polaris_search.errors import UsageError
    from polaris_search.experiments.runs.folders import check_folders

    check_folders(datasets)
    if len(datasets) < 2:
        raise UsageError("One data set leaves none to learn from. Name at least two.")
    return {dataset.resolve().name: dataset for dataset in datasets}


def _config(path: Path | None) -> dict[str, str]:
    return {"POLARIS_CONFIG": str(path)} if path else {}


def _print(steps: "Sequence[tuple[Step, bool]]", *, as_json: bool) -> None:
    if as_json:
        print_json({"steps": [{"command": step.shell, "done": done} for step, done in steps]})
        return
    for step, done in steps:
        print_text(f"{step.shell}{'  # done' if done else ''}")


def _table(plan: "Plan") -> Path:
    return plan.out / "table" / "table.md"
