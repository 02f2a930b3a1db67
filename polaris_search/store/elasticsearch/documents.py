"""A table as an Elasticsearch document, and back. Pure.

The document holds the searched texts, the facets, the provenance, and under `record` (stored, never
indexed) the whole table. `_id` is the table_id where the server's limit of 512 bytes allows and it
cannot be taken for a hash, else a hash of it.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from polaris_search.records import (
    FACETS,
    EnrichedTable,
    TableState,
    table_from_dict,
    table_to_dict,
)
from polaris_search.store.document import searched_texts

MAX_ID_BYTES = 512
"""Elasticsearch's own limit; one longer `_id` fails the whole bulk request."""

HASHED = "sha256:"

json_text = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""One line of JSON for a value, in characters of which few are escaped."""

_PROVENANCE = ("status", "input_hash", "model", "adapter", "prompt_version", "enriched_at")


def document_id(table_id: str) -> str:
    """Return a table's `_id`, which no other table has.

    It is the table_id, or `sha256:` and its digest where that has over 512 bytes of UTF-8 or itself
    begins with `sha256:`.
    """
    data = table_id.encode("utf-8", "replace")
    if len(data) <= MAX_ID_BYTES and not table_id.startswith(HASHED):
        return table_id
    return HASHED + hashlib.sha256(data).hexdigest()


def storable_ids(table_ids: Iterable[str]) -> list[str]:
    """Return the ids that a table can have, each once: not empty, and within UTF-8."""
    return [one for one in dict.fromkeys(table_ids) if one and _in_utf8(one)]


def document(table: EnrichedTable) -> dict[str, Any]:
    """Return the document of a table, every field of it in mappings/tables.json."""
    facets = {name: getattr(table.raw, name) for name in FACETS}
    provenance = {name: getattr(table.provenance, name) for name in _PROVENANCE}
    present = {name: value for name, value in (facets | provenance).items() if value is not None}
    return {
        **searched_texts(table),
        **present,
        "table_id": table.table_id,
        "access": list(table.raw.access),
        "column_count": len(table.raw.columns),
        "record": table_to_dict(table),
    }


def document_bytes(table: EnrichedTable) -> bytes:
    """Return the document as one line of JSON in UTF-8.

    Raises:
        ValueError: a text holds half a surrogate pair.
    """
    try:
        return orjson.dumps(document(table))
    except orjson.JSONEncodeError as error:
        raise ValueError("a text is not valid UTF-8") from error


def table_of(source: Mapping[str, Any]) -> EnrichedTable:
    """Return the table that a document holds."""
    return table_from_dict(source["record"])


def state_of(source: Mapping[str, Any]) -> TableState:
    """Return what a resumed ingest must know of a document's table."""
    return TableState(input_hash=source["input_hash"], status=source["status"])


def _in_utf8(text: str) -> bool:
    return text.encode("utf-8", "replace").decode() == text
