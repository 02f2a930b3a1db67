"""A gate's report as a page of Markdown: the verdict, why, and the numbers of both sides."""

from collections.abc import Iterator, Sequence

from polaris_search.evaluate.gate.compared import Compared
from polaris_search.evaluate.gate.report import GateReport


def page_lines(report: GateReport) -> Iterator[str]:
    """Yield the page's lines."""
    yield f"# {report.candidate}: {report.verdict}"
    yield ""
    yield (
        f"Against {report.reference} on {report.dataset}: {report.queries} held-out queries for "
        f"{report.tables_asked} tables, among {report.corpus} tables that both described."
    )
    yield ""
    yield "## Reasons"
    yield from (f"- {reason}" for reason in report.reasons)
    yield from _notices(report)
    yield from _table("Retrieval", report.retrieval)
    yield from _table("Descriptions", report.descriptions)
    if report.same is not None:
        yield ""
        yield f"Equal texts on both sides: {report.same:.0%}."
    yield from _table_of("Made with", list(report.made_with.items()))


def _notices(report: GateReport) -> Iterator[str]:
    if report.notices:
        yield ""
        yield "## Notices"
        yield from (f"- {notice}" for notice in report.notices)


def _table(title: str, rows: Sequence[Compared]) -> Iterator[str]:
    yield ""
    yield f"## {title}"
    yield "| | candidate | reference | difference | n |"
    yield "| --- | --- | --- | --- | --- |"
    for row in rows:
        found = row.difference
        yield (
            f"| {row.name} | {row.candidate:.4f} | {row.reference:.4f} | "
            f"{found.mean:+.4f} [{found.low:+.4f}, {found.high:+.4f}] | {row.n} |"
        )


def _table_of(title: str, rows: Sequence[tuple[str, object]]) -> Iterator[str]:
    yield ""
    yield f"## {title}"
    yield "| | |"
    yield "| --- | --- |"
    yield from (f"| {name} | {_shown(value)} |" for name, value in rows)


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
