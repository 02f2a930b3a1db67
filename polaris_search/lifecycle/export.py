"""Every record of the live generation as JSON lines, ids ascending: a backup that any store reads.

One table a line, as `records.table_to_json` writes it, so that equal stores give equal bytes.
"""

from collections.abc import Callable

from polaris_search.errors import StoreProblem
from polaris_search.records import table_to_json
from polaris_search.store.protocol import TableStore

ATTEMPTS = 3

Write = Callable[[bytes], object]


class ExportBroken(StoreProblem):
    """The generation was removed while it was read."""

    def __init__(self, generation: str | None, tables: int) -> None:
        super().__init__(
            f"The generation {generation} was removed while it was exported, after {tables} "
            "tables; what was written is not whole. Run the export again."
        )


def export_tables(store: TableStore, write: Write) -> int:
    """Write one line for each table of the live generation, as of one moment; return how many.

    Raises:
        ExportBroken: another process replaced the generation meanwhile and removed it.
    """
    generation = store.status().generation
    tables = 0
    try:
        for table in store.tables():
            write(table_to_json(table).encode() + b"\n")
            tables += 1
    except StoreProblem:
        if generation == store.status().generation:
            raise
        raise ExportBroken(generation, tables) from None
    return tables


def export_anew(store: TableStore, begin: Callable[[], Write]) -> int:
    """Export, and begin anew where the generation was removed meanwhile; return how many tables.

    Args:
        store: its live generation is exported.
        begin: empties the output, and returns what writes to it.
    """
    for _ in range(ATTEMPTS - 1):
        try:
            return export_tables(store, begin())
        except ExportBroken:
            continue
    return export_tables(store, begin())
