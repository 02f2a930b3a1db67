"""`--filter FIELD=VALUE`, given once or many times, as the store's filters."""

from polaris_search.errors import UsageError
from polaris_search.records import FACETS

FILTER_FIELDS = (*FACETS, "column_count", "access", "table_id")


def parse_filters(texts: list[str]) -> dict[str, list[str]]:
    """Return the accepted values by field; values of one field are alternatives.

    Raises:
        UsageError: a text without "=", an unknown field, or a column count that is no number.
    """
    filters: dict[str, list[str]] = {}
    for text in texts:
        field, separator, value = text.partition("=")
        if not separator or field not in FILTER_FIELDS:
            raise UsageError(
                f"--filter {text!r} is not FIELD=VALUE with one of the fields "
                f"{', '.join(FILTER_FIELDS)}."
            )
        if field == "column_count" and not value.isdecimal():
            raise UsageError(
                f"--filter {text!r} asks for a column count that is not a whole number."
            )
        filters.setdefault(field, []).append(value)
    return filters
