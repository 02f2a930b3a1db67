"""Walks a folder: the files of each of its sub-folders, in the order of their names.

Hidden files and folders and this product's own stores are left out. Linked folders come after all
others and each real folder comes once, so that a circle of links has an end; a link to a folder
that the walk stands in, or to one above it, is passed over.
"""

import os
import stat
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from polaris_search.store.embedded.database import FILE_NAME as STORE_FILE

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder and the names of the files in it, sorted."""

    path: Path
    files: tuple[str, ...]


def walk(root: Path) -> Iterator[Folder | OSError]:
    """Yield the folder and all below it; an error in place of one that cannot be listed."""
    waiting = deque([root])
    met = {str(parent) for parent in Path(os.path.realpath(root)).parents}
    problems: deque[OSError] = deque()
    while waiting:
        for path, subfolders, files in os.walk(waiting.popleft(), onerror=problems.append):
            real = os.path.realpath(path)
            if real in met or STORE_FILE in files:
                subfolders.clear()
                continue
            met.add(real)
            subfolders[:] = _visible(subfolders)
            below = (Path(path, name) for name in subfolders)
            waiting.extend(folder for folder in below if folder.is_symlink())
            yield Folder(Path(path), tuple(_visible(files)))
        while problems:
            yield problems.popleft()


def other_than_file(path: Path) -> str | None:
    """Return what a path leads to, such as "a pipe", None for a file or a link to one.

    Reading anything else might never end.

    Raises:
        OSError: it leads to nothing, or nowhere that may be looked at.
    """
    mode = path.stat().st_mode
    return None if stat.S_ISREG(mode) else _KINDS.get(stat.S_IFMT(mode), "something else")


def _visible(names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if not name.startswith("."))
