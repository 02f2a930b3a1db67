"""A file that has its old content or all of the new, whatever ends the process that writes it."""

import os
from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write the file so that it has its old content or all of the new, also after a power cut."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    with unfinished.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
    _settle(path.parent)


def _settle(folder: Path) -> None:
    """Have the folder's new entry survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
