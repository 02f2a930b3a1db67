"""Short forms that a text explains itself: `volumetric water content (VWC)`, `VWC: volumetric ...`.

A text comes in, the short forms and their words go out. Only initials count, for a bracket may hold
anything; function words between the words of a phrase may be left out of them.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from ingest.expand.name_model import FUNCTION_WORDS

MAX_CHARACTERS = 32_000
MAX_WORDS = 8

Words = tuple[str, ...]

_IN_BRACKETS = re.compile(r"\b((?:[A-Za-z]+[ -]+){2,8})[(\[]([A-Za-z]{2,6})[)\]]")
_BEFORE_WORDS = re.compile(
    r"\b([A-Za-z]{2,6})(?: ?[(:=\N{EN DASH}\N{EM DASH}]| -| is| means| stands for) ?"
    r"([A-Za-z]+(?:[ -]+[A-Za-z]+){1,7})"
)


def definitions(text: str) -> dict[str, Words]:
    """Return the short forms that a text explains, in lower case, and the words of each."""
    return dict(_found(text[:MAX_CHARACTERS]))


def _found(text: str) -> Iterator[tuple[str, Words]]:
    for match in _BEFORE_WORDS.finditer(text):
        short, words = match[1].lower(), _words(match[2])
        for end in range(2, len(words) + 1):
            if is_initials(short, words[:end]):
                yield short, words[:end]
    for match in _IN_BRACKETS.finditer(text):
        words, short = _words(match[1]), match[2].lower()
        for start in range(len(words) - 1):
            if is_initials(short, words[start:]):
                yield short, words[start:]


def is_initials(short: str, words: Words) -> bool:
    """Whether `short` holds the first letters of all words, or of all that tell something."""
    if words[0] in FUNCTION_WORDS or words[-1] in FUNCTION_WORDS:
        return False
    telling = [word[0] for word in words if word not in FUNCTION_WORDS]
    return short in ("".join(word[0] for word in words), "".join(telling))


def spoken_by(short: str, comment: str) -> Words | None:
    """Return the run of words of a column's comment whose initials are `short`, if there is one."""
    words = _words(comment[:MAX_CHARACTERS])
    for start in range(len(words)):
        for end in range(start + 2, min(len(words), start + MAX_WORDS) + 1):
            if is_initials(short, words[start:end]):
                return words[start:end]
    return None


def _words(text: str) -> Words:
    return tuple(re.findall("[a-z]+", text.lower()))


def defined_in(texts: Iterable[str]) -> Mapping[str, Words]:
    """Return what several texts explain; the first one that explains a short form counts."""
    found: dict[str, Words] = {}
    for text in texts:
        for short, words in definitions(text).items():
            found.setdefault(short, words)
    return found
