"""A file of what one side wrote, a JSON line a table, appended as it comes and read tolerantly.

A line says what it was written of, so that a table that has changed since is asked about again. A
killed process leaves half a line at most, which is not read and does no harm.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any

from polaris_search.evaluate.gate.descriptions import Written
from polaris_search.evaluate.written import NotWritten
from polaris_search.records import DESCRIPTION_FIELDS

Key = tuple[str, str]
"""A table's id, and the hash of what its prompt is made from."""


class TextsFile:
    """The file, open for appending while a block lasts."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._number = -1

    def read(self) -> dict[Key, Written]:
        """Return what the file holds; nothing where there is none."""
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return {}
        return dict(_readable(data))

    def append(self, key: Key, written: Written) -> None:
        """Append a line; it is in the file, though a kill came right after.

        Raises:
            NotWritten: the disk is full or closed to us.
        """
        record = {"table_id": key[0], "of": key[1], **asdict(written)}
        # The line end first closes what a killed process may have left of a line.
        line = "\n" + json.dumps(record, ensure_ascii=False) + "\n"
        try:
            os.write(self._number, line.encode())
        except OSError as error:
            raise NotWritten(self._path, error.strerror or str(error)) from None

    def __enter__(self) -> "TextsFile":
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._number = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        except OSError as error:
            raise NotWritten(self._path, error.strerror or str(error)) from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._number)


def _readable(data: bytes) -> Iterator[tuple[Key, Written]]:
    for line in data.split(b"\n"):
        try:
            record = json.loads(line)
            yield (record["table_id"], record["of"]), _written(record)
        except (ValueError, KeyError, TypeError):
            continue  # half a line, or an empty one


def _written(record: dict[str, Any]) -> Written:
    texts = tuple(record["texts"])
    if len(texts) not in (0, len(DESCRIPTION_FIELDS)):
        raise ValueError(texts)
    return Written(
        prompt=record["prompt"],
        valid=record["valid"],
        cut=record["cut"],
        replies=record["replies"],
        texts=texts,
    )
