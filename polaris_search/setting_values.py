"""The text of a setting as the value that it stands for, or a ValueError. Pure."""

from collections.abc import Callable, Collection
from pathlib import Path


def optional(text: str) -> str | None:
    """Return the text, None for an empty one."""
    return text or None


def key(text: str) -> str | None:
    """Return a key as a header can carry it; the line end of a file it was read from is dropped."""
    stripped = text.strip()
    if not (stripped.isascii() and stripped.isprintable()):
        raise ValueError("a key holds a character that no header can carry")
    return stripped or None


def path(text: str) -> Path:
    """Return the path, a leading ~ being the home folder."""
    return Path(text).expanduser()


def optional_path(text: str) -> Path | None:
    """Return the path, None for an empty text."""
    return path(text) if text else None


def positive_number(text: str) -> float:
    """Return the number, finite and above 0."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise ValueError(text)
    return value


def adapter(text: str) -> str:
    """Return an adapter's name as it may stand in a path; an empty text is the current one's."""
    name = text.strip() or "current"
    if not all(char.isalnum() or char in "-_." for char in name) or name.startswith("."):
        raise ValueError(text)
    return name


def optional_number(text: str) -> float | None:
    """Return the number, finite and above 0, None for an empty text."""
    return positive_number(text) if text.strip() else None


def positive_integer(text: str) -> int:
    """Return the whole number above 0."""
    value = int(text)
    if value < 1:
        raise ValueError(text)
    return value


def one_of(values: Collection[str]) -> Callable[[str], str]:
    """Return what takes one of the values and no other text."""

    def chosen(text: str) -> str:
        if text not in values:
            raise ValueError(text)
        return text

    return chosen
