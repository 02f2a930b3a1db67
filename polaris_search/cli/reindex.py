"""`polaris-admin reindex`: a new generation of all tables, swapped in without downtime."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from polaris_search.cli.choices import Expand
from polaris_search.cli.output import JsonOption, print_json, tell

if TYPE_CHECKING:
    from polaris_search.lifecycle.sources import Sources
    from polaris_search.lifecycle.transform import Renewal
    from polaris_search.settings import Settings

Redescribe = Literal["stale", "all", "none"]


def reindex(
    sources: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SOURCE...]", help="Take the tables from here, not as stored."),
    ] = None,
    format: Annotated[
        str | None, typer.Option(help="Format of the sources, as for `ingest`.")
    ] = None,
    expand: Annotated[
        Expand | None,
        typer.Option(help="Expand names anew; not given: keep them, or auto with a SOURCE."),
    ] = None,
    describe: Annotated[
        Redescribe,
        typer.Option(help="Describe anew: what this model did not describe as it is, or all."),
    ] = "none",
    yes: Annotated[
        bool,
        typer.Option("--yes", help="Go live though rows were rejected or over a fifth is gone."),
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would change, and do nothing.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Build all tables anew beside the live ones and swap them in; searches and writes go on.

    Can be stopped at any time: the live tables serve, and the same command run again goes on from
    there. Exits 1 if the new ones are not live, or not everything was taken or described.

    Example: polaris-admin reindex --expand auto --describe stale
    """
    from polaris_search.cli.progress import ReindexBar
    from polaris_search.cli.reindex_report import (
        print_preview,
        print_reindex,
        report_json,
        tell_reindex_troubles,
        tell_rejected,
    )
    from polaris_search.lifecycle.preview import preview
    from polaris_search.lifecycle.reindex import reindex as reindex_tables
    from polaris_search.settings import read_settings
    from polaris_search.store.opening import open_store

    settings = read_settings()
    given = _sources(sources or [], format, settings, keep_rejected=not dry_run)
    renewal = _renewal(expand, describe, settings, from_sources=given is not None)
    store = open_store(settings)
    try:
        if dry_run:
            would = preview(store, renewal, given)
            if would.sources:
                tell_rejected(would.sources)
            if as_json:
                print_json(report_json(would))
            else:
                print_preview(would)
            return
        with ReindexBar() as bar:
            report = reindex_tables(
                store, renewal, sources=given, yes=yes, notify=tell, progress=bar
            )
    finally:
        store.close()
    tell_reindex_troubles(report)
    if as_json:
        print_json(report_json(report))
    else:
        print_reindex(report)
    if not report.clean:
        raise typer.Exit(1)


def _sources(
    names: list[str], format: str | None, settings: "Settings", *, keep_rejected: bool
) -> "Sources | None":
    from polaris_search.errors import UsageError

    if not names:
        if format:
            raise UsageError("--format says what a SOURCE is; name one, or leave --format out.")
        return None
    from ingest.dead_letters import DeadLetters
    from ingest.readers.sources import read_sources
    from ingest.seen import SeenIds
    from ingest.times import utc_now
    from polaris_search.lifecycle.sources import Sources

    seen = SeenIds()
    letters = DeadLetters(settings.home / "dead-letters", utc_now) if keep_rejected else None
    items = read_sources(names, format, seen, on_notice=tell)
    return Sources((format or "", *names), items, seen, letters)


def _renewal(
    expand: Expand | None, describe: Redescribe, settings: "Settings", *, from_sources: bool
) -> "Renewal":
    from polaris_search.cli.choices import chosen_steps
    from polaris_search.lifecycle.transform import Renewal

    chosen = expand or ("auto" if from_sources else None)
    steps = chosen_steps(chosen or "none", "none" if describe == "none" else "auto", settings)
    return Renewal(
        expander=steps.expander if chosen else None,
        describer=steps.models.describer,
        redescribe=describe,
        concurrency=settings.tables_at_a_time,
        later=steps.models.expander,
        keeps_models=steps.keeps_models,
    )
