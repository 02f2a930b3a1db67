"""The formats there are, and which of them a file is of, by its content before its name.

Only the beginning of a file is read.
"""

import re
from pathlib import Path
from typing import Literal

from ingest.readers.delimited import Record, is_utf16
from ingest.readers.information_schema.columns import dump_kind
from ingest.readers.information_schema.rows import delimited_header
from ingest.readers.json_documents.shape import json_format, json_shape
from ingest.readers.parquet.sets import is_parquet_name
from ingest.readers.polaris import REQUIRED, catalogue_header, header_names
from polaris_search.errors import SourceUnreadable

FileFormat = Literal[
    "polaris", "csv", "tsv", "jsonl", "parquet", "dbt", "ckan", "eml", "information_schema"
]
Format = FileFormat | Literal["sql"]
FORMATS: tuple[Format, ...] = (
    "polaris", "csv", "tsv", "jsonl", "parquet", "dbt", "ckan", "eml", "information_schema", "sql",
)  # fmt: skip
CATALOGUE = "metadata.csv"
SQLITE_MAGIC = b"SQLite format 3\0"
DUCKDB_MAGIC, DUCKDB_MAGIC_AT = b"DUCK", 8

BY_EXTENSION: dict[str, FileFormat] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
}
FOUND_IN_FOLDERS = (*BY_EXTENSION, "Parquet", "JSON or XML of a known format", "DuckDB", "SQLite")

_HEAD_BYTES = 64 * 1024
_PARQUET_MAGICS = (b"PAR1", b"PARE")
_BOM = b"\xef\xbb\xbf"
_XML_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_XML_ROOT = re.compile(rb"<(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)")


def format_of(path: Path) -> Format | None:
    """Return the format of a file as it is found in a folder, None for one that is no source.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    told = _told_by_head(path, head)
    if told is not None:
        return told
    by_name = BY_EXTENSION.get(path.suffix.lower())
    if by_name in ("csv", "tsv"):
        return _delimited(path, head) or by_name
    return by_name


def format_inside(path: Path) -> Format | None:
    """Return the format of a file that a person names, whose name says nothing.

    Raises:
        OSError: it cannot be read.
        SourceUnreadable: it is another of dbt's files, or in UTF-16.
    """
    if is_utf16(path):
        raise SourceUnreadable(str(path), "The file is in UTF-16", "Save it as UTF-8.")
    shape = json_shape(path)
    if shape is None:
        with path.open("rb") as file:
            return _delimited(path, file.read(_HEAD_BYTES))
    if shape.artifact:
        problem = f"It is dbt's {shape.artifact}, not its manifest"
        raise SourceUnreadable(str(path), problem, "Name the manifest.json beside it.")
    return "jsonl" if shape.at() else None


def _told_by_head(path: Path, head: bytes) -> Format | None:
    is_duckdb = head[DUCKDB_MAGIC_AT:].startswith(DUCKDB_MAGIC)
    if head.startswith(SQLITE_MAGIC) or is_duckdb:
        return "sql"
    if head.startswith(_PARQUET_MAGICS) or is_parquet_name(path):
        return "parquet"
    text = head.lstrip(_BOM + b" \t\r\n")
    if text.startswith((b"{", b"[")):
        shape = json_shape(path)
        return json_format(shape) if shape else None
    return "eml" if text.startswith(b"<") and _xml_root(text) == b"eml" else None


def _xml_root(text: bytes) -> bytes:
    root = _XML_ROOT.search(_XML_COMMENT.sub(b"", text))
    return root[1] if root else b""


def _delimited(path: Path, head: bytes) -> Format | None:
    if path.name == CATALOGUE or _has_catalogue_header(path):
        return "polaris"
    if b"table_name" not in head.lower():  # as in nearly every file of data
        return None
    header = delimited_header(path)[1]
    is_dump = isinstance(header, Record) and dump_kind(header.fields) is not None
    return "information_schema" if is_dump else None


def _has_catalogue_header(path: Path) -> bool:
    """Return whether at least two of the three columns are there, so that the third is missed."""
    _, header = catalogue_header(path)
    return isinstance(header, Record) and len(set(header_names(header)) & set(REQUIRED)) >= 2
