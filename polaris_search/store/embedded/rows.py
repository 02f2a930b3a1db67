"""A generation's tables as rows: encoded, written in batches, read by id or in id order."""

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from polaris_search.records import (
    FACETS,
    DescriptionStatus,
    EnrichedTable,
    TableState,
    table_from_json,
    table_to_json,
)
from polaris_search.store.embedded.database import Database, Value
from polaris_search.store.embedded.generations import advance, read_generation
from polaris_search.store.protocol import Refused

TABLES_PER_BATCH = 500
BYTES_PER_BATCH = 8_000_000
IDS_PER_STATEMENT = 500
TABLES_PER_PAGE = 100
IDS_PER_PAGE = 5_000

_FIELDS = (
    "table_id",
    "digest",
    "input_hash",
    "status",
    *FACETS,
    "column_count",
    "access",
    "record",
)
_PUT = f"""INSERT INTO tables (generation, {", ".join(_FIELDS)})
    VALUES ({", ".join("?" * (1 + len(_FIELDS)))})
    ON CONFLICT (generation, table_id) DO UPDATE
    SET {", ".join(f"{name} = excluded.{name}" for name in _FIELDS[1:])}"""

_COPY = f"""INSERT INTO tables (generation, {", ".join(_FIELDS)})
    SELECT ?, {", ".join(_FIELDS)} FROM tables WHERE generation = ? AND table_id IN"""


@dataclass(frozen=True, slots=True)
class EncodedTable:
    """A table ready to be written; `values` in the order of the columns."""

    table_id: str
    digest: bytes
    values: tuple[Value, ...]
    n_bytes: int


def encoded(table: EnrichedTable) -> EncodedTable | Refused:
    """Return the table as a row, or why it cannot be one."""
    record = table_to_json(table)
    try:
        data = record.encode()
    except UnicodeEncodeError:
        return Refused(
            table.table_id,
            "A text of it holds half a surrogate pair. Repair the text's encoding to UTF-8.",
        )
    digest = hashlib.sha256(data).digest()  # the record holds the id
    provenance, raw = table.provenance, table.raw
    values: tuple[Value, ...] = (
        table.table_id,
        digest,
        provenance.input_hash,
        provenance.status,
        *(getattr(raw, facet) for facet in FACETS),
        len(raw.columns),
        json.dumps(raw.access),
        record,
    )
    return EncodedTable(table.table_id, digest, values, len(data))


def batches(tables: Iterable[EncodedTable]) -> Iterator[list[EncodedTable]]:
    """Yield the tables in runs that are small in number and in bytes."""
    batch: list[EncodedTable] = []
    n_bytes = 0
    for table in tables:
        batch.append(table)
        n_bytes += table.n_bytes
        if len(batch) == TABLES_PER_BATCH or n_bytes >= BYTES_PER_BATCH:
            yield batch
            batch, n_bytes = [], 0
    if batch:
        yield batch


def write(connection: sqlite3.Connection, generation: int, batch: Sequence[EncodedTable]) -> None:
    """Store the tables in the open transaction; what is stored in the same form already stays."""
    latest = {table.table_id: table for table in batch}
    known = _digests(connection, generation, list(latest))
    changed = [table for table in latest.values() if known.get(table.table_id) != table.digest]
    if not changed:
        return
    connection.executemany(_PUT, ((generation, *table.values) for table in changed))
    replaced = [known[table.table_id] for table in changed if table.table_id in known]
    change = _sum(table.digest for table in changed) - _sum(replaced)
    advance(connection, generation, change, len(changed) - len(replaced))


def delete(connection: sqlite3.Connection, generation: int, table_ids: Sequence[str]) -> int:
    """Remove the tables in the open transaction; return how many there were."""
    known = _digests(connection, generation, table_ids)
    if known:
        connection.executemany(
            "DELETE FROM tables WHERE generation = ? AND table_id = ?",
            ((generation, table_id) for table_id in known),
        )
        advance(connection, generation, -_sum(known.values()), -len(known))
    return len(known)


