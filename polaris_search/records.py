"""The values that flow between the steps, frozen.

A table comes in as a RawTable, gains an Expansion and a Description on its way, and is stored as an
EnrichedTable; a search answers with Hits. Nothing here reads, writes or knows a store.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import Any, Literal

from polaris_search.errors import TableInvalid

MAX_TABLE_ID_CHARS = 2048

DESCRIPTION_FIELDS = (
    "dataset_overview",
    "key_themes_or_topics",
    "applications_and_use_cases",
    "concepts_and_synonyms",
    "keywords_and_themes",
    "additional_context",
)

FACETS = ("source", "database", "schema", "format", "language")

_HALF_SURROGATE = re.compile("[\ud800-\udfff]")

DescriptionStatus = Literal["none", "described", "failed"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name as given, and type and comment where the source has them."""

    name: str
    type: str | None = None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class RawTable:
    """A table's metadata as its source gives it; never rows.

    `context` maps a kind of context (caption, page title, comment) to its text. `access` lists the
    groups that may see the table; empty means everyone.

    Raises:
        TableInvalid: an empty or overlong id, or a NUL character anywhere.
    """

    table_id: str
    name: str
    columns: tuple[Column, ...] = ()
    context: Mapping[str, str] = field(default_factory=dict)
    source: str | None = None
    database: str | None = None
    schema: str | None = None
    format: str | None = None
    language: str | None = None
    access: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "context", MappingProxyType(dict(self.context)))
        if not self.table_id.strip():
            raise TableInvalid(
                "The table_id is empty", "Give every table an id that is unique in its source."
            )
        if len(self.table_id) > MAX_TABLE_ID_CHARS:
            raise TableInvalid(
                f"The table_id has {len(self.table_id)} characters, more than {MAX_TABLE_ID_CHARS}",
                "Shorten it, or use a hash of it.",
            )
        for where, text in self.texts():
            _refuse_unstorable(where, text)

    def texts(self) -> list[tuple[str, str]]:
        """Return every text of the table with the place it stands in, for checks and messages."""
        placed = [("table_id", self.table_id), ("table_name", self.name)]
        for number, column in enumerate(self.columns, start=1):
            placed += [
                (f"column {number}", text)
                for text in (column.name, column.type, column.comment)
                if text
            ]
        placed += [
            (f"context {key!r}", part)
            for key, value in self.context.items()
            for part in (key, value)
        ]
        placed += [(facet, value) for facet in FACETS if (value := getattr(self, facet))]
        return placed + [("access", group) for group in self.access]


def _refuse_unstorable(where: str, text: str) -> None:
    if "\0" in text:
        raise TableInvalid(
            f"The {where} holds a NUL character", "Remove it; no store keeps NUL in text."
        )
    if _HALF_SURROGATE.search(text):
        raise TableInvalid(
            f"The {where} holds half a surrogate pair", "Repair the text's encoding to UTF-8."
        )


@dataclass(frozen=True, slots=True)
class Expansion:
    """The English of a table's names: `columns` runs parallel to RawTable.columns."""

    name: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Description:
    """A table's description in the paper's six fields (appendix A.2), in schema order."""

    dataset_overview: str
    key_themes_or_topics: str
    applications_and_use_cases: str
    concepts_and_synonyms: str
    keywords_and_themes: str
    additional_context: str

    def values(self) -> tuple[str, ...]:
        """Return the six texts in schema order."""
        return tuple(getattr(self, name) for name in DESCRIPTION_FIELDS)


@dataclass(frozen=True, slots=True)
class Provenance:
    """What made a table's expansion and description, so that each can be traced and made again.

    `input_hash` identifies everything the enrichment read (table, expander, prompt, model
    settings): equal hash, equal work. `reason` says why a description failed.
    """

    input_hash: str
    expander: str | None = None
    model: str | None = None
    adapter: str | None = None
    prompt_version: str | None = None
    enriched_at: str | None = None
    status: DescriptionStatus = "none"
    reason: str | None = None


_PROVENANCE_FIELDS = tuple(each.name for each in fields(Provenance))


