"""The schemas in which database systems keep their own books: no tables of anybody's."""

SYSTEM_SCHEMAS = frozenset(
    ("information_schema", "pg_catalog", "pg_toast", "mysql", "performance_schema", "sys", "system")
)


def is_system_schema(schema: str) -> bool:
    """Return whether a schema is the system's own, in whatever case it is written."""
    return schema.casefold() in SYSTEM_SCHEMAS
