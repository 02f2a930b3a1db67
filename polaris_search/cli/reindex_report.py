"""What a reindex, a rollback or a dry run of one says, to a person or as JSON."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from polaris_search.cli.ingest_report import names_sentence
from polaris_search.cli.output import print_text, tell

if TYPE_CHECKING:
    from polaris_search.lifecycle.preview import ReindexPreview
    from polaris_search.lifecycle.report import ReindexReport, RollbackReport
    from polaris_search.lifecycle.sources import SourcesRead
    from polaris_search.lifecycle.tally import Counts


def report_json(report: "ReindexReport | RollbackReport | ReindexPreview") -> dict[str, object]:
    """Return the report as JSON values; its shape is documented in docs/reindexing.md."""
    document = asdict(report)
    sources = document.get("sources")
    if sources and sources["dead_letters"]:
        sources["dead_letters"] = str(sources["dead_letters"])
    return document


def tell_reindex_troubles(report: "ReindexReport") -> None:
    """Say on stderr what a reindex could not do, also where the rest is said as JSON."""
    if report.sources:
        tell_rejected(report.sources)
    for reason, count in report.counts.reasons:
        tell(f"{count} not described: {reason}")
    for notice, count in report.counts.notices:
        tell(f"{notice} ({count} tables)")
    tell_not_live(report)


def tell_not_live(report: "ReindexReport | RollbackReport") -> None:
    """Say on stderr why a generation is not live, and which tables it did not take."""
    for one in report.first_refused:
        tell(f"Refused: {one.table_id}: {one.reason}")
    if report.refused > len(report.first_refused):
        tell(f"... and {report.refused - len(report.first_refused)} more.")
    if report.problem:
        tell(f"Error: {report.problem}")
    elif report.refused:
        tell(f"Error: {_refused_sentence(report)}")


def tell_rejected(sources: "SourcesRead") -> None:
    """Say on stderr which rows of the sources were not taken."""
    for rejected in sources.first_rejected:
        tell(rejected.sentence)
    if sources.rejected > len(sources.first_rejected):
        tell(f"... and {sources.rejected - len(sources.first_rejected)} more.")
    for notice in sources.notices:
        tell(notice)
    if sources.dead_letters:
        tell(f"All {sources.rejected} rejected rows are in {sources.dead_letters}.")


def print_reindex(report: "ReindexReport") -> None:
    """Say what a reindex did."""
    _print_live(report)
    found = f"{_names(report.counts)}; {report.sampled} tables searched for and found."
    print_text(f"{'Went on with an interrupted run. ' if report.resumed else ''}This run: {found}")
    counts = report.counts
    if counts.described or counts.failed:
        print_text(
            f"Descriptions: {counts.described} new, {counts.failed} failed; "
            f"{counts.completion_tokens} tokens written."
        )
    if counts.model_names.tables or counts.model_names.failed:
        print_text(names_sentence(counts.model_names))
    if report.written or report.deleted:
        print_text(f"Changed meanwhile: {report.written} written, {report.deleted} deleted.")
    if report.sources:
        print_text(
            f"Against the generation before: {report.missing} tables are not in the sources any "
            f"more, {report.surplus} are new."
        )


def print_rollback(report: "RollbackReport") -> None:
    """Say what a rollback did."""
    _print_live(report)
    if report.replaced:
        print_text(
            f"Brought over from {report.replaced}: {report.brought_over} tables that were added or "
            f"changed since; removed: {report.removed} that it has no more."
        )
    if report.written or report.deleted:
        print_text(f"Changed meanwhile: {report.written} written, {report.deleted} deleted.")


def print_preview(would: "ReindexPreview") -> None:
    """Say what a reindex would do."""
    print_text(f"Would replace {would.replaces or 'nothing; there is no generation yet'}.")
    print_text(f"Names: {_names(would.counts)}.")
    if would.estimate.calls:
        print_text(
            f"Names asked about, of {would.estimate.tables} tables: about "
            f"{would.estimate.calls:,} calls, {would.estimate.prompt_tokens:,} prompt tokens."
        )
    if would.to_describe:
        print_text(f"Descriptions asked for: {would.to_describe}, at least one call each.")
    if would.sources:
        print_text(f"Gone, for no source has them any more: {would.gone} tables.")
    if would.held_back:
        print_text(f"It would not go live. {would.held_back}")
    if not would.current:
        print_text("Mapping or analyzers differ from this program's: a reindex is needed.")
    for name in would.unfinished:
        print_text(
            f"Unfinished: {name}, of an interrupted run. The same command goes on with it, "
            "another one drops it."
        )


def _print_live(report: "ReindexReport | RollbackReport") -> None:
    if report.live:
        print_text(f"{report.generation} is live: {report.tables} tables, {report.seconds:.1f} s.")
        if report.replaced:
            print_text(
                f"{report.replaced} is kept; `polaris-admin index rollback` goes back to it."
            )
        return
    print_text(
        f"{report.generation} is not live. {report.replaced or 'Nothing'} is, with "
        f"{report.tables} tables. The same command goes on from here."
    )


def _names(counts: "Counts") -> str:
    parts = [f"{counts.kept} kept"]
    parts += [f"{counts.expanded} expanded anew"] if counts.expanded else []
    parts += [f"{counts.new} new"] if counts.new else []
    parts += [f"{counts.changed} changed"] if counts.changed else []
    return ", ".join(parts)


def _refused_sentence(report: "ReindexReport | RollbackReport") -> str:
    if report.live:
        return (
            f"{report.refused} tables that were written as the new generation went live are only "
            f"in {report.replaced}. Ingest them again."
        )
    return (
        f"{report.refused} tables were refused, so nothing was swapped. Correct or delete them, "
        "then run the command again."
    )