@dataclass(frozen=True, slots=True)
class EnrichedTable:
    """A raw table with what enrichment has added so far; searchable at every stage."""

    raw: RawTable
    provenance: Provenance
    expansion: Expansion | None = None
    description: Description | None = None

    @property
    def table_id(self) -> str:
        """The raw table's id."""
        return self.raw.table_id


@dataclass(frozen=True, slots=True)
class TableState:
    """What a resumed ingest must know of a stored table without reading all of it."""

    input_hash: str
    status: DescriptionStatus


@dataclass(frozen=True, slots=True)
class ColumnMatch:
    """How many of a table's columns a query met, and the names of the first of them."""

    total: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Hit:
    """One found table.

    `score` is a float32 in its shortest decimal form; `why` names the parts that matched.
    """

    rank: int
    table_id: str
    score: float
    name: str
    why: tuple[str, ...] = ()
    columns: ColumnMatch = ColumnMatch(0, ())


def description_of(value: object) -> Description | None:
    """Return what an object of exactly the six texts says; None: it is no such object."""
    if not isinstance(value, dict) or set(value) != set(DESCRIPTION_FIELDS):
        return None
    texts = [value[name] for name in DESCRIPTION_FIELDS]
    return Description(*texts) if all(isinstance(text, str) for text in texts) else None


def description_of_text(text: str) -> Description:
    """Return the description whose searched text is this text alone: it is all in the first."""
    return Description(text, *[""] * (len(DESCRIPTION_FIELDS) - 1))


def is_storable(text: str) -> bool:
    """Return whether every store keeps the text: no NUL, no half of a surrogate pair."""
    return "\0" not in text and not _HALF_SURROGATE.search(text)


def table_to_json(table: EnrichedTable) -> str:
    """Return the table as one line of JSON with sorted keys: equal tables give equal bytes."""
    return json.dumps(
        table_to_dict(table), ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )


def table_from_json(line: str) -> EnrichedTable:
    """Return the table that `table_to_json` wrote."""
    return table_from_dict(json.loads(line))


def table_to_dict(table: EnrichedTable) -> dict[str, Any]:
    """Return the table as plain JSON values."""
    return {
        "raw": raw_to_dict(table.raw),
        "provenance": {name: getattr(table.provenance, name) for name in _PROVENANCE_FIELDS},
        "expansion": _expansion_to_dict(table.expansion) if table.expansion else None,
        "description": _description_to_dict(table.description) if table.description else None,
    }


def raw_to_dict(table: RawTable) -> dict[str, Any]:
    """Return a raw table as plain JSON values."""
    return {
        "table_id": table.table_id,
        "name": table.name,
        "columns": [
            {"name": column.name, "type": column.type, "comment": column.comment}
            for column in table.columns
        ],
        "context": dict(table.context),
        "access": list(table.access),
        **{facet: getattr(table, facet) for facet in FACETS},
    }


def _expansion_to_dict(expansion: Expansion) -> dict[str, Any]:
    return {"name": expansion.name, "columns": list(expansion.columns)}


def _description_to_dict(description: Description) -> dict[str, str]:
    return dict(zip(DESCRIPTION_FIELDS, description.values(), strict=True))


def table_from_dict(record: Mapping[str, Any]) -> EnrichedTable:
    """Return the table that `table_to_dict` took apart."""
    raw = dict(record["raw"])
    raw["columns"] = tuple(Column(**column) for column in raw["columns"])
    raw["access"] = tuple(raw["access"])
    expansion = record["expansion"]
    description = record["description"]
    return EnrichedTable(
        raw=RawTable(**raw),
        provenance=Provenance(**record["provenance"]),
        expansion=Expansion(expansion["name"], tuple(expansion["columns"])) if expansion else None,
        description=Description(**description) if description else None,
    )


def content_hash(*parts: str) -> str:
    """Return the SHA-256 hex digest of the parts; ("ab", "c") and ("a", "bc") differ."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()


def raw_hash(table: RawTable) -> str:
    """Return the content hash of a raw table: what a changed source is told apart by."""
    return content_hash(json.dumps(raw_to_dict(table), ensure_ascii=False, sort_keys=True))
