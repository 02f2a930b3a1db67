"""One stored table as a line of JSON, read back with nothing lost and nothing guessed.

The other direction is `records.table_to_json`. A line that holds more, less or something else than
a record is told apart from one that comes back byte for byte. Pure.
"""

import json
from collections.abc import Iterator
from typing import get_args

from polaris_search.errors import TableInvalid
from polaris_search.records import (
    DescriptionStatus,
    EnrichedTable,
    table_from_dict,
    table_to_dict,
)

REMEDY = "Give the line as `polaris-admin export` wrote it."


def table_of_line(line: bytes) -> EnrichedTable:
    """Return the table that a line of an export holds.

    Raises:
        TableInvalid: it is no such line, or holds what no store keeps.
    """
    try:
        record = json.loads(line.decode())
    except (ValueError, RecursionError) as error:  # ValueError: also a number of 5,000 digits
        raise TableInvalid(f"It is not JSON in UTF-8 ({error})", REMEDY) from None
    if not all(leaf is None or isinstance(leaf, str) for leaf in _leaves(record)):
        raise TableInvalid("A value is neither a text nor null", REMEDY)
    try:
        table = table_from_dict(record)
    except (AttributeError, KeyError, TypeError, ValueError):
        raise TableInvalid("It is not the record of a table", REMEDY) from None
    if table_to_dict(table) != record:
        raise TableInvalid("It has keys that a record has not, or lacks some", REMEDY)
    _check(table)
    return table


def _check(table: EnrichedTable) -> None:
    expansion, description = table.expansion, table.description
    needed: list[object] = [table.provenance.input_hash]
    needed += [column.name for column in table.raw.columns]
    needed += [expansion.name, *expansion.columns] if expansion else []
    needed += description.values() if description else ()
    if None in needed:
        raise TableInvalid("A text that every record has is null", REMEDY)
    if expansion and len(expansion.columns) != len(table.raw.columns):
        raise TableInvalid("Its expansion has not as many columns as the table", REMEDY)
    if table.provenance.status not in get_args(DescriptionStatus):
        raise TableInvalid(f"It has an unknown status, {table.provenance.status!r}", REMEDY)
    if not all(_is_storable(leaf) for leaf in _leaves(table_to_dict(table)) if leaf is not None):
        raise TableInvalid("A text holds NUL or half a surrogate pair", "Repair the text.")


def _leaves(value: object) -> Iterator[object]:
    """Yield every value that is no object and no list."""
    if isinstance(value, dict):
        for one in value.values():
            yield from _leaves(one)
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one)
    else:
        yield value


def _is_storable(leaf: object) -> bool:
    text = str(leaf)
    return "\0" not in text and text.encode("utf-8", "replace").decode() == text
