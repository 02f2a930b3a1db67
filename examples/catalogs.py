"""The system catalogs of PostgreSQL, read from the C headers that define them.

A header names its catalog in its first comment, declares one field per column, and comments most of
them.
"""

import re

_TITLE = re.compile(r"\*\s+definition of (?:the )?(.*?)\s*\((pg_\w+)\)", re.DOTALL)
_BODY = re.compile(r"^CATALOG\((\w+),.*?\n\{\n(.*?)^\}", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"^\s+\w+\s+(\w+)(?:\[1\])?(?:\s+BKI_[^;]*)?;[ \t]*(/\*.*?\*/)?", re.DOTALL)
_COMMENT = re.compile(r"^\s+/\*((?:(?!\*/).)*)\*/[ \t]*\n(?=[ \t]+\w)", re.DOTALL)
_NO_DEFINITION = re.compile(r"variable-length fields start here|^see ", re.IGNORECASE)


def catalog_name(header: str) -> str | None:
    """Return the catalog that a header defines, or None where it defines none."""
    body = _BODY.search(header)
    return body[1] if body else None


def catalog_title(header: str) -> str:
    """Return what the catalog is of, as `attribute defaults` or `default ACLs of new objects`."""
    match = _TITLE.search(header)
    if match is None:
        return ""
    words = _unstarred(match[1]).replace('"', "")
    return re.sub(r"^system catalog (?:for|containing)(?: the)? | system catalog$", "", words)


def catalog_columns(header: str) -> dict[str, str]:
    """Return the columns of the catalog, in order, each with its comment or an empty text.

    A column's comment stands behind it on the same line, or alone on the lines directly above it.
    """
    body = _BODY.search(header)
    if body is None:
        return {}
    columns: dict[str, str] = {}
    text, above = body[2], ""
    while text:
        if field := _FIELD.match(text):
            comment_text = _unstarred((field[2] or above).strip("/*"))
            columns[field[1]] = "" if _NO_DEFINITION.search(comment_text) else comment_text
            text, above = text[field.end() :], ""
        elif comment := _COMMENT.match(text):
            text, above = text[comment.end() :], comment[1]
        else:
            text, above = text.partition("\n")[2], ""
    return columns


def _unstarred(comment: str) -> str:
    return " ".join(re.sub(r"\n\s*\*", " ", comment).split())
