"""What is wrong with a description: harm, for which it is refused, and weakness, which is said.

Harm is what must reach no page and no index: links, file names, markup, emptiness, text of the
prompt's own examples. Weakness is poor text that is still about the table. Pure.
"""

import re
import unicodedata
from collections.abc import Iterable
from typing import Literal

from ingest.describe.examples import EXAMPLES
from ingest.describe.prompt import SYSTEM
from polaris_search.records import Description

Fault = Literal[
    "cut_off",
    "too_long",
    "invalid_json",
    "missing_field",
    "empty",
    "link",
    "file_name",
    "markup",
    "echo",
]

ECHO_WORDS = 6
"""So many words of the prompt in a row are an echo; tables that are alike share fewer."""
ALIKE_SHARE = 0.8
ALIKE_FIELDS = 5
DIGITS_SHARE = 0.2
DISTINCT_SHARE = 0.25

_WORD = re.compile(r"\w+")
_LINK = re.compile(
    r"\w+://\S*|(?<![\w/])//\w\S*|\bwww\.\S*|\b(?:javascript|mailto|data)\s*:\S+"
    r"|\b(?:javascript|mailto)\s*:\s*\S+|\S+@\w+\.\w+|\b\d{1,3}(?:\.\d{1,3}){3}\b"
    r"|\b[\w-]+\.(?:com|org|net|edu|gov|info|biz)\b",
    re.I,
)
# A letter, a dot, a lower-case ending: a domain or file, not an abbreviation or a sentence's end.
_DOTTED = re.compile(r"[^\W\d_][\w-]*\.[a-z]{2,6}\b")
_MARKUP = re.compile(r"<\s*[/!a-z?]|&#?\w+;|\]\s*\(|```|\{\{|<\|", re.I)


def harm_in(description: Description) -> tuple[Fault, str] | None:
    """Return why the description must not be kept, None when it may be."""
    for text in description.values():
        # Look-alike characters (full-width dots and brackets) count as what they look like.
        seen = unicodedata.normalize("NFKC", text)
        for fault, pattern in (("markup", _MARKUP), ("link", _LINK), ("file_name", _DOTTED)):
            found = pattern.search(seen)
            if found:
                return _harm(fault, found.group())
    if not _has_letters(description.dataset_overview) or _n_written(description) < ALIKE_FIELDS:
        return "empty", "Fields of the reply hold no words."
    echoed = _echoed(description)
    if echoed:
        return "echo", f"The reply repeats the prompt: {echoed!r}."
    return None


def weaknesses_of(description: Description) -> tuple[str, ...]:
    """Return what is poor about a description that may be kept, as codes."""
    words = _words(" ".join(description.values()))
    weak = {
        "near_equal_fields": _near_equal(description),
        "digits": sum(any(c.isdigit() for c in word) for word in words) > DIGITS_SHARE * len(words),
        "repeats_words": len(set(words)) < DISTINCT_SHARE * len(words),
    }
    return tuple(code for code, found in weak.items() if found)


def _harm(fault: str, found: str) -> tuple[Fault, str]:
    shown = found.strip()[:40]
    if fault == "markup":
        return "markup", f"A field holds markup: {shown!r}."
    if fault == "link":
        return "link", f"A field holds a link: {shown!r}."
    return "file_name", f"A field holds a domain or file name: {shown!r}."


def _has_letters(text: str) -> bool:
    return any(character.isalpha() for character in text)


def _n_written(description: Description) -> int:
    return sum(_has_letters(text) for text in description.values())


def _near_equal(description: Description) -> bool:
    """Return whether at least five of the six fields say the same."""
    sets = [frozenset(_words(text)) for text in description.values()]
    alike = [
        sum(_jaccard(one, other) >= ALIKE_SHARE for other in sets) for one in sets
    ]  # with itself
    return max(alike) >= ALIKE_FIELDS


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    union = one | other
    return len(one & other) / len(union) if union else 1.0


def _echoed(description: Description) -> str | None:
    for text in description.values():
        for run in _runs(_words(text)):
            if run in _PROMPT_RUNS:
                return " ".join(run)
    return None


def _runs(words: list[str]) -> Iterable[tuple[str, ...]]:
    return zip(*(words[n:] for n in range(ECHO_WORDS)), strict=False)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


_PROMPT_RUNS = frozenset(
    run
    for text in (SYSTEM, *(text for example in EXAMPLES for text in example.description.values()))
    for run in _runs(_words(text))
)
