"""A list of tables that may be longer than memory allows: written once, then read, on disk."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from polaris_search.records import EnrichedTable, table_from_json, table_to_json


class TableSpool:
    """Tables in the order they were added."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._count = 0

    def add(self, table: EnrichedTable) -> None:
        """Append a table."""
        self._file.write(table_to_json(table) + "\n")
        self._count += 1

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[EnrichedTable]:
        self._file.seek(0)
        for line in self._file:
            yield table_from_json(line)


@contextmanager
def table_spool() -> Iterator[TableSpool]:
    """Open a spool whose file has no name and is gone with the process."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n") as file:
        yield TableSpool(file)
