"""The columns of a wide table as groups, each with its count, so that none is left unsaid. Pure.

A numbered series is one entry, `q1 to q40 (40 columns)`; names with a shared beginning are another,
`customer address ... (12 columns, such as city, street, zip)`. The names come apart as far as there
is room: largest groups first, and what has no place at all is counted.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from math import ceil

from ingest.describe.tokens import estimated_tokens

MIN_SERIES = 3
MIN_GROUP = 3
MAX_SAMPLES = 3
SEPARATOR_TOKENS = 1.0
COUNT_TOKENS = 10.0
"""Kept free for the count of what is left out."""
REMEMBERED_NAMES = 1 << 14

_NUMBER = re.compile("[0-9]+")
_WORD = re.compile(r"[0-9]+|[A-Z]+(?![a-z])|[A-Z]?(?:(?![A-Z])[^\W\d_])+")


@dataclass(frozen=True, slots=True)
class Entry:
    """What is shown of one or several columns: `text` for `columns` of them, first at `place`."""

    text: str
    columns: int
    place: int


@dataclass(frozen=True, slots=True)
class Columns:
    """The entries that are shown, in the table's order, and how many columns are in none."""

    entries: tuple[Entry, ...]
    left_out: int = 0

    @property
    def text(self) -> str:
        """The entries on one line, with the count of what is in none of them."""
        shown = ", ".join(entry.text for entry in self.entries)
        more = f"{self.left_out:,} more columns" if self.left_out else ""
        return " and ".join(part for part in (shown, more) if part)

    @property
    def grouped(self) -> int:
        """How many columns are shown only as members of a group."""
        return sum(entry.columns for entry in self.entries if entry.columns > 1)


@dataclass(frozen=True, slots=True)
class _Group:
    """Entries whose names begin with the same `words` words, and how many of them are samples."""

    entries: tuple[Entry, ...]
    words: int
    samples: int

    @property
    def columns(self) -> int:
        return sum(entry.columns for entry in self.entries)

    @property
    def shown(self) -> Entry:
        first = self.entries[0]
        if len(self.entries) == 1:
            return first
        said = f"{self.columns:,} columns"
        if self.samples:
            said += f", such as {', '.join(self._sampled())}"
        return Entry(
            f"{_beginning(first.text, self.words)} ... ({said})", self.columns, first.place
        )

    def parts(self) -> "list[_Group]":
        """Return the groups by the next word; entries that share it with few others stay alone."""
        by_word: dict[str, list[Entry]] = {}
        for entry in self.entries:
            by_word.setdefault(_word(entry.text, self.words), []).append(entry)
        return [
            _group(some, self.samples)
            for word, entries in by_word.items()
            for some in (
                [entries] if word and len(entries) >= MIN_GROUP else zip(entries, strict=True)
            )
        ]

    def _sampled(self) -> list[str]:
        step = len(self.entries) // self.samples or 1
        spaced = self.entries[::step][: self.samples]
        return [_rest(entry.text, self.words) for entry in spaced]


def columns_within(names: Sequence[str], max_tokens: float) -> Columns:
    """Return the columns in at most about `max_tokens` tokens: one by one where that is enough.

    Every column is in exactly one entry or counted as left out.
    """
    single = [Entry(name, 1, place) for place, name in enumerate(names)]
    if _tokens(single) <= max_tokens:
        return Columns(tuple(single))
    entries = _with_series(single)
    if _tokens(entries) <= max_tokens:
        return _in_order(entries, len(names))
    groups = _apart(entries, max_tokens - COUNT_TOKENS)
    return _in_order((group.shown for group in groups), len(names))


def _in_order(entries: Iterable[Entry], total: int) -> Columns:
    shown = sorted(entries, key=lambda entry: entry.place)
    return Columns(tuple(shown), total - sum(entry.columns for entry in shown))


def _with_series(single: Iterable[Entry]) -> list[Entry]:
    """Return one entry for all names that differ in their numbers alone, or in nothing."""
    alike: dict[str, list[Entry]] = {}
    for entry in single:
        alike.setdefault(_NUMBER.sub("0", entry.text.casefold()), []).append(entry)
    return [entry for entries in alike.values() for entry in _series(entries)]


