"""Keeps what was rejected as JSON lines, one file a run, made when the first line is written.

A line holds source, line, table_id, problem, remedy, excerpt and at (UTC). A person corrects the
source and ingests again; nothing reads the file back.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from ingest.rejected import Rejected
from ingest.times import Clock, utc_text


class DeadLetters:
    """The dead letters of one run, under `folder`; `path` is None until there are any."""

    def __init__(self, folder: Path, now: Clock) -> None:
        self._folder = folder
        self._now = now
        self.path: Path | None = None

    def add(self, rejected: Sequence[Rejected]) -> None:
        """Append the reports; they are on the disk when this returns."""
        if not rejected:
            return
        at = utc_text(self._now())
        if self.path is None:
            self._folder.mkdir(parents=True, exist_ok=True)
            self.path = self._folder / f"ingest-{at.replace(':', '').lower()}.jsonl"
        # A name that is no UTF-8 holds half surrogates; written as \udc80 they are valid JSON.
        with self.path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.writelines(_line(one, at) for one in rejected)
            file.flush()
            os.fsync(file.fileno())


def _line(rejected: Rejected, at: str) -> str:
    return json.dumps({**asdict(rejected), "at": at}, ensure_ascii=False) + "\n"
