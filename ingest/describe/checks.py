"""What is wrong with a description, each fault under a code: harm first, then poor text. Pure.

Harm is what must reach no page and no index: links, file names, markup, emptiness, text of the
prompt itself. Poor text says the same again and again, or numbers; it is asked for once more.
"""

import re
import unicodedata
from collections import Counter
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
    "near_equal_fields",
    "repeats_words",
    "digits",
]

POOR: frozenset[Fault] = frozenset({"near_equal_fields", "repeats_words", "digits"})

ECHO_WORDS = 6
"""So many words of the prompt in a row are an echo; tables that are alike share fewer."""
ECHO_FIELDS = 2
"""So many whole fields of the examples are an echo; one may suit a table that is like theirs."""
ALIKE_SHARE = 0.8
ALIKE_FIELDS = 5
DIGITS_SHARE = 0.2
DISTINCT_SHARE = 0.25

_WORD = re.compile(r"\w+")
_LINK = re.compile(
    r"\w+://\S*|(?<![\w/])//\w\S*|\bwww\.\S*|\b(?:javascript|vbscript|mailto|data|file)\s*:\S+"
    r"|\b(?:javascript|vbscript|mailto)\s*:\s*\S+|\S+@\w+\.\w+|\b\d{1,3}(?:\.\d{1,3}){3}\b"
    r"|\b[\w-]+\.(?:com|org|net|edu|gov|info|biz|io|ai|co|app|dev|xyz|site|online)\b",
    re.I,
)
# A letter, a dot, a lower-case ending: a domain or file, not an abbreviation or a sentence's end.
_DOTTED = re.compile(
    r"[^\W\d_][\w-]*\.[^\W\dA-Z_]{2,24}\b"
    r"|\b[\w-]+\.(?i:csv|tsv|json|jsonl|xml|xlsx?|pdf|txt|parquet|zip|sql|html?|docx?)\b"
)
_MARKUP = re.compile(
    r"<\s*[/!%a-z?]|&#?\w+;|[\\`]|\]\s*[(\[]|!\[|\[/?(?:url|img|b|i)\b|\*\*|~~|\{\{|\{%|\$\{|<\||\|>"
    r"|\[/?inst\b|(?:^|\s)#{1,6}\s",
    re.I,
)
_TABLE_BLOCK = re.compile(r"\bname: .*\bcolumns: ", re.I)


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


def poverty_of(description: Description) -> tuple[Fault, str] | None:
    """Return what is poor about a description that does no harm, None when it is fair."""
    if _near_equal(description):
        return "near_equal_fields", f"{ALIKE_FIELDS} of the six fields say nearly the same."
    words = _words(" ".join(description.values()))
    n_digits = sum(any(map(str.isdigit, word)) for word in words)
    if n_digits > DIGITS_SHARE * len(words):
        return "digits", f"{n_digits} of {len(words)} words hold digits."
    n_distinct = len(set(words))
    if n_distinct < DISTINCT_SHARE * len(words):
        return "repeats_words", f"Of {len(words)} words only {n_distinct} are different."
    return None


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
    fields = [tuple(_words(text)) for text in description.values()]
    for words in fields:
        for run in _runs(words):
            if run in _PROMPT_RUNS:
                return " ".join(run)
    copied = Counter(words for words in fields if words in _EXAMPLE_FIELDS)
    if len(copied) >= ECHO_FIELDS:
        return " ".join(next(iter(copied)))
    block = _TABLE_BLOCK.search(" ".join(description.values()))
    return block.group()[:40] if block else None


def _runs(words: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    return zip(*(words[n:] for n in range(ECHO_WORDS)), strict=False)


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


_EXAMPLE_FIELDS = frozenset(
    tuple(_words(text)) for example in EXAMPLES for text in example.description.values()
)
_PROMPT_RUNS = frozenset(
    run for words in (tuple(_words(SYSTEM)), *_EXAMPLE_FIELDS) for run in _runs(words)
)
