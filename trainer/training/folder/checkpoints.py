"""Checkpoints of a run: marked when they are whole and on disk, so that no half one is resumed.

The trainer writes a checkpoint file by file. When it is done, a list of its files with their sizes
and hashes is added, after all of them were brought to the disk. A checkpoint without that list, or
that differs from it, was interrupted or damaged: it is removed, and the one before it counts.
"""

import hashlib
import json
import os
import shutil
from pathlib import Path

MARK = "whole.json"
PREFIX = "checkpoint-"
KEPT = 2
"""The last one is being written while the one before it is what there is."""


def mark_whole(folder: Path) -> None:
    """Mark the checkpoint as whole: everything in it is on disk first.

    Raises:
        OSError: it could not be written.
    """
    files = {path.name: _seen(path, sync=True) for path in _files(folder)}
    unfinished = folder / f".{MARK}"
    with unfinished.open("w", encoding="utf-8") as file:
        json.dump(files, file)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(folder / MARK)


def is_whole(folder: Path) -> bool:
    """Return whether the checkpoint was marked and is still as it was then."""
    try:
        marked = json.loads((folder / MARK).read_bytes())
        return bool(marked) and marked == {path.name: _seen(path) for path in _files(folder)}
    except (OSError, ValueError):
        return False


def last_whole(checkpoints: Path) -> Path | None:
    """Return the newest whole checkpoint, after removing what is newer and not whole."""
    for folder in sorted(checkpoints.glob(f"{PREFIX}*"), key=step_of, reverse=True):
        if is_whole(folder):
            return folder
        shutil.rmtree(folder)
    return None


def step_of(checkpoint: Path) -> int:
    """Return the optimizer step after which a checkpoint was written."""
    number = checkpoint.name.removeprefix(PREFIX)
    return int(number) if number.isdecimal() else -1


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.is_file() and MARK not in path.name)


def _seen(path: Path, *, sync: bool = False) -> list[int | str]:
    with path.open("rb") as file:
        if sync:
            os.fsync(file.fileno())
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return [path.stat().st_size, digest]
