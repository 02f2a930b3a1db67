"""The fields of an Arrow schema as columns: nested ones by dotted names, each with its comment.

What lies in a list or a map has the name of the list or map: `items.price` for a list of structs.
"""

from collections.abc import Iterable, Mapping

import pyarrow

from ingest.readers.parquet.metadata import field_comment
from polaris_search.records import Column

MAX_DEPTH = 50
_HOLDERS = (
    pyarrow.types.is_list,
    pyarrow.types.is_large_list,
    pyarrow.types.is_fixed_size_list,
    pyarrow.types.is_dictionary,
)


def columns_of_schema(
    fields: Iterable[pyarrow.Field], comments: Mapping[str, str]
) -> tuple[Column, ...]:
    """Return a column for every field without fields of its own, and every other with a comment.

    Args:
        fields: those at the top.
        comments: by dotted name, for fields that carry none themselves.
    """
    columns = []
    waiting = [(field.name, field, 1) for field in reversed(list(fields))]
    while waiting:
        name, field, depth = waiting.pop()
        comment = field_comment(field.metadata or {}) or comments.get(name) or None
        below = _below(field.type) if depth < MAX_DEPTH else []
        if not below or comment:
            columns.append(Column(name, _type(field.type), comment))
        waiting += [(f"{name}.{each.name}", each, depth + 1) for each in reversed(below)]
    return tuple(columns)


def _below(kind: pyarrow.DataType) -> list[pyarrow.Field]:
    """Return the fields of a struct, also of one within lists, maps and dictionaries."""
    for _ in range(MAX_DEPTH):
        if pyarrow.types.is_struct(kind):
            return [kind.field(number) for number in range(kind.num_fields)]
        if pyarrow.types.is_map(kind):
            kind = kind.item_type
        elif any(holds(kind) for holds in _HOLDERS):
            kind = kind.value_type
        else:
            return []
    return []


def _type(kind: pyarrow.DataType) -> str:
    if pyarrow.types.is_nested(kind):
        return str(kind).partition("<")[0]
    return str(kind.value_type if pyarrow.types.is_dictionary(kind) else kind)
