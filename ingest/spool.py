"""A list of table ids that may be longer than memory allows: written once, then read, on disk."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO

from polaris_search.errors import NoTemporaryFile


class IdSpool:
    """Ids in the order they were added.

    Raises:
        NoTemporaryFile: from any method, if there is no room for the file.
    """

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._count = 0

    def add(self, table_id: str) -> None:
        """Append an id."""
        with _told():
            self._file.write(json.dumps(table_id) + "\n")
        self._count += 1

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[str]:
        with _told():
            self._file.seek(0)
        for line in self._file:
            yield json.loads(line)


@contextmanager
def id_spool() -> Iterator[IdSpool]:
    """Open a spool whose file has no name and is gone with the process."""
    with _told():
        file = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 (closed below)
    try:
        yield IdSpool(file)
    finally:
        with suppress(OSError):  # of what could not be written, for which there was an error before
            file.close()


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise NoTemporaryFile(error.strerror or error) from error