def copy(
    connection: sqlite3.Connection, source: int, target: int, table_ids: Sequence[str]
) -> None:
    """Add the tables to `target` as `source` has them, in the open transaction.

    Args:
        connection: the database, in a transaction.
        source: number of the generation to read.
        target: number of the generation to add to; it has none of these tables.
        table_ids: those that `source` does not have are left out.
    """
    for chunk in id_chunks(table_ids):
        marks = ", ".join("?" * len(chunk))
        connection.execute(f"{_COPY} ({marks})", (target, source, *chunk))
    added = _digests(connection, target, table_ids)
    if added:
        advance(connection, target, _sum(added.values()), len(added))


def read_tables(
    database: Database, generation: int, table_ids: Sequence[str]
) -> dict[str, EnrichedTable]:
    """Return the tables there are, by id, in the order asked for."""
    found = _by_id(database, generation, table_ids, "record")
    return {table_id: table_from_json(record) for table_id, (record,) in found.items()}


def read_states(
    database: Database, generation: int, table_ids: Sequence[str]
) -> dict[str, TableState]:
    """Return input hash and description status of the tables there are, by id."""
    found = _by_id(database, generation, table_ids, "input_hash, status")
    return {
        table_id: TableState(input_hash, cast(DescriptionStatus, status))
        for table_id, (input_hash, status) in found.items()
    }


def all_tables(database: Database, generation: int) -> Iterator[EnrichedTable]:
    """Yield every table, ids ascending; between pages, others may write.

    Raises:
        GenerationGone: it was dropped meanwhile, so that tables may be missing.
    """
    for _, record in _pages(database, generation, "table_id, record", TABLES_PER_PAGE):
        yield table_from_json(str(record))


def all_ids(database: Database, generation: int) -> Iterator[str]:
    """Yield every id in ascending order; otherwise as `all_tables`."""
    for (table_id,) in _pages(database, generation, "table_id", IDS_PER_PAGE):
        yield str(table_id)


def id_chunks(table_ids: Sequence[str]) -> Iterator[list[str]]:
    """Yield the ids, each once, in runs that one statement may name."""
    unique = [table_id for table_id in dict.fromkeys(table_ids) if _in_utf8(table_id)]
    for start in range(0, len(unique), IDS_PER_STATEMENT):
        yield unique[start : start + IDS_PER_STATEMENT]


def _in_utf8(text: str) -> bool:
    """Return whether UTF-8 can hold the text; what it cannot hold is never stored."""
    return text.encode("utf-8", "replace").decode() == text


def _digests(
    connection: sqlite3.Connection, generation: int, table_ids: Sequence[str]
) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for chunk in id_chunks(table_ids):
        found.update(connection.execute(_select("digest", chunk), (generation, *chunk)))
    return found


def _by_id(
    database: Database, generation: int, table_ids: Sequence[str], columns: str
) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for chunk in id_chunks(table_ids):
        rows = {
            row[0]: row[1:] for row in database.rows(_select(columns, chunk), (generation, *chunk))
        }
        found.update({table_id: rows[table_id] for table_id in chunk if table_id in rows})
    return found


def _select(columns: str, table_ids: Sequence[str]) -> str:
    marks = ", ".join("?" * len(table_ids))
    return f"SELECT table_id, {columns} FROM tables WHERE generation = ? AND table_id IN ({marks})"


def _pages(
    database: Database, generation: int, columns: str, size: int
) -> Iterator[tuple[Value, ...]]:
    statement = (
        f"SELECT {columns} FROM tables WHERE generation = ? AND table_id > ? "
        "ORDER BY table_id LIMIT ?"
    )
    last = ""
    while page := database.rows(statement, (generation, last, size)):
        yield from page
        last = page[-1][0]
    read_generation(database, generation)  # its rows were whole until now, or this raises


def _sum(digests: Iterable[bytes]) -> int:
    return sum(int.from_bytes(digest, "big") for digest in digests)
