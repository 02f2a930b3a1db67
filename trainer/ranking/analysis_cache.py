"""Analysed texts on disk, found by the hash of the texts, so that no text is analysed twice.

A folder for each analyzer, named by all that decides its terms; in it files, each a block of texts
that one run analysed. A file appears whole, by its name, and is never changed: a process that is
killed leaves none that is half written, and any number of processes may use the folder. What was
not used for longest is removed where all files together are more than a bound.
"""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from polaris_search.text.schema import analyzer_hash
from trainer.ranking.analysed import Analysed
from trainer.ranking.block_file import DAMAGED, FORMAT, SUFFIX, read_block, read_keys, written

T = TypeVar("T")

MOST_BYTES = 512 * 2**20
"""About 900 bytes a text of 250 words: more than half a million descriptions."""
MOST_FILES = 1_000
ABANDONED_S = 24 * 3600.0
"""Nobody writes one file for a day: what is unfinished for longer belongs to a killed process."""

Place = tuple[int, int]
"""Which block a text is in, by its number, and its row there."""


class KnownTexts:
    """What is known of texts under one analyzer; see `AnalysisCache.known`.

    Of the files only the texts' hashes are read at once, and a block when a text of it is found.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._places: dict[bytes, Place] = {}
        self._paths: list[Path | None] = []
        self._blocks: dict[int, Analysed] = {}
        for path in sorted(folder.glob(f"*{SUFFIX}")) if folder else ():
            self._know(_loaded(path, read_keys) or [], path)

    def find(self, key: bytes) -> Place | None:
        """Return where a text is, None where it is not known."""
        place = self._places.get(key)
        if place is None or place[0] in self._blocks:
            return place
        path = self._paths[place[0]]
        block = _loaded(path, read_block) if path else None
        if block is None:
            del self._places[key]
            return None
        self._blocks[place[0]] = block
        return place

    def block(self, number: int) -> Analysed:
        """Return the block that texts were found in, or that was kept."""
        return self._blocks[number]

    def keep(self, keys: Sequence[bytes], block: Analysed) -> int:
        """Know a block's texts from now on, write it, and return its number.

        Where it cannot be written it is known to this process alone.
        """
        path = written(self._folder, keys, block) if self._folder else None
        number = self._know(keys, path)
        self._blocks[number] = block
        return number

    def note_use(self) -> None:
        """Have the files that texts were found in count as used now."""
        for path in (self._paths[number] for number in self._blocks):
            if path:
                with suppress(OSError):
                    os.utime(path)

    def _know(self, keys: Sequence[bytes], path: Path | None) -> int:
        number = len(self._paths)
        self._paths.append(path)
        for row, key in enumerate(keys):
            self._places.setdefault(key, (number, row))
        return number


class AnalysisCache:
    """What is known of texts, under every analyzer.

    Args:
        folder: holds the files, made where there is none; None: nothing is read or written.
        most_bytes: of all files; more is removed by `close`.
    """

    def __init__(self, folder: Path | None = None, most_bytes: int = MOST_BYTES) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._known: dict[str, KnownTexts] = {}

    def known(self, analyzer: str) -> KnownTexts:
        """Return what is known under an analyzer; its files are read at the first call."""
        if analyzer not in self._known:
            name = f"{analyzer_hash(analyzer)}-{FORMAT}"
            folder = self._folder / name if self._folder else None
            self._known[analyzer] = KnownTexts(folder)
        return self._known[analyzer]

    def close(self) -> None:
        """Note what was used, and remove what was not for longest, above the bound."""
        for known in self._known.values():
            known.note_use()
        if self._folder:
            _prune(self._folder, self._most_bytes)


def _loaded(path: Path, read: Callable[[Path], T]) -> T | None:
    """Return what a file holds; None where it is gone, or damaged, which ends it."""
    try:
        return read(path)
    except DAMAGED:
        with suppress(OSError):
            path.unlink()
    except OSError:
        pass  # removed by another process, or closed to us
    return None


def _prune(folder: Path, most_bytes: int) -> None:
    """Remove abandoned files, and the longest unused above the bounds."""
    files = []
    for path in folder.glob("*/*"):
        with suppress(OSError):  # another process removes files, too
            stat = path.stat()
            files.append((stat.st_mtime, stat.st_size, path))
    kept_bytes = 0
    for n_files, (used_at, size, path) in enumerate(sorted(files, reverse=True), start=1):
        finished = path.suffix == SUFFIX
        kept_bytes += size
        too_many = kept_bytes > most_bytes or n_files > MOST_FILES
        abandoned = not finished and time.time() - used_at > ABANDONED_S
        if abandoned or (finished and too_many):
            with suppress(OSError):
                path.unlink()
