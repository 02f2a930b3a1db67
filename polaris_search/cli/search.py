"""`polaris-admin search`: ranked tables for a query."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from polaris_search.cli.output import JsonOption, print_columns, print_json, print_text, tell

if TYPE_CHECKING:
    from polaris_search.records import Hit
    from polaris_search.search.answer import Contribution, SearchAnswer


def search(
    query: Annotated[str, typer.Argument(help="Any words; nothing in them is syntax.")],
    profile: Annotated[str | None, typer.Option(help="Query profile; `doctor` lists them.")] = None,
    filters: Annotated[
        list[str] | None,
        typer.Option("--filter", metavar="FIELD=VALUE", help="Only tables with this value."),
    ] = None,
    size: Annotated[int, typer.Option(help="How many tables, 1 to 10,000.")] = 10,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show what each clause gives to each score.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Find tables, best first, and say why each one matched.

    Example: polaris-admin search "employee salary" --filter database=hr
    """
    from polaris_search.cli.filters import parse_filters
    from polaris_search.profiles.model import profile_named
    from polaris_search.search.answer import explain_hits, search_tables
    from polaris_search.settings import read_settings
    from polaris_search.store.opening import open_store

    settings = read_settings()
    chosen = profile_named(profile or settings.profile)
    wanted = parse_filters(filters or [])
    store = open_store(settings)
    try:
        answer = search_tables(store, query, chosen, size=size, filters=wanted)
        found = tuple(hit.table_id for hit in answer.hits)
        contributions = explain_hits(store, query, chosen, found) if explain else {}
        if not found and store.status().tables == 0:
            tell("The store holds no tables yet. `polaris-admin ingest` adds some.")
    finally:
        store.close()
    if as_json:
        print_json(_json(answer, contributions))
    else:
        _print(answer, contributions)


def _json(
    answer: "SearchAnswer", contributions: "dict[str, tuple[Contribution, ...]]"
) -> dict[str, object]:
    hits = []
    for hit in answer.hits:
        document = asdict(hit)
        if hit.table_id in contributions:
            document["explanation"] = [
                asdict(contribution) for contribution in contributions[hit.table_id]
            ]
        hits.append(document)
    return {
        "query_id": answer.query_id,
        "took_ms": answer.took_ms,
        "total": answer.total,
        "hits": hits,
        "notices": list(answer.notices),
    }


def _print(answer: "SearchAnswer", contributions: "dict[str, tuple[Contribution, ...]]") -> None:
    for notice in answer.notices:
        tell(notice)
    if not answer.hits:
        print_text("No table matches.")
        return
    rows = [
        [str(hit.rank), f"{hit.score:.3f}", hit.name, hit.table_id, _reason(hit)]
        for hit in answer.hits
    ]
    print_columns(rows, ["#", "score", "name", "table_id", "why"])
    for hit in answer.hits:
        for contribution in contributions.get(hit.table_id, ()):
            terms = " ".join(contribution.terms)
            print_text(
                f"{hit.table_id}: {contribution.score:.4f} from {contribution.field} ({terms})"
            )
    print_text(f"{answer.total} tables match, {answer.took_ms:.0f} ms.")


def _reason(hit: "Hit") -> str:
    parts = []
    for part in hit.why:
        if part.startswith("columns"):
            names = ", ".join(hit.columns.names[:3]) + (", ..." if hit.columns.total > 3 else "")
            if hit.columns.total == 1:
                part = part.replace("columns", "column")
            part = f"{hit.columns.total} {part}: {names}"
        parts.append(part)
    return "; ".join(parts)
