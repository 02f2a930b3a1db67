"""Lucene's word_delimiter_graph with its defaults: an identifier in, its parts out.

Breaks stand where lower case turns to upper, where letters meet digits, and at everything that is
neither; a possessive 's is dropped. Type letters: l lower case, u upper case, d digit, a letter
without case, * goes with all, - delimiter.
"""

import re

from polaris_search.text.unicode_tables import delimiter_types

# Upper case leads into lower case ("Sales", "HTTPServer"). An apostrophe-s is dropped where the
# word ends behind it.
_ASCII_PART = re.compile(r"([A-Z]*[a-z]+|[A-Z]+|[0-9]+)(?:(?<![0-9])'[sS](?![A-Za-z0-9]))?")
_PART = re.compile(r"[luda*](?:(?<=l)[la*]|(?<=[ua])[lua*]|(?<=d)[d*]|(?<=\*)[luda*])*")
_ASCII_DIGIT = re.compile(r"[0-9]")


def identifier_parts(token: str) -> tuple[str, ...]:
    """Return the parts of an identifier in order; none if it holds neither letter nor digit."""
    if token.isascii():
        return tuple(_ASCII_PART.findall(token))
    types = token.translate(delimiter_types())
    parts: list[str] = []
    end = 0
    while match := _PART.search(types, end):
        start, end = match.span()
        parts.append(token[start:end])
        if _possessive_follows(token, types, end):
            end += 2
    return tuple(parts)


def _possessive_follows(token: str, types: str, end: int) -> bool:
    return (
        token[end : end + 2] in ("'s", "'S")
        and types[end - 1] != "d"
        and types[end + 2 : end + 3] in ("", "-")
    )


def holds_digit(word: str) -> bool:
    """Return whether a character of the word is a digit."""
    if word.isascii():
        return bool(_ASCII_DIGIT.search(word))
    return "d" in word.translate(delimiter_types())


def holds_only_letters(word: str) -> bool:
    """Return whether the word is letters and marks of the basic plane alone."""
    if word.isascii():
        return word.isalpha()
    return not set(word.translate(delimiter_types())) - {"l", "u", "a"}
