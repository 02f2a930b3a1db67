"""`polaris-admin show`: everything stored of one table."""

from typing import TYPE_CHECKING, Annotated

import typer

from polaris_search.cli.output import JsonOption, print_columns, print_json, print_text

if TYPE_CHECKING:
    from polaris_search.records import EnrichedTable


def show(
    table_id: Annotated[str, typer.Argument(help="The table's id, as `search` prints it.")],
    as_json: JsonOption = False,
) -> None:
    """Show a table: names and expansions, context, description, and what made them.

    Example: polaris-admin show hr/ActEmployees
    """
    from polaris_search.errors import TableNotFound
    from polaris_search.records import table_to_dict
    from polaris_search.settings import read_settings
    from polaris_search.store.opening import open_store

    store = open_store(read_settings())
    try:
        table = store.get([table_id]).get(table_id)
    finally:
        store.close()
    if table is None:
        raise TableNotFound(table_id)
    if as_json:
        print_json(table_to_dict(table))
    else:
        _print(table)


def _print(table: "EnrichedTable") -> None:
    raw, expansion = table.raw, table.expansion
    print_text(
        raw.name + (f"  ({expansion.name})" if expansion and expansion.name != raw.name else "")
    )
    print_text(f"table_id: {raw.table_id}")
    expanded = expansion.columns if expansion else ("",) * len(raw.columns)
    rows = [
        [column.name, words, column.type or ""]
        for column, words in zip(raw.columns, expanded, strict=True)
    ]
    if rows:
        print_columns(rows, ["column", "expansion", "type"])
    for key in sorted(raw.context):
        print_text(f"{key}: {raw.context[key]}")
    provenance = table.provenance
    if table.description:
        for text in table.description.values():
            print_text(text)
        adapter = f" with the adapter {provenance.adapter}" if provenance.adapter else ""
        print_text(f"Described by {provenance.model}{adapter} at {provenance.enriched_at}.")
    elif provenance.status == "failed":
        print_text(f"Not described: {provenance.reason}")
