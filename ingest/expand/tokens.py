"""Cut an identifier into its tokens, by separators, case and digits, in any script.

A name comes in as written and leaves as lower-case tokens that remember how they were written.
Nothing here knows a word.
"""

import re
import unicodedata
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Token:
    """One run of letters or digits, in lower case.

    `upper`: it was written in capitals. `joined`: it follows the token before it without a
    separator. `meaning`: what the organisation's glossary says it means.
    """

    text: str
    upper: bool
    joined: bool
    meaning: tuple[str, ...] | None = None

    @property
    def is_word(self) -> bool:
        """Whether it is made of the letters a to z alone and open to be read by word lists."""
        return self.meaning is None and self.text.isascii() and self.text.isalpha()


def split_name(name: str) -> tuple[Token, ...]:
    """Return a name's tokens in order: `HTTPServer2_ids` gives http, server, 2, ids.

    Signs, emoji and blanks only separate. Letters without case (CJK, Arabic, Thai) stay in one run.
    """
    name = unicodedata.normalize("NFC", name)
    tokens = []
    end_before = -1
    for match in _TOKEN.finditer(name.translate(_CLASSES)):
        start, end = match.span()
        written = name[start:end]
        tokens.append(Token(written.lower(), written.isupper(), joined=start == end_before))
        end_before = end
    return tuple(tokens)


class _CharacterClasses(dict[int, str]):
    """One letter for each kind of character, filled as characters come up.

    u upper case, l lower case, s the letter s (for plurals of capitals: IDs), o other letters,
    m marks that belong to the letter before, d digits, q apostrophes, a blank for all else.
    """

    def __missing__(self, code: int) -> str:
        self[code] = kind = _kind(chr(code))
        return kind


def _kind(character: str) -> str:
    if character == "s":
        return "s"
    if character in "'\N{RIGHT SINGLE QUOTATION MARK}":
        return "q"
    if character.isdecimal():
        return "d"
    if character.isupper() or character.istitle():
        return "u"
    if character.islower():
        return "l"
    if character.isalnum():
        return "o"
    return "m" if unicodedata.category(character).startswith("M") else " "


_CLASSES = _CharacterClasses()
_TOKEN = re.compile(
    r"""
    u{2,}s(?![lsm])             # IDs, URLs
    | um*(?:um*)*(?=um*[ls])    # HTTP of HTTPServer
    | (?:um*)?(?:[ls]m*)+(?:q(?:[ls]m*)+)?   # Server, server, driver's
    | (?:um*)+                  # HTTP
    | d+
    | [om]+                     # letters without case, and what is left of marks
    """,
    re.VERBOSE,
)
