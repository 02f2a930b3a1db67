"""Who was the adapter in use, since when and why: one file, whose last line is the present.

States follow from it and need no file of their own, so that there is no moment at which two files
disagree: a kill leaves the old file or the new one.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from polaris_search.errors import PolarisError
from polaris_search.llm.promoted import CURRENT_FILE

How = Literal["promoted", "rolled back"]


class RegistryDamaged(PolarisError):
    """The registry's file is not what it was written as."""

    def __init__(self, path: Path, problem: object) -> None:
        super().__init__(
            f"{path} cannot be read ({problem}). Restore it from a backup; without it, every "
            "adapter is a candidate again and none is in use."
        )


@dataclass(frozen=True, slots=True)
class Change:
    """One change of the adapter in use.

    Attributes:
        at: when, in UTC.
        adapter: in use from then on; None for the base model alone.
        was: in use before.
        how: "promoted" or "rolled back".
        why: what the gate said, or the person.
        forced: whether it was promoted without the gate's consent.
        weights: SHA-256 of the adapter's weights; None for the base model alone.
    """

    at: datetime
    adapter: str | None
    was: str | None
    how: How
    why: str
    forced: bool = False
    weights: str | None = None


def read_history(root: Path) -> tuple[Change, ...]:
    """Return all changes, the oldest first; none where nothing was ever promoted.

    Raises:
        RegistryDamaged: the file cannot be read.
    """
    path = root / CURRENT_FILE
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["history"]
        return tuple(_change(entry) for entry in entries)
    except FileNotFoundError:
        return ()
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise RegistryDamaged(path, error) from None


def write_history(root: Path, history: Sequence[Change]) -> None:
    """Make this the history, from one moment to the next and for good."""
    document = {
        "current": current_of(history),
        "history": [asdict(one) | {"at": one.at.isoformat()} for one in history],
    }
    text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    write_whole(root / CURRENT_FILE, text.encode())


def write_whole(path: Path, content: bytes) -> None:
    """Write the file so that it has its old content or all of the new, also after a power cut."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    with unfinished.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)
    _settle(path.parent)


def current_of(history: Sequence[Change]) -> str | None:
    """Return the adapter in use, None for the base model alone."""
    return history[-1].adapter if history else None


def trail_of(history: Sequence[Change]) -> tuple[str | None, ...]:
    """Return what is in use, last, and what each way back leads to, the base model first.

    Going back twice leads two promotions back, not to and fro.
    """
    trail: list[str | None] = [None]
    for change in history:
        if change.how == "rolled back" and change.adapter in trail:
            del trail[trail.index(change.adapter) + 1 :]
        elif change.adapter != trail[-1]:
            trail.append(change.adapter)
    return tuple(trail)


def _change(entry: dict[str, Any]) -> Change:
    return Change(**entry | {"at": datetime.fromisoformat(entry["at"])})


def _settle(folder: Path) -> None:
    """Have the folder's new entry survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
