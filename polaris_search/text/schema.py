"""The searched fields of the table index: how mappings/tables.json has each analysed and scored.

Comes from the mapping alone; knows nothing of tables or stores.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

import mappings
from polaris_search.text.analysis import component_definitions
from polaris_search.text.filters import AnalysisUnsupported, Definition

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
    """Return the schema of mappings/tables.json."""
    properties = mappings.tables()["mappings"]["properties"]
    fields = {
        field.path: field
        for name, mapping in properties.items()
        if mapping["type"] == "text"
        for field in _text_fields(name, mapping, _sources(name, properties))
    }
    return TableSchema(MappingProxyType(fields))


def definition_hash(path: str) -> str:
    """Return a hash that changes when the field's terms or scores may; it names index caches."""
    field = table_schema().fields[path]
    analysis = mappings.tables()["settings"]["analysis"]
    parts = [
        component_definitions(analysis, field.analyzer),
        field.sources,
        field.k1,
        field.b,
        CODE_VERSION,
    ]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _sources(name: str, properties: Mapping[str, Definition]) -> tuple[str, ...]:
    copied = tuple(other for other, mapping in properties.items() if name in _copied_to(mapping))
    return copied or (name,)


def _copied_to(mapping: Definition) -> list[object]:
    targets = mapping.get("copy_to", [])
    return targets if isinstance(targets, list) else [targets]


def _text_fields(name: str, mapping: Definition, sources: tuple[str, ...]) -> Iterator[TextField]:
    yield _text_field(name, mapping, sources)
    sub_fields = mapping.get("fields", {})
    if isinstance(sub_fields, dict):
        for sub_name, sub_mapping in sub_fields.items():
            if sub_mapping["type"] == "text":
                yield _text_field(f"{name}.{sub_name}", sub_mapping, sources)


def _text_field(path: str, mapping: Definition, sources: tuple[str, ...]) -> TextField:
    k1, b = _bm25(mapping.get("similarity"))
    return TextField(path, sources, str(mapping["analyzer"]), k1, b)


def _bm25(similarity: object) -> tuple[float, float]:
    if similarity is None or similarity == "BM25":
        return DEFAULT_K1, DEFAULT_B
    definition = mappings.tables()["settings"]["similarity"][similarity]
    if definition["type"] != "BM25":
        raise AnalysisUnsupported(f"The similarity type {definition['type']!r}")
    return definition.get("k1", DEFAULT_K1), definition.get("b", DEFAULT_B)
