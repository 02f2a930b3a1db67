"""`polaris-admin delete`: take tables out of the live index."""

from typing import Annotated

import typer

from polaris_search.cli.output import JsonOption, print_json, print_text


def delete(
    table_ids: Annotated[
        list[str], typer.Argument(metavar="TABLE_ID...", help="Ids as `search` prints them.")
    ],
    as_json: JsonOption = False,
) -> None:
    """Delete tables; exit 1 if one of them was not there.

    Example: polaris-admin delete hr/ActEmployees
    """
    from polaris_search.settings import read_settings
    from polaris_search.store.opening import open_store

    store = open_store(read_settings())
    try:
        there = store.states(table_ids)
        deleted = store.delete([table_id for table_id in table_ids if table_id in there])
        store.refresh()
    finally:
        store.close()
    missing = [table_id for table_id in table_ids if table_id not in there]
    if as_json:
        print_json({"deleted": deleted, "missing": missing})
    else:
        print_text(f"Deleted {deleted} of {len(table_ids)} tables.")
        for table_id in missing:
            print_text(
                f"Not there: {table_id}. `polaris-admin search` lists ids as they are stored."
            )
    if missing:
        raise typer.Exit(1)
