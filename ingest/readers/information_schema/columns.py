"""What the columns of an `information_schema` export mean, in whatever system it was written.

PostgreSQL, MySQL, SQL Server, Snowflake, BigQuery, Redshift, Databricks, Oracle and drivers of
JDBC name the same things in their own ways and case. Pure.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

DumpKind = Literal["columns", "tables"]

# In the order of preference, where a dump has several of them.
CATALOG = ("table_catalog", "table_database", "database_name", "catalog_name", "table_cat")
SCHEMA = ("table_schema", "schema_name", "table_schem", "table_owner", "owner")
TABLE = ("table_name",)
COLUMN = ("field_path", "column_name")
TYPE = ("column_type", "full_data_type", "data_type", "type_name", "udt_name")
POSITION = ("ordinal_position", "column_id", "ordinal")
COMMENT = (
    "column_comment", "comment", "comments", "remarks", "description", "column_description",
    "col_description", "ms_description",
)  # fmt: skip
TABLE_COMMENT = (
    "table_comment", "table_description", "table_remarks", "obj_description"
)  # fmt: skip
TABLE_DETAILS = ("table_type", "option_name")

_POSITION = re.compile(r"[0-9]{1,9}")
_NO_VALUE = frozenset(("", "\\n", "null", "<null>", "(null)"))
_WRITTEN_ELSEWHERE = frozenset(("array", "user-defined"))  # PostgreSQL: udt_name has the type


@dataclass(frozen=True, slots=True)
class ColumnRow:
    """One row of a dump: a column of a table; "" for what it does not say."""

    catalog: str
    schema: str
    table: str
    column: str
    type: str
    position: int | None
    comment: str
    table_comment: str


def dump_kind(names: Iterable[str]) -> DumpKind | None:
    """Return what a header, in any case, is the header of; None if of neither kind of dump."""
    known = {normal(name) for name in names}
    if not known.intersection(TABLE):
        return None
    placed = known.intersection((*CATALOG, *SCHEMA))
    if known.intersection(COLUMN):
        details = known.intersection((*POSITION, *TYPE, *COMMENT))
        return "columns" if placed or details else None
    described = known.intersection((*TABLE_COMMENT, *COMMENT, *TABLE_DETAILS))
    return "tables" if placed and described else None


def normal(name: str) -> str:
    """Return the name of a column of a dump as it is compared."""
    return name.strip().strip("\"'`[]").casefold()


def column_row(fields: Mapping[str, str]) -> ColumnRow:
    """Return a row of a columns dump, given by normal names."""
    position = _value(fields, POSITION)
    catalog = _value(fields, CATALOG)
    return ColumnRow(
        catalog="" if catalog == "def" else catalog,  # MySQL's only one, which means nothing
        schema=_value(fields, SCHEMA),
        table=_name(fields, TABLE),
        column=_name(fields, COLUMN),
        type=_type(fields),
        position=int(position) if _POSITION.fullmatch(position) else None,
        comment=_value(fields, COMMENT),
        table_comment=_value(fields, TABLE_COMMENT),
    )


def table_row(fields: Mapping[str, str]) -> ColumnRow:
    """Return a row of a tables dump, given by normal names; its comment is the table's."""
    row = column_row(fields)
    comment = row.table_comment or row.comment
    if "option_name" in fields:  # BigQuery's TABLE_OPTIONS: one row an option
        is_description = fields["option_name"].strip().casefold() == "description"
        comment = _unquoted(fields.get("option_value", "")) if is_description else ""
    return ColumnRow(row.catalog, row.schema, row.table, "", "", None, "", comment)


def _name(fields: Mapping[str, str], keys: tuple[str, ...]) -> str:
    """Return a name; every text is one, NULL too."""
    for key in keys:
        name = fields.get(key)
        if name and not name.isspace():
            return name
    return ""


def _value(fields: Mapping[str, str], keys: tuple[str, ...]) -> str:
    for key in keys:
        value = fields.get(key)
        if value and (text := value.strip()).casefold() not in _NO_VALUE:
            return text
    return ""


def _type(fields: Mapping[str, str]) -> str:
    found = _value(fields, TYPE)
    if found.casefold() in _WRITTEN_ELSEWHERE:
        return _value(fields, ("udt_name",)) or found
    return found


def _unquoted(literal: str) -> str:
    """Return the text of a SQL literal in double quotes, as BigQuery writes options."""
    text = literal.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1].replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\")
    return text
