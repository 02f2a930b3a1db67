"""Keeps what was rejected as JSON lines, one file a run, made when the first line is written.

Of a run that takes a share of the tables the file is named by the share, so that those of several
processes in one folder do not meet.

A line holds source, line, table_id, problem, remedy, excerpt and at (UTC). A person corrects the
source and ingests again; nothing reads the file back.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from ingest.partition import Partition
from ingest.rejected import Rejected
from ingest.times import Clock, utc_text


class DeadLetters:
    """The dead letters of one run, under `folder`.

    `path` is None until there are any. Where they cannot be kept, `path` is None too and `notice`
    says why in sentences; an ingest goes on without.
    """

    def __init__(self, folder: Path, now: Clock, share: Partition | None = None) -> None:
        self._folder = folder
        self._ending = f"-{share.label}" if share else ""
        self._now = now
        self.path: Path | None = None
        self.notice: str | None = None

    def add(self, rejected: Sequence[Rejected]) -> None:
        """Append the reports; they are on the disk when this returns, unless there is a notice."""
        if not rejected or self.notice:
            return
        at = utc_text(self._now())
        path = self.path or self._folder / self._file_name(at)
        try:
            _append(path, [_line(one, at) for one in rejected])
        except OSError as error:
            self.path, self.notice = None, _notice(path, error)
        else:
            self.path = path

    def _file_name(self, at: str) -> str:
        return f"ingest-{at.replace(':', '').lower()}{self._ending}.jsonl"


def _append(path: Path, lines: Sequence[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # A name that is no UTF-8 holds half surrogates; written as \udc80 they are valid JSON.
    with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())


def _notice(path: Path, error: OSError) -> str:
    return (
        f"Not all rejected rows could be kept in {path} ({error.strerror or error}). "
        "The first ones are in this report; to keep every one, set POLARIS_HOME to a folder that "
        "can be written, and ingest again."
    )


def _line(rejected: Rejected, at: str) -> str:
    return json.dumps({**asdict(rejected), "at": at}, ensure_ascii=False) + "\n"
