"""Reads the layout of the paper's release: one CSV row a table.

Columns: table_id, table_name, column_names (JSON list), and where wanted table_context (JSON
object, or plain text that becomes {"context": text}), source, database, schema, format, language
and access (JSON list of groups). Other columns are passed over.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

from ingest.readers.delimited import DELIMITERS, Broken, Record, first_record, read_records
from ingest.readers.row import ReadItem, Row, empty_source
from ingest.readers.values import columns_of, context_of, groups_of, known_id, parse_json
from ingest.rejected import Rejected, excerpt_of
from polaris_search.errors import TableInvalid
from polaris_search.records import FACETS, RawTable

REQUIRED = ("table_id", "table_name", "column_names")


def read_polaris(path: Path) -> Iterator[ReadItem]:
    """Yield the tables of a metadata.csv in its order."""
    source = str(path)
    delimiter, header = catalogue_header(path)
    if not isinstance(header, Record):
        yield empty_source(source) if header is None else _rejected(source, header)
        return
    names = header_names(header)
    problem = _header_problem(names)
    if problem:
        yield Rejected(source, header.line, *problem, excerpt=excerpt_of(header.text))
        return
    with closing(read_records(path, delimiter)) as records:
        next(records)
        for record in records:
            yield _item(source, names, record)


def catalogue_header(path: Path) -> tuple[str, Record | Broken | None]:
    """Return the delimiter that finds most of the REQUIRED columns, and the header it cuts."""
    headers = {delimiter: first_record(path, delimiter) for delimiter in DELIMITERS}
    best = max(DELIMITERS, key=lambda delimiter: _fit(headers[delimiter]))
    return best, headers[best]


def _fit(header: Record | Broken | None) -> tuple[int, int]:
    if not isinstance(header, Record):
        return 0, 0
    return len(set(REQUIRED).intersection(header_names(header))), len(header.fields)


def header_names(header: Record) -> list[str]:
    """Return the column names of a header, without blanks around them."""
    return [name.strip() for name in header.fields]


def _header_problem(names: list[str]) -> tuple[str, str] | None:
    missing = [name for name in REQUIRED if name not in names]
    if missing:
        return (
            f"The header has no column {', '.join(missing)}",
            f"Name the columns {', '.join(REQUIRED)} and, if there is one, table_context.",
        )
    known = (*REQUIRED, "table_context", "access", *FACETS)
    twice = [name for name in known if names.count(name) > 1]
    if twice:
        return f"The header has the column {', '.join(twice)} twice", "Keep one of each."
    return None


def _item(source: str, names: list[str], record: Record | Broken) -> ReadItem:
    if isinstance(record, Broken):
        return _rejected(source, record)
    excerpt = excerpt_of(record.text)
    if len(record.fields) != len(names):
        problem = f"The row has {len(record.fields)} fields, the header has {len(names)}"
        remedy = "Quote fields that hold a delimiter or a line break."
        return Rejected(source, record.line, problem, remedy, excerpt=excerpt)
    fields = dict(zip(names, record.fields, strict=True))
    try:
        return Row(_table(fields), source, record.line)
    except TableInvalid as error:
        table_id = known_id(fields["table_id"])
        return Rejected(source, record.line, error.problem, error.remedy, table_id, excerpt)


def _rejected(source: str, broken: Broken) -> Rejected:
    return Rejected(source, broken.line, broken.problem, broken.remedy, excerpt=broken.excerpt)


def _table(fields: Mapping[str, str]) -> RawTable:
    return RawTable(
        table_id=fields["table_id"],
        name=fields["table_name"],
        columns=columns_of(_json(fields, "column_names"), "column_names"),
        context=_context(fields.get("table_context", "")),
        access=groups_of(_json(fields, "access"), "access"),
        **{facet: fields.get(facet) or None for facet in FACETS},
    )


def _json(fields: Mapping[str, str], name: str) -> object:
    text = fields.get(name, "")
    return parse_json(text, name) if text.strip() else None


def _context(text: str) -> dict[str, str]:
    if text.lstrip().startswith("{"):
        return context_of(parse_json(text, "table_context"), "table_context")
    try:
        value = parse_json(text, "table_context")
    except TableInvalid:
        value = text.strip()  # plain text, such as a caption
    return context_of(value, "table_context")