def _series(entries: list[Entry]) -> list[Entry]:
    if len(entries) < MIN_SERIES:
        return entries
    first = min(entries, key=_by_numbers).text
    last = max(entries, key=_by_numbers).text
    names = first if first == last else f"{first} to {last}"
    return [Entry(f"{names} ({len(entries):,} columns)", len(entries), entries[0].place)]


def _by_numbers(entry: Entry) -> list[tuple[int, str]]:
    # Not int: a name may hold more digits than Python makes a number of.
    digits = [number.lstrip("0") for number in _NUMBER.findall(entry.text)]
    return [(len(each), each) for each in digits]


def _group(entries: Iterable[Entry], samples: int) -> _Group:
    entries = tuple(entries)
    first, *others = [_words(entry.text) for entry in entries]
    alike = takewhile(_all_equal, zip(first, *others, strict=False))
    return _Group(entries, sum(1 for _ in alike), samples)


def _apart(entries: Sequence[Entry], max_tokens: float) -> list[_Group]:
    """Return the groups by the next word, the largest taken apart as long as there is room."""
    shown = _first_groups(entries, max_tokens)
    left = max_tokens - _tokens(group.shown for group in shown)
    waiting = sorted(shown, key=_size)
    while waiting:
        group = waiting.pop()
        parts = group.parts()
        more = _tokens(part.shown for part in parts) - _tokens([group.shown])
        if len(parts) > 1 and more <= left:
            left -= more
            shown.remove(group)
            shown += parts
            waiting = sorted([*waiting, *parts], key=_size)
    return shown


def _first_groups(entries: Sequence[Entry], max_tokens: float) -> list[_Group]:
    """Return the groups that fit; the others are one group if all names begin alike."""
    for samples in (MAX_SAMPLES, 1, 0):
        whole = _group(entries, samples)
        parts = whole.parts()
        if _tokens(part.shown for part in parts) <= max_tokens:
            return parts
    if not whole.words:
        return _largest(parts, max_tokens)
    kept = _largest(parts, max_tokens - _tokens([whole.shown]))
    kept_places = {entry.place for group in kept for entry in group.entries}
    others = [entry for entry in entries if entry.place not in kept_places]
    return [*kept, *_fitting([_group(others, 0)] if others else [], max_tokens)]


def _size(group: _Group) -> int:
    return group.columns


def _largest(groups: Sequence[_Group], max_tokens: float) -> list[_Group]:
    """Return as many of the groups as there is room for: the largest, and singles from all over."""
    several = sorted((group for group in groups if group.columns > 1), key=_size, reverse=True)
    kept = _fitting(several, max_tokens)
    left = max_tokens - _tokens(group.shown for group in kept)
    alone = [group for group in groups if group.columns == 1]
    wanted = _tokens(group.shown for group in alone)
    step = max(1, ceil(wanted / max(1.0, left)))
    return kept + _fitting(alone[::step], left)


def _fitting(groups: Iterable[_Group], max_tokens: float) -> list[_Group]:
    kept: list[_Group] = []
    for group in groups:
        max_tokens -= _tokens([group.shown])
        if max_tokens < 0:
            break
        kept.append(group)
    return kept


def _tokens(entries: Iterable[Entry]) -> float:
    return sum(estimated_tokens(entry.text) + SEPARATOR_TOKENS for entry in entries)


def _all_equal(words: tuple[str, ...]) -> bool:
    return len(set(words)) == 1


@lru_cache(REMEMBERED_NAMES)
def _words(text: str) -> tuple[str, ...]:
    return tuple(word.casefold() for word in _WORD.findall(text))


def _word(text: str, number: int) -> str:
    words = _words(text)
    return words[number] if number < len(words) else ""


def _beginning(text: str, words: int) -> str:
    ends = [match.end() for match in _WORD.finditer(text)]
    return text[: ends[words - 1]]


def _rest(text: str, words: int) -> str:
    ends = [match.end() for match in _WORD.finditer(text)]
    return text[ends[words - 1] :].strip(" _-.")
