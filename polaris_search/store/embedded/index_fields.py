"""The fields that have an index file: the searched text fields, and the facets that filters ask.

A facet is a field whose terms are its whole values, so that one kind of file serves both. Each
field names the definition that its file is built from; another definition, another file.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from polaris_search.errors import UsageError
from polaris_search.records import FACETS
from polaris_search.text.schema import definition_hash, table_schema

FACET_COLUMNS = (*FACETS, "access", "column_count", "table_id")
FACETS_VERSION = "1"
"""Raised whenever facet_terms gives other terms."""


@dataclass(frozen=True, slots=True)
class IndexField:
    """A field as its file is named and built.

    `facet` is the column that a facet's terms come from, None for a text field. `sources` and
    `analyzer` are the text field's.
    """

    path: str
    definition: str
    k1: float
    b: float
    facet: str | None = None
    sources: tuple[str, ...] = ()
    analyzer: str = ""


@cache
def text_index_field(path: str) -> IndexField:
    """Return the index field of a searched field of mappings/tables.json."""
    field = table_schema().fields[path]
    return IndexField(
        path,
        definition_hash(path),
        field.k1,
        field.b,
        sources=field.sources,
        analyzer=field.analyzer,
    )


def facet_index_field(name: str) -> IndexField:
    """Return the index field of a facet.

    Raises:
        UsageError: no facet has this name.
    """
    if name not in FACET_COLUMNS:
        known = ", ".join(FACET_COLUMNS)
        raise UsageError(f"No filter {name!r}. Choose one of: {known}.")
    return IndexField(f"facet-{name}", f"facet-{FACETS_VERSION}", k1=1.2, b=0.75, facet=name)


def facet_terms(facet: str, value: str | int | None) -> list[str]:
    """Return a table's terms for a facet, given what its column holds."""
    if value is None:
        return []
    if facet == "access":
        groups: list[str] = json.loads(str(value))
        return groups
    return [str(value)]


def accepted_terms(facet: str, values: Sequence[str]) -> list[str]:
    """Return the terms that a filter's values stand for.

    Raises:
        UsageError: a column count that is not a whole number.
    """
    if facet != "column_count":
        return list(values)
    try:
        return [str(int(value)) for value in values]
    except ValueError:
        raise UsageError(
            f"The filter column_count is {', '.join(values)}; a whole number was expected."
        ) from None
