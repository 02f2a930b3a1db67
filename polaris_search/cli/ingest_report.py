"""What an ingest did, for a person and as JSON. docs/ingesting.md explains each key."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from polaris_search.cli.model_time import time_text
from polaris_search.cli.output import print_text, tell

if TYPE_CHECKING:
    from ingest.estimate import Estimate
    from ingest.report import IngestReport, ModelNames
    from polaris_search.llm.model import Usage


def report_json(
    report: "IngestReport", usage: "Usage | None", removed: int, seconds: float | None = None
) -> dict[str, object]:
    """Return the report as `--json` prints it; `removed` counts what --sync took away.

    `seconds` is how long what a dry run estimates would take, None where that is not known.
    """
    return {
        **asdict(report),
        "dead_letters": str(report.dead_letters) if report.dead_letters else None,
        "tables_per_second": round(report.tables_per_second, 1),
        "usage": asdict(usage) if usage else None,
        "removed": removed,
        "estimated_seconds": seconds,
    }


def print_report(
    report: "IngestReport", usage: "Usage | None", seconds: float | None = None
) -> None:
    """Print what went wrong on stderr and the summary on stdout; `seconds` as in report_json."""
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
    for line in _summary(report, seconds):
        print_text(line)
    if usage and usage.requests:
        print_text(_usage(usage))


def names_sentence(names: "ModelNames") -> str:
    """Return what asking a model about names took, and saved."""
    failed = f" {names.failed} tables could not be asked about." if names.failed else ""
    return (
        f"Names: a model was asked about {names.asked:,} columns of {names.tables:,} tables in "
        f"{names.calls:,} calls; {names.sure:,} columns were left to the lexical reading, which "
        f"saved {names.saved_calls:,} calls; {names.prompt_tokens:,} tokens read, "
        f"{names.completion_tokens:,} written.{failed}"
    )


def _summary(report: "IngestReport", seconds: float | None) -> Iterator[str]:
    would = "Would read" if report.dry_run else "Read"
    yield (
        f"{would} {report.seen} tables in {report.seconds:.1f} s "
        f"({report.tables_per_second:,.0f} a second): {report.stored} stored, "
        f"{report.unchanged} unchanged, {report.rejected} rejected."
    )
    if len(report.rejected_kinds) > 1:
        for kind, count in report.rejected_kinds:
            yield f"  rejected {count}: {kind}"
    if report.model_names.tables or report.model_names.failed:
        yield names_sentence(report.model_names)
    if report.dry_run:
        yield _estimate(report.estimate, report.to_describe, report.reused)
        if seconds is not None:
            yield f"At the model's speed in the last run that takes about {time_text(seconds)}."
    elif report.to_describe or report.reused:
        yield (
            f"Descriptions: {report.described} new, {report.failed} failed, "
            f"{report.reused} kept; {report.prompt_tokens:,} tokens read, "
            f"{report.completion_tokens:,} written."
        )


def _usage(usage: "Usage") -> str:
    """Return what the model's server was asked, every attempt counted."""
    said = (
        f"Model server: {usage.requests:,} requests, {usage.failed:,} without a reply, "
        f"{usage.retries:,} attempts more, {usage.refused:,} turned away as it was busy; at most "
        f"{usage.most_at_a_time} at a time"
    )
    if usage.latency_p50_s is not None and usage.latency_p95_s is not None:
        said += f"; half the replies within {usage.latency_p50_s:.2f} s, "
        said += f"95 % within {usage.latency_p95_s:.2f} s"
    if usage.cached_prompt_tokens and usage.prompt_tokens:
        kept = usage.cached_prompt_tokens / usage.prompt_tokens
        said += f"; {kept:.0%} of the prompt tokens it had read before"
    return f"{said}."


def _estimate(estimate: "Estimate", to_describe: int, reused: int) -> str:
    if not estimate.calls:
        return f"The model would not be asked; descriptions kept: {reused}."
    return (
        f"The model would be asked about {estimate.tables} tables ({to_describe} to describe, "
        f"{reused} descriptions kept): about {estimate.calls:,} calls, {estimate.prompt_tokens:,} "
        f"prompt tokens and {estimate.shared_tokens:,} of the part that prompts share, which a "
        f"server may keep, {estimate.completion_tokens:,} tokens written."
    )
