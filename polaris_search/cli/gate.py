"""`polaris-admin adapters gate`: whether a new adapter may take the current one's place."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polaris_search.cli.choices import Expand, ExpandOption
from polaris_search.cli.output import JsonOption, print_json, print_text, tell

if TYPE_CHECKING:
    from polaris_search.evaluate.gate.report import GateReport
    from polaris_search.evaluate.gate.thresholds import Thresholds
    from polaris_search.experiments.gate.queries import GateQueries, TrainedOn
    from polaris_search.experiments.judge_adapter import GateChoices
    from polaris_search.settings import Settings
    from trainer.adapters.registry import Entry, Registry

PAGE_FILE = "gate.md"
TEXTS_FOLDER = "gate"
DESCRIPTION_ALONE = "paper-single"
"""The search that shows most of what a description is worth; the live one reads it cautiously."""
SHOWN_EVERY = 25


def gate(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The adapter in question.")],
    dataset: Annotated[
        Path,
        typer.Option(metavar="DATASET_DIR", help="Holds metadata.csv, queries.csv, qrels.csv."),
    ],
    held_out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="PAIRS.record.json of pairs built with --hold-out, or a JSON list of query ids.",
        ),
    ] = None,
    against: Annotated[
        str, typer.Option(help="current (the base where none is), base, or an adapter's name.")
    ] = "current",
    sample: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Describe N tables: those asked for, and others."),
    ] = None,
    profile: Annotated[
        list[str] | None,
        typer.Option(help="Search that has to hold, repeatable; POLARIS_PROFILE and paper-single."),
    ] = None,
    expand: ExpandOption = "lexical",
    seed: Annotated[int, typer.Option(help="Of both sides' texts.")] = 42,
    margin: Annotated[
        float, typer.Option(min=0.0001, help="Fall of a mean that has to be excluded.")
    ] = 0.02,
    min_queries: Annotated[int, typer.Option(min=1, help="Held-out queries at least.")] = 50,
    min_tables: Annotated[int, typer.Option(min=1, help="Tables that they ask for.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """Judge an adapter on held-out queries: retrieval must not fall, texts must stay sane.

    Both sides describe the same tables. Can be stopped at any time: the same command goes on. The
    report is kept with the adapter, as gate.json and gate.md. Exits 1 if it is refused.

    Example: polaris-admin adapters gate NAME --dataset DIR --held-out pairs.jsonl.record.json
    """
    from polaris_search.evaluate.dataset import read_dataset
    from polaris_search.evaluate.gate.report import report_document
    from polaris_search.evaluate.gate.thresholds import Thresholds
    from polaris_search.experiments.gate.queries import gate_queries
    from polaris_search.settings import read_settings
    from trainer.adapters.registry import Registry

    settings = read_settings()
    registry = Registry(settings.home)
    entry = registry.entry(name)
    reference = _reference(registry, name, against)
    trained_on = _trained_on(registry, entry, reference)
    queries = gate_queries(read_dataset(dataset), held_out, trained_on)
    limits = Thresholds(margin=margin, min_queries=min_queries, min_tables=min_tables)
    choices = _choices(settings, profile or [], expand, seed, sample, limits)
    report = _judged(dataset, queries, (name, reference), choices, settings, registry)
    _keep(registry, report)
    if as_json:
        print_json(report_document(report))
    else:
        _print(report)
    if report.exit_code:
        raise typer.Exit(report.exit_code)


def _reference(registry: "Registry", name: str, against: str) -> str:
    """Return what the adapter is compared with.

    Raises:
        UsageError: that is the adapter itself.
        AdapterUnknown: there is none of that name.
    """
    from polaris_search.errors import UsageError
    from polaris_search.evaluate.gate.verdict import BASE

    reference = (registry.current or BASE) if against == "current" else against
    if reference == name:
        raise UsageError(f"{name!r} would be compared with itself. Name another: --against base.")
    return reference if reference == BASE else registry.require(reference)


def _trained_on(registry: "Registry", entry: "Entry", reference: str) -> "TrainedOn":
    """Return what the adapter, those that it began from, and the reference learned from."""
    from polaris_search.experiments.gate.queries import TrainedOn

    records = {one.name: one.record for one in registry.entries() if one.record}
    parents: dict[str, None] = {}
    parent = entry.record.parent if entry.record else None
    while parent in records and parent not in parents:
        parents[parent] = None
        parent = records[parent].parent
    return TrainedOn(
        candidate=entry.record.judgments_hash if entry.record else None,
        parents=tuple(records[one].judgments_hash for one in parents),
        reference=records[reference].judgments_hash if reference in records else None,
    )


def _choices(
    settings: "Settings",
    profiles: list[str],
    expand: Expand,
    seed: int,
    sample: int | None,
    limits: "Thresholds",
) -> "GateChoices":
    from dataclasses import replace

    from ingest.describe.opening import describe_settings
    from polaris_search.cli.choices import chosen_expander
    from polaris_search.experiments.gate.side_texts import Asking
    from polaris_search.experiments.judge_adapter import GateChoices
    from polaris_search.profiles.model import profile_named

    named = dict.fromkeys(profiles or (settings.profile, DESCRIPTION_ALONE))
    asking = Asking(
        settings=replace(describe_settings(settings), seed=seed),
        folder=settings.home / TEXTS_FOLDER,
        concurrency=settings.tables_at_a_time,
        progress=_show,
    )
    return GateChoices(
        tuple(map(profile_named, named)),
        chosen_expander(expand, settings),
        asking,
        sample,
        limits,
    )


def _judged(
    folder: Path,
    queries: "GateQueries",
    names: tuple[str, str],
    choices: "GateChoices",
    settings: "Settings",
    registry: "Registry",
) -> "GateReport":
    from contextlib import closing
    from tempfile import TemporaryDirectory

    from polaris_search.experiments.gate.writers import opened_writer
    from polaris_search.experiments.judge_adapter import judge_adapter
    from polaris_search.store.embedded.store import EmbeddedStore

    lengths = choices.asking.settings
    candidate, reference = (opened_writer(one, settings, registry, lengths) for one in names)
    with (
        TemporaryDirectory(prefix="polaris-gate-") as place,
        closing(EmbeddedStore(Path(place))) as store,
    ):
        return judge_adapter(folder, queries, candidate, reference, choices, store)


def _keep(registry: "Registry", report: "GateReport") -> None:
    """Keep the report with the adapter, the page first: what counts is the other file."""
    from polaris_search.evaluate.gate.page import page_lines
    from polaris_search.evaluate.gate.report import report_json
    from polaris_search.evaluate.written import write_lines

    write_lines(registry.root / report.candidate / PAGE_FILE, page_lines(report))
    registry.write_gate(report.candidate, (report_json(report) + "\n").encode())


def _show(side: str, done: int, total: int) -> None:
    if done % SHOWN_EVERY == 0 or done == total:
        tell(f"{side}: {done} of {total} tables described.")


def _print(report: "GateReport") -> None:
    print_text(
        f"{report.verdict}: {report.candidate} against {report.reference}, {report.queries} "
        f"held-out queries for {report.tables_asked} tables among {report.corpus}."
    )
    for notice in report.notices:
        tell(notice)
    for reason in report.reasons:
        print_text(f"- {reason}")
