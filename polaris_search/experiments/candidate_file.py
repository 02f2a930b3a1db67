"""The file that candidates are sampled into: gone on with where a run ended, one run at a time.

A line is appended as soon as a table is done; what a killed run left of a line is cut off.
"""

import fcntl
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from polaris_search.errors import PolarisError
from polaris_search.evaluate.written import NotWritten
from trainer.candidates import Candidate, read_candidates

CHUNK_BYTES = 2**16


class AnotherSamples(PolarisError):
    """Another process samples into the same file."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            f"Another process samples into {path}. Wait until it is done, or choose another --out."
        )


class CandidateFile:
    """A file that this process alone appends to; see `candidate_file`."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._path = path
        self._file = file

    def read(self) -> dict[str, tuple[Candidate, ...]]:
        """Return what the file holds.

        Raises:
            CandidatesInvalid: it is none of candidates.
        """
        return read_candidates(self._path)

    def append(self, table_id: str, candidates: Sequence[dict[str, Any]]) -> None:
        """Add a table's line.

        Raises:
            NotWritten: there is no room, or the file is closed to us.
        """
        record = {"table_id": table_id, "candidates": list(candidates)}
        line = json.dumps(record, ensure_ascii=False) + "\n"
        try:
            self._file.write(line.encode())
            self._file.flush()
        except OSError as error:
            raise NotWritten(self._path, error.strerror or str(error)) from None


@contextmanager
def candidate_file(path: Path) -> Iterator[CandidateFile]:
    """Open the file, made where there is none, for this process alone within the block.

    Raises:
        AnotherSamples: another process does so now.
        NotWritten: it cannot be opened for writing.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab+")
    except OSError as error:
        raise NotWritten(path, error.strerror or str(error)) from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AnotherSamples(path) from None
        file.truncate(_end_of_last_line(file))
        yield CandidateFile(path, file)


def _end_of_last_line(file: BinaryIO) -> int:
    """Return how long the file is without what a killed run left of a line."""
    end = file.seek(0, 2)
    while end:
        start = max(0, end - CHUNK_BYTES)
        file.seek(start)
        found = file.read(end - start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0
