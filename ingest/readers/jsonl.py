"""Reads JSON lines: one object a table.

Keys: table_id, name, columns (a list of names, or of {name, type, comment}), and where wanted
context, source, database, schema, format, language and access. Other keys are passed over.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from ingest.readers.row import ReadItem, Row, empty_source
from ingest.readers.values import columns_of, context_of, groups_of, known_id, parse_json, text_of
from ingest.rejected import Rejected, excerpt_of
from polaris_search.errors import TableInvalid
from polaris_search.records import FACETS, RawTable

REQUIRED = ("table_id", "name", "columns")
MAX_LINE_BYTES = 64 * 2**20

_BOM = b"\xef\xbb\xbf"


def read_jsonl(path: Path) -> Iterator[ReadItem]:
    """Yield the tables of a file of JSON lines in its order; blank lines are passed over."""
    source = str(path)
    empty = True
    with path.open("rb") as file:
        for number, line in enumerate(_lines(file), start=1):
            content = line.removeprefix(_BOM) if number == 1 else line
            if content.strip():
                empty = False
                yield _item(source, number, content)
    if empty:
        yield empty_source(source)


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield each line; of one longer than MAX_LINE_BYTES its beginning, so much and one byte."""
    while line := file.readline(MAX_LINE_BYTES + 1):
        yield line
        rest = line
        while len(rest) > MAX_LINE_BYTES and not rest.endswith(b"\n"):
            rest = file.readline(MAX_LINE_BYTES + 1)


def _item(source: str, number: int, line: bytes) -> ReadItem:
    excerpt = excerpt_of(line[:2000].decode("utf-8", "surrogateescape"))
    record: Mapping[str, object] = {}
    try:
        record = _object(line)
        return Row(_table(record), source, number)
    except TableInvalid as error:
        table_id = known_id(record.get("table_id"))
        return Rejected(source, number, error.problem, error.remedy, table_id, excerpt)


def _object(line: bytes) -> Mapping[str, object]:
    if len(line) > MAX_LINE_BYTES:
        megabytes = MAX_LINE_BYTES // 2**20
        raise TableInvalid(f"The line is longer than {megabytes} MiB", "Shorten it.")
    try:
        text = line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise TableInvalid(
            f"Byte 0x{line[error.start]:02x} is not UTF-8", "Save the file as UTF-8."
        ) from None
    value = parse_json(text, "The line")
    if not isinstance(value, dict):
        raise TableInvalid("The line is not a JSON object", "Write one object a line.")
    return value


def _table(record: Mapping[str, object]) -> RawTable:
    missing = [key for key in REQUIRED if key not in record]
    if missing:
        raise TableInvalid(
            f"The object has no key {', '.join(missing)}", f"Give it {', '.join(REQUIRED)}."
        )
    return RawTable(
        table_id=text_of(record["table_id"], "table_id"),
        name=text_of(record["name"], "name"),
        columns=columns_of(record["columns"], "columns"),
        context=context_of(record.get("context"), "context"),
        access=groups_of(record.get("access"), "access"),
        **{facet: text_of(record.get(facet), facet) or None for facet in FACETS},
    )
