"""The searched fields of the table index: how the mappings have each analysed and scored.

Comes from mappings/tables.json and the sub-fields that comparisons add to scratch generations;
knows nothing of tables or stores.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import mappings
from polaris_search.text.analysis import component_definitions
from polaris_search.text.filters import AnalysisUnsupported

CODE_VERSION = 1
"""Raised when code or tables give other terms for an unchanged definition: old caches end."""

DEFAULT_K1 = 1.2
DEFAULT_B = 0.75


@dataclass(frozen=True, slots=True)
class TextField:
    """One searched field or sub-field.

    `sources` names the document's fields whose texts feed it, in mapping order. `k1` and `b` are
    BM25's, of the field's similarity.
    """

    path: str
    sources: tuple[str, ...]
    analyzer: str
    k1: float
    b: float


@dataclass(frozen=True, slots=True)
class TableSchema:
    """Every text field and sub-field of the table index by its path, such as "names.parts"."""

    fields: Mapping[str, TextField]


@cache
def table_schema() -> TableSchema:
    """Return every field that a scratch generation has; a live one lacks those of comparisons."""
    return schema_from_json(mappings.scratch_tables())


def schema_from_json(document: Mapping[str, Any]) -> TableSchema:
    """Return the schema of an index's settings and mappings.

    Raises:
        AnalysisUnsupported: a field's similarity is not BM25.
    """
    properties = document["mappings"]["properties"]
    similarities = document["settings"].get("similarity", {})
    fields = {
        path: TextField(path, sources, mapping["analyzer"], *_bm25(mapping, similarities))
        for path, mapping, sources in _text_mappings(properties)
    }
    return TableSchema(MappingProxyType(fields))


def definition_hash(path: str) -> str:
    """Return a hash that changes when the field's terms or scores may; it names index caches.

    Raises:
        KeyError: no text field has this path.
    """
    field = table_schema().fields[path]
    analysis = mappings.tables()["settings"]["analysis"]
    components = component_definitions(analysis, field.analyzer)
    parts = [components, field.sources, field.k1, field.b, CODE_VERSION]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def analyzer_hash(name: str) -> str:
    """Return a hash that changes when the analyzer's terms may; it names caches of texts."""
    components = component_definitions(mappings.tables()["settings"]["analysis"], name)
    text = json.dumps([components, CODE_VERSION], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _text_mappings(
    properties: Mapping[str, Any],
) -> Iterator[tuple[str, Mapping[str, Any], tuple[str, ...]]]:
    """Yield path, mapping and sources of each text field, then of its text sub-fields."""
    for name, mapping in properties.items():
        sources = _sources(name, properties)
        sub_fields = mapping.get("fields", {})
        named = {name: mapping, **{f"{name}.{sub}": sub_fields[sub] for sub in sub_fields}}
        for path, each in named.items():
            if each["type"] == "text":
                yield path, each, sources


def _sources(name: str, properties: Mapping[str, Any]) -> tuple[str, ...]:
    copied = tuple(other for other, mapping in properties.items() if name in _copied_to(mapping))
    return copied or (name,)


def _copied_to(mapping: Mapping[str, Any]) -> list[str]:
    targets: list[str] | str = mapping.get("copy_to", [])
    return [targets] if isinstance(targets, str) else targets


def _bm25(mapping: Mapping[str, Any], similarities: Mapping[str, Any]) -> tuple[float, float]:
    name = mapping.get("similarity", "BM25")
    definition = similarities.get(name, {"type": name})
    if definition["type"] != "BM25":
        raise AnalysisUnsupported(f"The similarity type {definition['type']!r}")
    return definition.get("k1", DEFAULT_K1), definition.get("b", DEFAULT_B)
