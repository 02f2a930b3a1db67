"""`polaris-admin demo`: the main job on real tables, from cryptic names to measured search."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polaris_search.cli.output import print_columns, print_text, tell

if TYPE_CHECKING:
    from ingest.report import IngestReport
    from ingest.steps import Describer, Expander
    from polaris_search.evaluate.dataset import Dataset
    from polaris_search.records import EnrichedTable
    from polaris_search.settings import Settings
    from polaris_search.store.protocol import TableStore

SHOWN_TABLES = 6
SHOWN_COLUMNS = 5
SHOWN_QUERIES = 3
SHOWN_HITS = 3


def demo(
    folder: Annotated[
        Path | None, typer.Argument(metavar="[DATASET_DIR]", help="Default: examples/demo.")
    ] = None,
) -> None:
    """Run the whole job on real tables: expand, describe by the local model, index, find, measure.

    Embedded, no service; the tables stay searchable in POLARIS_HOME/demo afterwards.

    Example: polaris-admin demo
    """
    from polaris_search.cli.choices import chosen_describer, chosen_expander
    from polaris_search.evaluate.dataset import read_dataset
    from polaris_search.settings import read_settings
    from polaris_search.store.embedded.store import EmbeddedStore

    given = read_settings()
    home = given.home / "demo"
    # An adapter that was trained is for a larger model than the demo's.
    settings = replace(given, store=f"file:{home}", llm_kind="local", llm_url=None, adapter="none")
    dataset = folder or _examples()
    expander = chosen_expander("lexical", settings)
    describer = chosen_describer("llm", settings)
    with closing(EmbeddedStore(home)) as store:
        store.delete(list(store.table_ids()))  # every demo starts with nothing
        report = _ingest(dataset, store, expander, describer, settings)
        _show_expansions(store)
        _show_descriptions(store, report, describer)
        _show_searches(read_dataset(dataset), store)
        _show_measures(dataset, store, expander)
    print_text(f"Go on: POLARIS_STORE=file:{home} polaris-admin search '...'")
    if not report.clean:
        raise typer.Exit(1)


def _examples() -> Path:
    import polaris_search
    from polaris_search.errors import UsageError

    folder = Path(polaris_search.__file__).parents[1] / "examples" / "demo"
    if not folder.is_dir():
        raise UsageError(
            "examples/demo is not beside this installation. Run the demo in a checkout, "
            "or name a folder with metadata.csv, queries.csv and qrels.csv."
        )
    return folder


def _ingest(
    dataset: Path,
    store: "TableStore",
    expander: "Expander",
    describer: "Describer | None",
    settings: "Settings",
) -> "IngestReport":
    from ingest.pipeline import ingest
    from ingest.readers.sources import read_sources
    from polaris_search.cli.progress import IngestBar

    tell("Expanding names and describing the tables live; about a minute ...")
    with IngestBar() as bar:
        report = ingest(
            read_sources([str(dataset)]),
            store,
            expander,
            describer,
            concurrency=settings.tables_at_a_time,
            dead_letter_folder=settings.home / "dead-letters",
            progress=bar,
        )
    for rejected in report.first_rejected:
        tell(rejected.sentence)
    for reason, count in report.reasons:
        tell(f"{count} not described: {reason}")
    return report


def _show_expansions(store: "TableStore") -> None:
    rows = [
        [table.raw.name, "; ".join(_changed_names(table)[:SHOWN_COLUMNS])]
        for table in _first_of_each_source(store)
    ]
    print_columns(rows, ["table", "columns: expansions"], "1. Names, expanded without a model")
    print_text()


def _changed_names(table: "EnrichedTable") -> list[str]:
    """Return the columns that read differently once expanded, each with its English."""
    words = table.expansion.columns if table.expansion else ()
    return [
        f"{column.name}: {text}"
        for column, text in zip(table.raw.columns, words, strict=False)
        if text != column.name.lower()
    ]


def _first_of_each_source(store: "TableStore") -> "Iterator[EnrichedTable]":
    seen: set[str | None] = set()
    for table in store.tables():
        if table.raw.source not in seen and len(seen) < SHOWN_TABLES:
            seen.add(table.raw.source)
            yield table


def _show_descriptions(
    store: "TableStore", report: "IngestReport", describer: "Describer | None"
) -> None:
    model = describer.model if describer else "no model"
    rows = [
        [table.raw.name, table.description.dataset_overview]
        for table in _first_of_each_source(store)
        if table.description
    ]
    print_columns(
        rows,
        ["table", "dataset_overview, the first of six fields"],
        f"2. Described live by {model}: {report.described} of {report.seen} tables, "
        f"{report.completion_tokens} tokens, {report.seconds:.0f} s",
    )
    print_text("This small model proves the machinery; a real one makes the text good.\n")


def _show_searches(dataset: "Dataset", store: "TableStore") -> None:
    from polaris_search.profiles.model import profile_named
    from polaris_search.search.answer import search_tables

    queries = list(dataset.queries.values())
    step = max(1, len(queries) // SHOWN_QUERIES)
    print_text(f"3. Found: every {step}th of {len(queries)} queries")
    for query in queries[::step][:SHOWN_QUERIES]:
        answer = search_tables(store, query, profile_named("default"), size=SHOWN_HITS)
        rows = [
            [str(hit.rank), f"{hit.score:.1f}", hit.table_id, "; ".join(hit.why)]
            for hit in answer.hits
        ]
        print_columns(rows, ["#", "score", "table_id", "why"], f'"{query}"')
    print_text()


def _show_measures(folder: Path, store: "TableStore", expander: "Expander") -> None:
    """Show what each step gains; the descriptions are the ones just written, not new ones."""
    from ingest.steps import NoExpander
    from polaris_search.experiments.evaluate_folder import evaluate_folder
    from polaris_search.experiments.given_descriptions import GivenDescriptions
    from polaris_search.profiles.model import profile_named

    written = {table.table_id: table.description for table in store.tables() if table.description}
    described = GivenDescriptions(folder, written)
    rows = []
    for label, names, texts in (
        ("names as given", NoExpander(), None),
        ("names expanded", expander, None),
        ("expanded and described", expander, described),
    ):
        figures = [
            evaluate_folder(folder, store, profile_named(profile), names, texts, ["nDCG@10"])
            for profile in ("paper", "default")
        ]
        rows.append([label, *(f"{found.measures['nDCG@10']:.3f}" for found in figures)])
    print_columns(rows, ["nDCG@10", "profile paper", "profile default"], "4. Measured")
    print_text()
