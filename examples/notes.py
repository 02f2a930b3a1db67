"""Definitions of columns, found in the free text of a data set's documentation.

Takes the text and the names of the columns that the data file really has; a line that defines
anything else is passed over, so what comes back is about real columns only.
"""

import html
import re

_DEFINED = re.compile(r"^(\s*)(\S+)\s*(?:\s-|:|\s=)\s+(\S.*)$")
_ALONE = re.compile(r"^(\s*)(\S+)\s*$")
_ROW = re.compile(r"<td>\s*(\S+?)\s*</td>\s*<td>(.*?)</td>", re.DOTALL)


def definitions_in_note(note: str, columns: tuple[str, ...]) -> dict[str, str]:
    """Return column to definition, from `name - text`, `name: text` and `name` over deeper text.

    A text goes on over the lines that are indented deeper than its name, until one starts with a
    digit (a code list). Names are compared without case, as the packages write them loosely.
    """
    by_folded = {column.casefold(): column for column in columns}
    lines = note.splitlines()
    found: dict[str, str] = {}
    for at, line in enumerate(lines):
        match = _DEFINED.match(line) or _ALONE.match(line)
        if match is None or match[2].casefold() not in by_folded:
            continue
        first = match[3] if match.re is _DEFINED else ""
        text = " ".join([first, *_deeper(lines[at + 1 :], len(match[1]))]).strip()
        if text:
            found.setdefault(by_folded[match[2].casefold()], text)
    return found


def _deeper(lines: list[str], indent: int) -> list[str]:
    """Return the lines that continue a text: deeper, up to a blank line or a code list."""
    taken = []
    for line in lines:
        bare = line.strip()
        if not bare or len(line) - len(line.lstrip()) <= indent or bare[0].isdigit():
            break
        taken.append(bare)
    return taken


def definitions_in_html(page: str, columns: tuple[str, ...]) -> dict[str, str]:
    """Return column to definition for the two-cell rows of an HTML table."""
    rows = {name: " ".join(html.unescape(text).split()) for name, text in _ROW.findall(page)}
    return {column: rows[column] for column in columns if column in rows}
