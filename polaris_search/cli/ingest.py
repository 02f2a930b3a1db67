"""`polaris-admin ingest`: tables in, expanded, described, searchable."""

from typing import TYPE_CHECKING, Annotated

import typer

from polaris_search.cli.choices import Describe, DescribeOption, Expand, ExpandOption
from polaris_search.cli.output import JsonOption, print_json, print_text, tell

if TYPE_CHECKING:
    from ingest.partition import Partition
    from polaris_search.cli.choices import Steps
    from polaris_search.errors import ServiceUnreachable
    from polaris_search.settings import Settings


def ingest_tables(
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE...", help="Files, folders, addresses.")
    ],
    format: Annotated[
        str | None,
        typer.Option(
            help="polaris, csv, tsv, jsonl, parquet, dbt, ckan, eml, information_schema or sql; "
            "found out by content if not given."
        ),
    ] = None,
    expand: ExpandOption = "auto",
    describe: DescribeOption = "auto",
    partition: Annotated[
        str | None, typer.Option(metavar="I/N", help="Only share I of N, for N machines.")
    ] = None,
    sync: Annotated[
        bool, typer.Option("--sync", help="Also remove tables that their source no longer has.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Let --sync remove more than a fifth of all tables.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what there is to do, and do nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Take tables in: names and context are searchable at once, descriptions follow.

    Can be stopped and started again at any time: what is stored is not done twice. Exits 1 if a row
    was rejected or a model failed at a table; everything else is stored all the same.

    Example: polaris-admin ingest examples/tables --describe none
    """
    from ingest.partition import partition_of
    from ingest.pipeline import ingest
    from ingest.readers.sources import read_sources
    from ingest.seen import SeenIds
    from polaris_search.cli.ingest_report import print_report, report_json
    from polaris_search.cli.model_time import estimated_seconds, keep_speed
    from polaris_search.cli.progress import IngestBar
    from polaris_search.cli.sync import refuse_partial_sync, removed_or_why_not
    from polaris_search.settings import read_settings
    from polaris_search.store.opening import open_store

    settings = read_settings()
    if sync:
        refuse_partial_sync(sources, format, partition)
    share = partition_of(partition) if partition else None
    seen = SeenIds()
    items = read_sources(sources, format, seen, on_notice=tell)
    steps, unreachable = _steps(expand, describe, settings, dry_run)
    store = open_store(settings)
    try:
        with IngestBar(_tables_to_read(sources, format, share)) as bar:
            report = ingest(
                items,
                store,
                steps.expander,
                steps.models.describer,
                later=steps.models.expander,
                keeps_models=steps.keeps_models,
                concurrency=settings.tables_at_a_time,
                partition=share,
                dry_run=dry_run,
                dead_letter_folder=settings.home / "dead-letters",
                progress=bar,
            )
        chat_model = steps.models.chat_model
        usage = chat_model.usage() if chat_model else None
        keep_speed(chat_model, settings.home)
        seconds = estimated_seconds(report.estimate, chat_model, settings.home)
        if not as_json:
            print_report(report, usage, seconds)
        sync_refusal, removed = removed_or_why_not(store, seen, yes, dry_run) if sync else (None, 0)
    finally:
        store.close()
    if as_json:
        print_json(report_json(report, usage, removed, seconds))
    elif removed:
        print_text(f"{'Would remove' if dry_run else 'Removed'} {removed} tables.")
    if sync_refusal:
        raise sync_refusal
    if unreachable:
        raise unreachable
    if not report.clean:
        raise typer.Exit(1)


def _tables_to_read(
    sources: list[str], format: str | None, share: "Partition | None"
) -> int | None:
    from ingest.readers.extent import estimated_tables

    tables = estimated_tables(sources, format)
    return tables // share.count if tables is not None and share else tables


def _steps(
    expand: Expand, describe: Describe, settings: "Settings", dry_run: bool
) -> "tuple[Steps, ServiceUnreachable | None]":
    """Return the steps, and why their server cannot be had: the names are stored all the same."""
    from polaris_search.cli.choices import chosen_steps, steps_without_model
    from polaris_search.errors import ServiceUnreachable

    try:
        return chosen_steps(expand, describe, settings, dry_run=dry_run), None
    except ServiceUnreachable as error:
        tell("The model server does not answer; tables are stored without asking it.")
        return steps_without_model(expand, settings), error
