"""`polaris-admin ingest`: tables in, expanded, described, searchable."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from polaris_search.cli.choices import DescribeOption, ExpandOption
from polaris_search.cli.output import JsonOption, print_json, print_text, tell

if TYPE_CHECKING:
    from ingest.report import IngestReport
    from ingest.steps import Describer
    from polaris_search.errors import ServiceUnreachable
    from polaris_search.settings import Settings


def ingest_tables(
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE...", help="Files, folders, database addresses.")
    ],
    format: Annotated[
        str | None, typer.Option(help="polaris, csv, tsv, jsonl or sql; found out if not given.")
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
    was rejected or a description failed; everything else is stored all the same.

    Example: polaris-admin ingest examples/tables --describe none
    """
    from ingest.partition import partition_of
    from ingest.pipeline import ingest
    from ingest.readers.sources import read_sources
    from ingest.seen import SeenIds
    from polaris_search.cli.choices import chosen_expander
    from polaris_search.cli.progress import IngestBar
    from polaris_search.cli.sync import refuse_partial_sync, removed_or_why_not
    from polaris_search.settings import read_settings
    from polaris_search.store.opening import open_store

    settings = read_settings()
    if sync:
        refuse_partial_sync(sources, format, partition)
    share = partition_of(partition) if partition else None
    seen = SeenIds()
    items = read_sources(sources, format, seen)
    expander = chosen_expander(expand, settings)
    describer, unreachable = _describer(describe, settings)
    store = open_store(settings)
    try:
        with IngestBar() as bar:
            report = ingest(
                items,
                store,
                expander,
                describer,
                concurrency=settings.llm_concurrency,
                partition=share,
                dry_run=dry_run,
                dead_letter_folder=settings.home / "dead-letters",
                progress=bar,
            )
        if not as_json:
            _print(report)
        sync_refusal, removed = removed_or_why_not(store, seen, yes, dry_run) if sync else (None, 0)
    finally:
        store.close()
    if as_json:
        print_json({**asdict(report), "dead_letters": _path(report), "removed": removed})
    elif removed:
        print_text(f"{'Would remove' if dry_run else 'Removed'} {removed} tables.")
    if sync_refusal:
        raise sync_refusal
    if unreachable:
        raise unreachable
    if not report.clean:
        raise typer.Exit(1)


def _describer(
    choice: DescribeOption, settings: "Settings"
) -> "tuple[Describer | None, ServiceUnreachable | None]":
    """Return the describer, or why its server cannot be had: the names are stored all the same."""
    from polaris_search.cli.choices import chosen_describer
    from polaris_search.errors import ServiceUnreachable

    try:
        return chosen_describer(choice, settings), None
    except ServiceUnreachable as error:
        tell("The model server does not answer; tables are stored without new descriptions.")
        return None, error


def _path(report: "IngestReport") -> str | None:
    return str(report.dead_letters) if report.dead_letters else None


def _print(report: "IngestReport") -> None:
    for rejected in report.first_rejected:
        tell(rejected.sentence)
    if report.rejected > len(report.first_rejected):
        tell(f"... and {report.rejected - len(report.first_rejected)} more.")
    for reason, count in report.reasons:
        tell(f"{count} not described: {reason}")
    for notice in report.notices:
        tell(notice)
    if report.dead_letters:
        tell(f"All {report.rejected} rejected rows are in {report.dead_letters}.")
    would = "Would read" if report.dry_run else "Read"
    print_text(
        f"{would} {report.seen} tables in {report.seconds:.1f} s: {report.stored} stored, "
        f"{report.unchanged} unchanged, {report.rejected} rejected."
    )
    if report.to_describe or report.reused:
        print_text(
            f"Descriptions: {report.described} new, {report.failed} failed, "
            f"{report.reused} kept; {report.completion_tokens} tokens written."
        )
