"""Who was the adapter in use, since when and why: one file, whose last line is the present.

States follow from it and need no file of their own, so that there is no moment at which two files
disagree: a kill leaves the old file or the new one. It is read by `polaris_search.llm.promotions`.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from polaris_search.llm.promotions import (
    CURRENT_FILE,
    Change,
    RegistryDamaged,
    current_of,
    read_history,
)
from trainer.adapters.whole_file import write_whole

__all__ = [
    "Change",
    "RegistryDamaged",
    "current_of",
    "read_history",
    "trail_of",
    "write_history",
]


def write_history(root: Path, history: Sequence[Change]) -> None:
    """Make this the history, from one moment to the next and for good."""
    document = {
        "current": current_of(history),
        "history": [asdict(one) | {"at": one.at.isoformat()} for one in history],
    }
    text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    write_whole(root / CURRENT_FILE, text.encode())


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
