"""`polaris-admin evaluate`: how well a folder's queries find its tables."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polaris_search.cli.choices import DescribeOption, ExpandOption
from polaris_search.cli.output import JsonOption, print_columns, print_json, print_text, tell

if TYPE_CHECKING:
    from ingest.steps import Describer
    from polaris_search.experiments.evaluate_folder import FolderEvaluation


def evaluate(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DATASET_DIR", help="Holds metadata.csv, queries.csv, qrels.csv."),
    ],
    profile: Annotated[str | None, typer.Option(help="Query profile.")] = None,
    expand: ExpandOption = "auto",
    describe: DescribeOption = "auto",
    descriptions: Annotated[
        Path | None, typer.Option(help="JSONL {table_id, description} to take instead of a model.")
    ] = None,
    measures: Annotated[str | None, typer.Option(help='Measures, such as "nDCG@10 R@100".')] = None,
    run: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write the run as a TREC file.")
    ] = None,
    per_query: Annotated[
        Path | None, typer.Option(metavar="OUT", help="Write each query's measures as CSV.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure retrieval on a folder in the paper's layout; the live tables are not touched.

    Exits 1 if a table could not be taken or described, so that the measures are of fewer tables.

    Example: polaris-admin evaluate examples/tables --profile paper --measures "nDCG@10 R@100"
    """
    from polaris_search.cli.choices import chosen_steps
    from polaris_search.cli.progress import EvaluationBar
    from polaris_search.evaluate.asked import DEFAULT_MEASURES
    from polaris_search.experiments.evaluate_folder import evaluate_folder
    from polaris_search.profiles.model import measured_profile_named
    from polaris_search.settings import read_settings
    from polaris_search.store.opening import open_store

    settings = read_settings()
    chosen = measured_profile_named(profile or settings.profile)
    _refuse_overwriting(folder, [path for path in (run, per_query) if path])
    given = _given(descriptions)
    steps = chosen_steps(expand, "none" if descriptions else describe, settings)
    store = open_store(settings)
    try:
        with EvaluationBar() as bar:
            found = evaluate_folder(
                folder,
                store,
                chosen,
                steps.expander,
                given or steps.models.describer,
                measures.replace(",", " ").split() if measures else DEFAULT_MEASURES,
                later=steps.models.expander,
                concurrency=settings.tables_at_a_time,
                run_path=run,
                per_query_path=per_query,
                progress=bar,
            )
    finally:
        store.close()
    for notice in found.notices:
        tell(notice)
    if as_json:
        print_json(_json(found))
    else:
        _print(found)
    if not found.ingested.clean:
        raise typer.Exit(1)


def _refuse_overwriting(folder: Path, outputs: list[Path]) -> None:
    """Refuse an output that is an input or the other output: nothing would tell what was lost."""
    from polaris_search.errors import UsageError

    taken = {(folder / name).resolve() for name in ("metadata.csv", "queries.csv", "qrels.csv")}
    for path in outputs:
        if path.resolve() in taken:
            raise UsageError(f"{path} is read or written by this command already. Name another.")
        taken.add(path.resolve())


def _given(descriptions: Path | None) -> "Describer | None":
    if descriptions is None:
        return None
    from polaris_search.experiments.given_descriptions import read_descriptions

    return read_descriptions(descriptions)


def _json(found: "FolderEvaluation") -> dict[str, object]:
    return {
        "dataset": found.dataset,
        "profile": found.profile,
        "queries": found.queries,
        "left_out": found.left_out,
        "measures": dict(found.measures),
        "seconds": round(found.seconds, 3),
        "notices": list(found.notices),
    }


def _print(found: "FolderEvaluation") -> None:
    rows = [[name, f"{value:.4f}"] for name, value in found.measures.items()]
    print_columns(rows, ["measure", "value"], f"{found.dataset}, profile {found.profile}")
    left_out = f", {found.left_out} left out without a relevant table" if found.left_out else ""
    print_text(f"{found.queries} queries{left_out}; {found.seconds:.1f} s.")
