"""Word-break classes as the server's standard tokenizer shows them in a few surroundings.

The letters are those of polaris_search.text.standard. Classes that hold single characters of the
grammar (quotes, joiners, presentation selectors, tags, keycap bases) are written down, not probed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polaris_search.text.filters import utf16_units
from polaris_search.text.tables.server import AnalysisServer, ServerToken

OTHER = "o"

_SURROUNDINGS = ("{}", "{}{}", "a{}a", "1{}1", "a{}", "{}a", "{}'")
_ALONE, _TWICE, _LETTERS, _DIGITS, _BEHIND, _BEFORE, _QUOTED = range(len(_SURROUNDINGS))

_WRITTEN_DOWN = {
    "'": "q",
    '"': "Q",
    "#": "#",
    "*": "#",
    "\u200d": "z",
    "\ufe0e": "v",
    "\ufe0f": "V",
    "\u20e3": "K",
    "\U000e007f": "T",
    **dict.fromkeys("0123456789", "d"),
    **dict.fromkeys(map(chr, range(0xE0020, 0xE007F)), "t"),
}
_BY_TYPE = {"<NUM>": "n", "<KATAKANA>": "k", "<IDEOGRAPHIC>": "c", "<HIRAGANA>": "j"}


def probed_classes(
    server: AnalysisServer, analyzer: str, code_points: Sequence[int]
) -> Iterator[str]:
    """Yield the class letter of each code point; `analyzer` is the standard tokenizer alone."""
    texts = [_probe(chr(code_point)) for code_point in code_points]
    for code_point, tokens in zip(code_points, server.tokens(analyzer, texts), strict=True):
        character = chr(code_point)
        yield _WRITTEN_DOWN.get(character) or _class_of(_seen(character, tokens))


def _probe(character: str) -> str:
    return "\n".join(each.replace("{}", character) for each in _SURROUNDINGS)


@dataclass(frozen=True, slots=True)
class _Seen:
    """The type of the character's own token, if any; which surroundings are wholly one token."""

    alone: str
    whole: tuple[bool, ...]


def _seen(character: str, tokens: Sequence[ServerToken]) -> _Seen:
    spans = {(token.start, token.end): token.type for token in tokens}
    lengths = [utf16_units(each.replace("{}", character)) for each in _SURROUNDINGS]
    begins = [sum(lengths[:place]) + place for place in range(len(lengths))]
    whole = [(begin, begin + length) for begin, length in zip(begins, lengths, strict=True)]
    return _Seen(spans.get(whole[_ALONE], ""), tuple(span in spans for span in whole))


def _class_of(seen: _Seen) -> str:
    if seen.alone in _BY_TYPE:
        return _BY_TYPE[seen.alone]
    if seen.alone == "<SOUTHEAST_ASIAN>":
        return "S" if seen.whole[_BEHIND] else "s"
    if seen.alone == "<EMOJI>":
        return _emoji_class(seen)
    if seen.alone:
        return "h" if seen.whole[_QUOTED] else "a"
    return _class_without_token(seen)


def _emoji_class(seen: _Seen) -> str:
    if seen.whole[_BEFORE]:
        return "P"
    return "f" if seen.whole[_BEHIND] else "p"


def _class_without_token(seen: _Seen) -> str:
    if seen.whole[_TWICE]:
        return "r"
    if seen.whole[_BEHIND]:
        return "u" if seen.whole[_BEFORE] else "x"
    if seen.whole[_LETTERS]:
        return "b" if seen.whole[_DIGITS] else "l"
    return "m" if seen.whole[_DIGITS] else OTHER
