"""Who was the adapter in use, since when and why, as the registry's one file says.

The trainer writes the file; whoever opens a model reads it too. Both read it here, so that a file
that does not hold together is refused by all of them, in the same words.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from polaris_search.errors import PolarisError

CURRENT_FILE = "current.json"

How = Literal["promoted", "rolled back"]

_NAME = (str, type(None))
_KINDS: Mapping[str, tuple[type, ...]] = {
    "at": (str,),
    "adapter": _NAME,
    "was": _NAME,
    "how": (str,),
    "why": (str,),
    "forced": (bool,),
    "weights": _NAME,
}


class RegistryDamaged(PolarisError):
    """The registry's file is not what it was written as; `problem` is a clause."""

    def __init__(self, path: Path, problem: str) -> None:
        super().__init__(
            f"{path} should say which adapter is in use, and cannot be trusted: {problem}. Restore "
            "it from a backup, or move it away: then every adapter is a candidate again and none "
            "is in use. Until then, POLARIS_ADAPTER=none describes without one."
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

    Args:
        root: the registry's folder.

    Raises:
        RegistryDamaged: the file cannot be read, or its parts do not agree.
    """
    path = root / CURRENT_FILE
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        raise RegistryDamaged(path, f"it cannot be read ({error.strerror})") from None
    except (ValueError, RecursionError):
        raise RegistryDamaged(path, "it is no JSON, or cut off") from None
    try:
        return _history(document)
    except ValueError as problem:
        raise RegistryDamaged(path, str(problem)) from None


def current_of(history: Sequence[Change]) -> str | None:
    """Return the adapter in use, None for the base model alone."""
    return history[-1].adapter if history else None


def _history(document: Any) -> tuple[Change, ...]:
    if not isinstance(document, dict) or not isinstance(document.get("history"), list):
        raise ValueError("it has no list of changes, `history`")
    if "current" not in document:
        raise ValueError("it does not say what is in use, `current`")
    history = tuple(_change(at, entry) for at, entry in enumerate(document["history"], 1))
    if document["current"] != current_of(history):
        raise ValueError(
            f"`current` is {_shown(document['current'])}, and after the changes in `history` it "
            f"would be {_shown(current_of(history))}"
        )
    return history


def _change(number: int, entry: Any) -> Change:
    known = {one.name for one in fields(Change)}
    needed = {one.name for one in fields(Change) if one.default is MISSING}
    if not isinstance(entry, dict) or not needed <= entry.keys() <= known:
        raise ValueError(f"change {number} in `history` has not the fields of one")
    for name, value in entry.items():
        if not isinstance(value, _KINDS[name]):
            raise ValueError(f"`{name}` of change {number} in `history` is {_shown(value)}")
    if entry["how"] not in ("promoted", "rolled back"):
        raise ValueError(f"`how` of change {number} in `history` is {_shown(entry['how'])}")
    return Change(**entry | {"at": _time(number, entry["at"])})


def _time(number: int, text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None:
        raise ValueError(f"`at` of change {number} in `history` is {_shown(text)}")
    return at


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)[:80]
