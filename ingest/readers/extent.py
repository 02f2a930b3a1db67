"""About how many tables there are to read, where a short look at the sources tells.

A sample of a catalogue's rows is set against the file's size; a file of data is one table. What
would have to be read or asked first, such as a database or a tree of folders, is not told.
"""

import csv
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from ingest.readers.address import is_address
from ingest.readers.formats import CATALOGUE, format_inside, format_of
from ingest.readers.polaris import catalogue_header
from polaris_search.errors import PolarisError

SAMPLE_BYTES = 4 * 2**20
SAMPLES = 8
"""A JSON lines file is looked at in so many places, for its rows may grow or shrink along it."""


def estimated_tables(paths: Sequence[str], format: str | None = None) -> int | None:
    """Return about how many tables the sources hold, None where that is not cheaply told.

    `format` is that of `read_sources`. Never raises: whoever reads the sources reports on them.
    """
    counts = []
    for path in paths:
        try:
            count = None if is_address(path) else _in_path(Path(path), format)
        except (PolarisError, OSError, csv.Error):
            return None
        if count is None:
            return None
        counts.append(count)
    return round(sum(counts))


def _in_path(path: Path, format: str | None) -> float | None:
    if not path.is_dir():
        return _in_file(path, format)
    with os.scandir(path) as entries:
        shown = [entry for entry in entries if not entry.name.startswith(".")]
        if any(entry.is_dir() for entry in shown):
            return None
    # The files beside a catalogue are none of its tables.
    return _in_file(path / CATALOGUE, format) if (path / CATALOGUE).is_file() else None


def _in_file(path: Path, format: str | None) -> float | None:
    found = format or format_of(path) or format_inside(path)
    if found == "jsonl":
        return _lines(path)
    if found == "polaris":
        return _records(path)
    return 1 if found in ("csv", "tsv") else None


def _lines(path: Path) -> float:
    """Return about how many lines a file has; a small one's are counted."""
    n_bytes = path.stat().st_size
    sampled = lines = 0
    with path.open("rb") as file:
        for start in _starts(n_bytes):
            file.seek(start)
            sample = file.read(_sample_bytes())
            sampled += len(sample)
            lines += sample.count(b"\n")
    return lines * n_bytes / sampled if sampled else 0


def _starts(n_bytes: int) -> Iterator[int]:
    """Yield where the samples begin: in the middle of each eighth, in a small file end to end."""
    apart = max(SAMPLE_BYTES, n_bytes) // SAMPLES
    yield from range((apart - _sample_bytes()) // 2, n_bytes, apart)


def _sample_bytes() -> int:
    return SAMPLE_BYTES // SAMPLES


def _records(path: Path) -> float:
    """Return about how many rows a CSV file has under its header, by those that it begins with.

    A quoted text may hold line breaks, so that only a beginning can be cut into rows.
    """
    n_bytes = path.stat().st_size
    with path.open("rb") as file:
        sample = file.read(SAMPLE_BYTES)
    text = sample.decode("utf-8", "replace")
    delimiter, _ = catalogue_header(path)
    lines = text.splitlines(keepends=True)
    rows = sum(1 for row in csv.reader(lines, delimiter=delimiter) if row)
    whole = rows if len(sample) == n_bytes else rows - 1
    return max(0, whole * n_bytes / len(sample) - 1) if sample else 0
