"""Lucene's standard tokenizer: text in, words out, by Unicode's word boundaries (UAX #29).

A text is rewritten with one class letter for each character, and a small grammar runs over the
letters. ASCII text takes a pattern of its own and loads no table. A word is cut, not dropped, where
it is longer than 255 UTF-16 units.

Class letters: a letter, h Hebrew letter, n numeric, d ASCII digit, k Katakana, u low line and its
like, l MidLetter, b MidNumLet, m MidNum, q single quote, Q double quote, x Extend or Format, z zero
width joiner, v and V the text and the emoji presentation selector, K the keycap mark, t and T tag
and cancel tag, c Han, j Hiragana, s South East Asian, S the same that also extends, r regional
indicator, p pictograph, P pictograph that is a letter, f skin tone, # number sign or asterisk, o
anything else.
"""

import re
from collections.abc import Iterator
from functools import cache

from polaris_search.text.unicode_tables import word_break_classes

MAX_TOKEN_UNITS = 255
"""Longest token, in UTF-16 units: the tokenizer's max_token_length."""

# Without backtracking: a run of low lines that no letter follows is left at once, so that time
# stays linear.
_ASCII = re.compile(
    r"(?<!_)_*+[A-Za-z0-9]++"
    r"(?:_++[A-Za-z0-9]++"
    r"|(?<=[A-Za-z])[:.'](?=[A-Za-z])[A-Za-z0-9]++"
    r"|(?<=[0-9])[,;.'](?=[0-9])[A-Za-z0-9]++)*+_*+"
)


_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")

REMEMBERED_CHUNKS = 1 << 15
_MAX_REMEMBERED_CHARS = 64


def standard_tokens(text: str) -> list[str]:
    """Return the words of a text, in order."""
    if text.isascii():
        return _ascii_tokens(text)
    # A blank ends every word: only the chunks between blanks that hold other characters need the
    # tables.
    tokens: list[str] = []
    end = 0
    while match := _BEYOND_ASCII.search(text, end):
        start = max(text.rfind(" ", end, match.start()) + 1, end)
        stop = text.find(" ", match.end())
        tokens += _ascii_tokens(text[end:start])
        end = len(text) if stop < 0 else stop
        tokens += _chunk_tokens(text[start:end])
    return tokens + _ascii_tokens(text[end:])


def _ascii_tokens(text: str) -> list[str]:
    tokens: list[str] = _ASCII.findall(text)
    if tokens and len(max(tokens, key=len)) > MAX_TOKEN_UNITS:
        return [text[start:end] for start, end in standard_spans(text)]
    return tokens


def _chunk_tokens(chunk: str) -> tuple[str, ...]:
    tokens = _remembered_chunks.get(chunk)
    if tokens is None:
        tokens = tuple(chunk[start:end] for start, end in standard_spans(chunk))
        if len(_remembered_chunks) >= REMEMBERED_CHUNKS:
            _remembered_chunks.clear()
        if len(chunk) <= _MAX_REMEMBERED_CHARS:
            _remembered_chunks[chunk] = tokens
    return tokens


_remembered_chunks: dict[str, tuple[str, ...]] = {}


def standard_spans(text: str) -> list[tuple[int, int]]:
    """Return where the words of a text begin and end, in characters."""
    if text.isascii():
        spans = [match.span() for match in _ASCII.finditer(text)]
        if all(end - start <= MAX_TOKEN_UNITS for start, end in spans):
            return spans
    letters = text.translate(word_break_classes())
    grammar = _grammar()
    if not grammar.competing.search(letters):
        spans = [match.span() for match in grammar.words.finditer(letters) if match.lastgroup]
        units = MAX_TOKEN_UNITS if max(text) <= "\uffff" else MAX_TOKEN_UNITS // 2
        if all(end - start <= units for start, end in spans):
            return spans
    return list(_longest_matches(text, letters, grammar))


class _Grammar:
    """The tokenizer's rules over class letters; the longest match at a place wins."""

    def __init__(self) -> None:
        extend = "[xzvVKtTSf]*+"
        word = _word_rule(extend)
        ideograph = f"[cj]{extend}"
        # A run of low lines that no letter follows is taken as a whole, unnamed: time stays linear.
        self.words = re.compile(f"(?P<word>{word}|{ideograph})|(?:u{extend})++")
        self.startless = re.compile("[uxvVtTK]++")
        self.competing = re.compile("[sSrpPfK]")
        self.starts = re.compile("[aPhndkucjsSrfp#z]")
        self.rules = tuple(
            re.compile(rule)
            for rule in (word, _emoji_rule(extend), f"(?:[sS]{extend})+", ideograph)
        )


@cache
def _grammar() -> _Grammar:
    return _Grammar()


def _word_rule(extend: str) -> str:
    number, katakana, low_line = (f"{letters}{extend}" for letters in ("[nd]", "k", "u"))
    letter = f"[aPh]{extend}"
    # A Hebrew letter before ' or "letter begins a unit of its own (WB7a to WB7c).
    free_letter = f"(?:[aP]{extend}|h{extend}(?!q|Q{extend}h))"
    units = "|".join(
        (
            f"h{extend}(?:Q{extend}h{extend}|q{extend})",
            f"{number}(?:(?:{low_line})*+{number}|[mbq]{extend}{number})*",
            f"{free_letter}(?:(?:{low_line})*+{free_letter}|[lbq]{extend}{letter})*",
            letter,
        )
    )
    unit = f"(?:{katakana}(?:(?:{low_line})*+{katakana})*|(?:{units})+)"
    return f"(?:{low_line})*+{unit}(?:(?:{low_line})++{unit})*(?:{low_line})*+"


def _emoji_rule(extend: str) -> str:
    joined = "[xzKtTSf]*"  # whatever extends, but for the presentation selectors
    element = f"(?:f{joined}|z*[pP]{joined}V?)"
    sequence = f"{element}(?:t+T|(?:(?:(?<=z)|z){element})*)"
    return f"{sequence}|[d#]{joined}V?K{joined}|(?:r{extend}){{2}}"


def _longest_matches(text: str, letters: str, grammar: _Grammar) -> Iterator[tuple[int, int]]:
    """Yield spans as the server's automaton does: at each place the longest rule in 255 units."""
    place = 0
    while match := grammar.starts.search(letters, place):
        start = match.start()
        limit = _window_end(text, start)
        ends = [
            found.end() for rule in grammar.rules if (found := rule.match(letters, start, limit))
        ]
        if ends:
            place = max(ends)
            yield start, place
        else:
            # Only the last 255 places of a long run of low lines can begin a word.
            run = grammar.startless.match(letters, start)
            place = max(start + 1, run.end() - MAX_TOKEN_UNITS) if run else start + 1


def _window_end(text: str, start: int) -> int:
    window = text[start : start + MAX_TOKEN_UNITS]
    if max(window) <= "\uffff":
        return start + len(window)
    units = 0
    for length, character in enumerate(window):
        units += 2 if character > "\uffff" else 1
        if units > MAX_TOKEN_UNITS:
            return start + length
    return start + len(window)
