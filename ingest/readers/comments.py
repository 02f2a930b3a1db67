"""How what a source says of single columns becomes one text of a table's context. Pure."""

from collections.abc import Mapping, Sequence

from polaris_search.records import Column


def column_comments(columns: Sequence[Column]) -> str:
    """Return "column: comment" of all columns that have one, joined by "; "."""
    return "; ".join(f"{column.name}: {column.comment}" for column in columns if column.comment)


def filled(context: Mapping[str, str]) -> dict[str, str]:
    """Return a context without the kinds that have no text."""
    return {kind: text for kind, text in context.items() if text.strip()}
