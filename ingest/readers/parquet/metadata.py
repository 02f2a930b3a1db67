"""What writers leave in the key-value metadata of Parquet files: comments, titles, pandas' index.

Bytes come in, texts go out. What is not as its writer should have it is nothing. Pure.
"""

import json
from collections.abc import Iterator, Mapping

_FIELD_COMMENTS = (b"comment", b"description", b"doc", b"label", b"title")
_SPARK = b"org.apache.spark.sql.parquet.row.metadata"
_TELLING = frozenset(
    ("title", "name", "description", "comment", "summary", "abstract", "notes", "keywords", "tags")
)
"""Keys of a table's metadata that are meant for people, with or without a prefix (dc.title)."""


def field_comment(metadata: Mapping[bytes, bytes]) -> str:
    """Return what a field's metadata says of it, "" for nothing."""
    by_key = {key.lower(): value for key, value in metadata.items()}
    texts = (_text(by_key[key]) for key in _FIELD_COMMENTS if key in by_key)
    return next(filter(None, texts), "")


def table_context(metadata: Mapping[bytes, bytes]) -> dict[str, str]:
    """Return what the file's metadata and pandas' attributes say of the table."""
    context = {}
    for key, value in _pairs(metadata):
        kind = key.lower().replace(":", ".").rpartition(".")[2]
        if kind in _TELLING and value:
            context[kind] = value
    return context


def index_without_name(metadata: Mapping[bytes, bytes]) -> frozenset[str]:
    """Return the columns that hold a pandas index without a name: nobody's columns."""
    described = _json(metadata.get(b"pandas"))
    columns = described.get("columns")
    return frozenset(
        str(column["field_name"])
        for column in (columns if isinstance(columns, list) else ())
        if isinstance(column, dict)
        and column.get("name") is None
        and str(column.get("field_name", "")).startswith("__index_level_")
    )


def spark_comments(metadata: Mapping[bytes, bytes]) -> dict[str, str]:
    """Return the comments of fields by dotted name that Spark keeps in its own schema."""
    comments = {}
    waiting = [("", _json(metadata.get(_SPARK)))]
    while waiting:
        prefix, kind = waiting.pop()
        fields = kind.get("fields")
        for field in fields if isinstance(fields, list) else ():
            if not isinstance(field, dict):
                continue
            name = f"{prefix}{field.get('name')}"
            described = field.get("metadata")
            comment = described.get("comment") if isinstance(described, dict) else None
            if isinstance(comment, str) and comment.strip():
                comments[name] = comment.strip()
            waiting += [(f"{name}.", each) for each in _types_below(field.get("type"))]
    return comments


def _types_below(kind: object) -> Iterator[Mapping[str, object]]:
    while isinstance(kind, dict):
        if kind.get("type") == "struct":
            yield kind
            return
        kind = kind.get("elementType") or kind.get("valueType")


def _pairs(metadata: Mapping[bytes, bytes]) -> Iterator[tuple[str, str]]:
    attributes = _json(metadata.get(b"pandas")).get("attributes")
    if isinstance(attributes, dict):
        yield from ((str(key), each) for key, each in attributes.items() if isinstance(each, str))
    yield from ((_text(key), _text(value)) for key, value in metadata.items())


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8").strip()
    except UnicodeDecodeError:
        return ""


def _json(value: bytes | None) -> Mapping[str, object]:
    try:
        found = json.loads(value) if value else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
