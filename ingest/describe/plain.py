"""Text that is not ours, of a table or of a model, as one line that a person sees whole. Pure.

Beside line ends and control characters it loses what nobody sees: characters of no width, which can
hide words or turn their order round. A table's text also loses the marks that chat templates, tags,
fences and the prompt's own block are made of, in whatever look-alike form.
"""

import html
import re
import unicodedata
from collections.abc import Callable

# Blank or without a width, though their categories are those of letters, marks or signs.
_UNSEEN_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
_QUOTES_AND_ROUND = frozenset("()\u2018\u2019\u201c\u201d")
# U+2581 is the blank of many tokenizers, and part of some models' turn marks.
_SIGNS = frozenset("<>|\\`\u2581")

_ASCII_CONTROL = re.compile("[\x00-\x1f\x7f]")
# Fences, headings and lines, which separate the parts of a prompt; entities of entities.
_RULES = re.compile(r"#{2,}|([-=*~_\"'+/!])\1{2,}|&#?\w{1,32};")
_ROLE = re.compile(
    r"\b(system|assistant|user|human|instructions?|response|developer|tool)\s*:[\s:]*", re.I
)


def one_line(text: str) -> str:
    """Return the text on one line, blanks collapsed, without what nobody sees."""
    if text.isascii():
        return " ".join(_ASCII_CONTROL.sub(" ", text).split())
    return " ".join(text.translate(_seen).split())


def plain(text: str) -> str:
    """Return one line that can end no block of data, open no other and take no one's turn."""
    seen = one_line(unicodedata.normalize("NFKC", html.unescape(one_line(text))))
    unmarked = _RULES.sub(" ", seen.translate(_marks))
    return " ".join(_ROLE.sub(r"\1 ", unmarked).split())


class _Fates(dict[int, str]):
    """What stands in each character's place, found as characters come up."""

    def __init__(self, fate: Callable[[str], str]) -> None:
        self._fate = fate

    def __missing__(self, code: int) -> str:
        self[code] = found = self._fate(chr(code))
        return found


def _as_seen(character: str) -> str:
    category = unicodedata.category(character)
    if category in ("Cc", "Zl", "Zp", "Zs"):
        return " "
    selects_a_variation = unicodedata.name(character, "").startswith("VARIATION SELECTOR")
    unseen = category.startswith("C") or character in _UNSEEN_LETTERS or selects_a_variation
    return "" if unseen else character


def _as_unmarked(character: str) -> str:
    if character in _QUOTES_AND_ROUND:
        return character
    brackets = unicodedata.category(character) in ("Ps", "Pe", "Pi", "Pf")
    return " " if brackets or character in _SIGNS else character


_seen = _Fates(_as_seen)
_marks = _Fates(_as_unmarked)
