"""A list of table ids that may be longer than memory allows: written once, then read, on disk."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO


class IdSpool:
    """Ids in the order they were added."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._count = 0

    def add(self, table_id: str) -> None:
        """Append an id."""
        self._file.write(json.dumps(table_id) + "\n")
        self._count += 1

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        self._file.seek(0)
        for line in self._file:
            yield json.loads(line)


@contextmanager
def id_spool() -> Iterator[IdSpool]:
    """Open a spool whose file has no name and is gone with the process."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
        yield IdSpool(file)
