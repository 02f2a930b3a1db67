"""The rows of one file of an `information_schema` export, CSV, TSV or JSON, by normal names.

Rows that cannot be read go out as reports, with their line where the file has lines.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ingest.readers.delimited import DELIMITERS, Broken, Record, first_record, read_records
from ingest.readers.information_schema.columns import DumpKind, dump_kind, normal
from ingest.readers.json_documents.member import JsonBroken, Member
from ingest.readers.json_documents.places import members_of
from ingest.readers.json_documents.shape import LIST, json_shape, row_list
from ingest.readers.json_documents.values import object_of
from ingest.readers.values import context_text
from ingest.rejected import Rejected, excerpt_of
from polaris_search.errors import TableInvalid


@dataclass(frozen=True, slots=True)
class DumpRow:
    """A row by normal names, and the line that it starts at."""

    fields: Mapping[str, str]
    line: int


def kind_of_dump(path: Path) -> DumpKind | None:
    """Return which of the dumps a file is, None if neither."""
    shape = json_shape(path)
    if shape is not None:
        place = row_list(shape)
        return None if place is None else dump_kind(shape.at(*place))
    header = delimited_header(path)[1]
    return dump_kind(header.fields) if isinstance(header, Record) else None


def rows_of_dump(path: Path) -> Iterator[DumpRow | Rejected]:
    """Yield the rows of a dump in order."""
    shape = json_shape(path)
    if shape is None:
        yield from _delimited_rows(path)
        return
    place = row_list(shape)
    try:
        for member in members_of(path, (LIST,) if place is None else place):
            yield _json_row(str(path), member)
    except JsonBroken as error:
        yield Rejected(str(path), error.line, error.problem, error.remedy)


def delimited_header(path: Path) -> tuple[str, Record | Broken | None]:
    """Return the delimiter that cuts the first record most often, and that record."""
    headers = {delimiter: first_record(path, delimiter) for delimiter in DELIMITERS}
    best = max(DELIMITERS, key=lambda delimiter: _n_fields(headers[delimiter]))
    return best, headers[best]


def _n_fields(header: Record | Broken | None) -> int:
    return len(header.fields) if isinstance(header, Record) else 0


def _delimited_rows(path: Path) -> Iterator[DumpRow | Rejected]:
    source = str(path)
    delimiter, header = delimited_header(path)
    if not isinstance(header, Record):
        return
    names = [normal(name) for name in header.fields]
    with closing(read_records(path, delimiter)) as records:
        next(records)
        for record in records:
            if isinstance(record, Broken):
                problem = (record.problem, record.remedy)
                yield Rejected(source, record.line, *problem, excerpt=record.excerpt)
            elif len(record.fields) != len(names):
                problem_of_row = (
                    f"The row has {len(record.fields)} fields, the header has {len(names)}"
                )
                remedy = "Quote fields that hold a delimiter or a line break."
                excerpt = excerpt_of(record.text)
                yield Rejected(source, record.line, problem_of_row, remedy, excerpt=excerpt)
            else:
                yield DumpRow(dict(zip(names, record.fields, strict=True)), record.line)


def _json_row(source: str, member: Member) -> DumpRow | Rejected:
    try:
        row = object_of(member.value("The row"), "The row")
        fields = {normal(key): context_text(part, key) for key, part in row.items()}
        for text in fields.values():
            text.encode()
    except TableInvalid as error:
        return Rejected(source, member.line, error.problem, error.remedy, excerpt=member.excerpt)
    except UnicodeEncodeError:
        remedy = "Repair the text's encoding to UTF-8."
        problem = "The row holds half a surrogate pair"
        return Rejected(source, member.line, problem, remedy, excerpt=member.excerpt)
    return DumpRow(fields, member.line)
