"""The columns of a dbt node: what the project documents, in the order and with the types there are.

Warehouses differ from projects in case (ORDER_ID, order_id); the warehouse's spelling is kept. What
is documented and not in the warehouse comes last: a model may be ahead of its last build. Pure.
"""

from collections.abc import Iterator, Mapping

from ingest.readers.json_documents.values import first_text, list_of, object_of
from polaris_search.records import Column


def columns_of_node(documented: object, in_warehouse: object) -> tuple[Column, ...]:
    """Return the columns of a node, given those of the manifest and those of the catalog.

    Raises:
        TableInvalid: either is not as dbt writes it.
    """
    written = {column.name.casefold(): column for column in _columns(documented, "columns")}
    found = [
        _joined(column, written.pop(column.name.casefold(), None))
        for column in _columns(in_warehouse, "catalog columns")
    ]
    return (*found, *written.values())


def _columns(value: object, where: str) -> Iterator[Column]:
    """Yield the columns of an object by name, or of a list, in the order of their index if any."""
    if isinstance(value, list):
        members = [("", each) for each in list_of(value, where)]
    else:
        members = list(object_of(value, where).items())
    records = [(key, object_of(each, f"{where}.{key}")) for key, each in members]
    for key, record in sorted(records, key=lambda each: _index(each[1])):
        yield Column(
            name=first_text(record, "name") or key,
            type=first_text(record, "data_type", "type") or None,
            comment=first_text(record, "description", "comment") or None,
        )


def _joined(found: Column, written: Column | None) -> Column:
    if written is None:
        return found
    return Column(found.name, found.type or written.type, written.comment or found.comment)


def _index(record: Mapping[str, object]) -> float:
    index = record.get("index")
    return float(index) if isinstance(index, int | float) else float("inf")
