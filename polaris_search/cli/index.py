"""`polaris-admin index`: the generations there are, the way back, and what to throw away."""

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from polaris_search.cli.output import JsonOption, print_columns, print_json, print_text, tell

if TYPE_CHECKING:
    from polaris_search.store.generations import GenerationInfo

app = typer.Typer(
    help="See the generations of the index, go back to one, remove old ones.\n\n"
    "Example: polaris-admin index list",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


@app.command("list")
def list_generations(as_json: JsonOption = False) -> None:
    """List the generations: the live one, those kept, and what interrupted runs left.

    Example: polaris-admin index list
    """
    from polaris_search.settings import read_settings
    from polaris_search.store.opening import open_store

    store = open_store(read_settings())
    try:
        listed = store.generations.listed()
    finally:
        store.close()
    if as_json:
        print_json({"generations": [_json(one) for one in listed]})
    else:
        _print(listed)


@app.command()
def rollback(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Default: the one that was live last.")
    ] = None,
    gone: Annotated[
        Literal["keep", "remove"] | None,
        typer.Option(help="Tables that only the kept one has: back, or out of it. Asked if any."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make a kept generation the live one again; what was written since is brought over.

    Example: polaris-admin index rollback
    """
    from polaris_search.cli.progress import ReindexBar
    from polaris_search.cli.reindex_report import print_rollback, report_json, tell_not_live
    from polaris_search.lifecycle.rollback import rollback as roll_back
    from polaris_search.settings import read_settings
    from polaris_search.store.opening import open_store

    store = open_store(read_settings())
    try:
        with ReindexBar() as bar:
            report = roll_back(store, name, gone=gone, notify=tell, progress=bar)
    finally:
        store.close()
    tell_not_live(report)
    if as_json:
        print_json(report_json(report))
    else:
        print_rollback(report)
    if not report.clean:
        raise typer.Exit(1)


@app.command()
def prune(
    keep: Annotated[
        int, typer.Option(min=0, help="How many of those that were live last are kept.")
    ] = 1,
    as_json: JsonOption = False,
) -> None:
    """Remove old generations and what interrupted runs left; never the live one.

    Example: polaris-admin index prune --keep 1
    """
    from polaris_search.settings import read_settings
    from polaris_search.store.opening import open_store

    store = open_store(read_settings())
    try:
        removed = store.generations.prune(keep, tell)
    finally:
        store.close()
    if as_json:
        print_json({"removed": list(removed)})
        return
    for name in removed:
        print_text(f"Removed {name}.")
    if not removed:
        print_text("There was nothing to remove.")


def _json(one: "GenerationInfo") -> dict[str, object]:
    return {**asdict(one), "made_at": _iso(one.made_at), "live_at": _iso(one.live_at)}


def _iso(moment: datetime | None) -> str | None:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None


def _print(listed: "list[GenerationInfo]") -> None:
    if not listed:
        print_text("There is no generation yet. `polaris-admin ingest` makes the first.")
        return
    rows = [
        [
            one.name,
            one.state,
            str(one.tables),
            _iso(one.live_at) or "",
            "" if one.current else "another mapping",
        ]
        for one in listed
    ]
    print_columns(rows, ["generation", "state", "tables", "live last", ""])
    if any(one.state == "live" and not one.current for one in listed):
        print_text("The live one has another mapping than this program; `polaris-admin reindex`.")
    if any(one.state == "staged" for one in listed):
        print_text(
            "staged: being built, or left by an interrupted run. Running that command again goes "
            "on with it; `polaris-admin index prune` removes it."
        )
