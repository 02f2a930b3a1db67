"""Lines of an export back into the live generation, each record byte for byte.

A bad line stops nothing. What is stored just so already is not written again, so that an import can
be killed and run again without replacing documents.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

from ingest.rejected import Rejected, excerpt_of
from ingest.report import MAX_SHOWN
from polaris_search.errors import TableInvalid
from polaris_search.lifecycle.record_line import table_of_line
from polaris_search.records import EnrichedTable
from polaris_search.store.protocol import TableStore

LINES_PER_BATCH = 200
MAX_EXCERPT_BYTES = 2_000
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did.

    Attributes:
        imported: tables written.
        unchanged: tables that were stored just so already.
        rejected: lines that are no record, and tables that the store refused.
        first_rejected: the first MAX_SHOWN of these.
    """

    imported: int = 0
    unchanged: int = 0
    rejected: int = 0
    first_rejected: tuple[Rejected, ...] = ()


def import_records(store: TableStore, files: Iterable[tuple[str, BinaryIO]]) -> ImportReport:
    """Store the record of each line, the last one where an id comes again; return what was done.

    Args:
        store: takes the records; they can be searched when this returns.
        files: each with its name, for messages.
    """
    report = ImportReport()
    items = (item for name, file in files for item in _items(name, file))
    while batch := list(islice(items, LINES_PER_BATCH)):
        report = _sum(report, _store(batch, store))
    store.refresh()
    return report


def _items(name: str, file: BinaryIO) -> Iterator[EnrichedTable | Rejected]:
    for number, line in enumerate(file, start=1):
        content = line.removeprefix(_BOM) if number == 1 else line
        if not content.strip():
            continue
        try:
            yield table_of_line(content)
        except TableInvalid as error:
            excerpt = excerpt_of(content[:MAX_EXCERPT_BYTES].decode("utf-8", "surrogateescape"))
            yield Rejected(name, number, error.problem, error.remedy, excerpt=excerpt)


def _store(batch: list[EnrichedTable | Rejected], store: TableStore) -> ImportReport:
    tables = {item.table_id: item for item in batch if isinstance(item, EnrichedTable)}
    there = store.get(list(tables))
    new = [table for key, table in tables.items() if there.get(key) != table]
    refused = store.put(new).refused if new else ()
    rejected = tuple(item for item in batch if isinstance(item, Rejected)) + tuple(
        Rejected("store", None, one.reason.rstrip("."), "", one.table_id) for one in refused
    )
    return ImportReport(
        len(new) - len(refused), len(tables) - len(new), len(rejected), rejected[:MAX_SHOWN]
    )


def _sum(one: ImportReport, other: ImportReport) -> ImportReport:
    return ImportReport(
        one.imported + other.imported,
        one.unchanged + other.unchanged,
        one.rejected + other.rejected,
        (one.first_rejected + other.first_rejected)[:MAX_SHOWN],
    )
