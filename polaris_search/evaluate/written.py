"""Text files that are there whole or not at all."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from polaris_search.errors import PolarisError


class NotWritten(PolarisError):
    """A file that could not be written; what stood there before still stands."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} could not be written ({reason}). Choose another path.")


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write the lines as UTF-8, each ended by a newline, in place of the file at `path` if any.

    The lines go to a new file beside it, which takes its name when it is complete and on disk.

    Raises:
        NotWritten: the folder is missing, full or closed to us.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_and_rename(path, lines)
    except OSError as error:
        raise NotWritten(path, error.strerror or str(error)) from None


def _write_and_rename(path: Path, lines: Iterable[str]) -> None:
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", newline="", dir=path.parent, prefix=f".{path.name}.", delete=False
    ) as file:
        unfinished = Path(file.name)
        try:
            file.writelines(line + "\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
            unfinished.chmod(0o644)
            unfinished.replace(path)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
