"""Regular expressions as Elasticsearch reads them: Java's syntax, Java's walk through a text.

A pattern of the mappings comes in; a Python pattern that finds the same comes out, or an error
where the two languages would differ. Knows nothing of analyzers.
"""

import re
from collections.abc import Callable, Iterator

from polaris_search.errors import PolarisError

_LINE_END = r"\n\r\x85\u2028\u2029"
_ANY = f"[^{_LINE_END}]"
_AT_END = r"(?=(?:\r\n|(?<!\r)\n|[\r\x85\u2028\u2029])?\Z)"
_SAME_ESCAPES = frozenset("dDwWsStnrf123456789")
_TOKEN = re.compile(r"\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\.|\[\^?|&&|\(\?[a-zA-Z]|.", re.DOTALL)
_REFERENCE = re.compile(r"\\(.)|\$(\d)|(\$|\\)", re.DOTALL)


class PatternUnsupported(PolarisError):
    """A Java pattern uses a construct that Python reads in another way."""

    def __init__(self, pattern: str, construct: str) -> None:
        super().__init__(
            f"The pattern {pattern!r} in the mappings uses {construct!r}, which Python and "
            "Elasticsearch read differently. Spell it out with characters, classes and groups."
        )


def java_pattern(pattern: str) -> re.Pattern[str]:
    """Return the Python pattern that finds what Java's `pattern` finds, flags unset.

    Raises:
        PatternUnsupported: a construct that the two languages read differently.
    """
    pieces: list[str] = []
    in_class = False
    for match in _TOKEN.finditer(pattern):
        piece = match.group()
        pieces.append(_translated(piece, in_class, pattern))
        if piece.startswith("["):
            in_class = True
        elif piece == "]":
            in_class = False
    return re.compile("".join(pieces), re.ASCII)


def _translated(piece: str, in_class: bool, pattern: str) -> str:
    if piece[0] == "\\" and len(piece) == 2:
        if piece[1] not in _SAME_ESCAPES and piece[1].isalnum():
            raise PatternUnsupported(pattern, piece)
        return piece
    if piece.startswith("(?") and len(piece) == 3:
        raise PatternUnsupported(pattern, piece)
    if in_class:
        if piece[0] == "[" or piece == "&&":
            raise PatternUnsupported(pattern, piece)
        return piece
    return {".": _ANY, "$": _AT_END}.get(piece, piece)


def java_matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches that Java's `Matcher.find` goes through, in order.

    After an empty match Java moves on by one character; Python would also try a longer match at the
    same place.
    """
    start = 0
    while start <= len(text) and (match := pattern.search(text, start)):
        yield match
        start = match.end() + (match.end() == match.start())


def replacer(pattern: str, replacement: str) -> Callable[[str], str]:
    """Return a function that replaces every match as Java's `replaceAll` does.

    Raises:
        PatternUnsupported: see `java_pattern`; also a reference other than $0 to $9 in the
            replacement.
    """
    compiled = java_pattern(pattern)
    template = _template(replacement)

    def replaced(text: str) -> str:
        if not compiled.search(text):
            return text
        pieces: list[str] = []
        end = 0
        for match in java_matches(compiled, text):
            pieces.append(text[end : match.start()])
            pieces += [part if isinstance(part, str) else match[part] or "" for part in template]
            end = match.end()
        return "".join(pieces) + text[end:]

    return replaced


def _template(replacement: str) -> tuple[str | int, ...]:
    parts: list[str | int] = []
    end = 0
    for match in _REFERENCE.finditer(replacement):
        literal, group, stray = match.groups()
        if stray:
            raise PatternUnsupported(replacement, stray)
        parts += [replacement[end : match.start()], literal if group is None else int(group)]
        end = match.end()
    return tuple(part for part in (*parts, replacement[end:]) if part != "")


def splitter(pattern: str) -> Callable[[str], list[str]]:
    """Return a function that cuts a text at every match, empty pieces left out.

    It is Lucene's PatternTokenizer without a group.
    """
    compiled = java_pattern(pattern)

    def pieces(text: str) -> list[str]:
        found: list[str] = []
        end = 0
        for match in java_matches(compiled, text):
            if match.start() > end:
                found.append(text[end : match.start()])
            end = match.end()
        if end < len(text):
            found.append(text[end:])
        return found

    return pieces
