"""An organisation's own glossary: a CSV file of short forms and what they mean; it always wins.

A file comes in, a Glossary goes out, or one error that names every line that is wrong.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from ingest.expand.tokens import Token, split_name
from polaris_search.errors import UsageError
from polaris_search.records import content_hash

HEADER = ("short", "long")
MAX_SHOWN = 20

Words = tuple[str, ...]


class GlossaryInvalid(UsageError):
    """A glossary file that cannot be used; the message names every fault."""

    def __init__(self, path: Path, problems: list[str]) -> None:
        shown = problems[:MAX_SHOWN]
        if len(problems) > MAX_SHOWN:
            shown.append(f"And {len(problems) - MAX_SHOWN} more.")
        super().__init__("\n".join(f"{path}{problem}" for problem in shown))


@dataclass(frozen=True)
class Glossary:
    """Short forms, as lower-case letters and digits, and the words of their long forms."""

    meanings: Mapping[str, Words] = field(default_factory=dict)

    @cached_property
    def fingerprint(self) -> str:
        """The hash of all entries, whatever their order in the file."""
        return content_hash(
            *(f"{short} {' '.join(self.meanings[short])}" for short in sorted(self.meanings))
        )

    def apply(self, tokens: tuple[Token, ...]) -> tuple[Token, ...]:
        """Return a name's tokens, each short form of the glossary as one token with its meaning."""
        if not self.meanings:
            return tokens
        found: list[Token] = []
        start = 0
        while start < len(tokens):
            end = self._longest_entry(tokens, start)
            found.append(self._entry(tokens[start:end]) if end > start else tokens[start])
            start = max(end, start + 1)
        return tuple(found)

    def _longest_entry(self, tokens: tuple[Token, ...], start: int) -> int:
        """Return where the longest entry that begins at `start` ends, `start` if there is none."""
        best = start
        text = ""
        for end in range(start, len(tokens)):
            text += tokens[end].text
            if len(text) > self._most_letters:
                break
            if text in self.meanings:
                best = end + 1
        return best

    def _entry(self, tokens: tuple[Token, ...]) -> Token:
        text = "".join(token.text for token in tokens)
        return replace(tokens[0], text=text, meaning=self.meanings[text])

    @cached_property
    def _most_letters(self) -> int:
        return max(map(len, self.meanings), default=0)


def read_glossary(path: Path) -> Glossary:
    """Return the glossary of a CSV file with the columns short and long; a header line is optional.

    Case and separators do not matter in a short form: `CUST_NO`, `CustNo` and `custno` are one.

    Raises:
        GlossaryInvalid: the file cannot be read, or some of its lines; all of them are named.
    """
    meanings: dict[str, Words] = {}
    problems: list[str] = []
    first_lines: dict[str, int] = {}
    for line, cells in _rows(path):
        problem = _problem(cells)
        if problem:
            problems.append(f", line {line}: {problem}")
            continue
        short, long = _letters(cells[0]), tuple(cells[1].lower().split())
        if meanings.setdefault(short, long) != long:
            problems.append(
                f", line {line}: {cells[0]!r} has another meaning in line {first_lines[short]}. "
                "Keep one of them."
            )
        first_lines.setdefault(short, line)
    if problems:
        raise GlossaryInvalid(path, problems)
    return Glossary(meanings)


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are neither blank nor the header, with their line numbers from 1."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            for number, cells in enumerate(reader):
                is_header = number == 0 and tuple(cell.strip().lower() for cell in cells) == HEADER
                if cells and not is_header:
                    yield reader.line_num, cells
    except OSError as error:
        remedy = "Put the glossary there, or leave the setting empty."
        raise GlossaryInvalid(
            path, [f": It cannot be read ({error.strerror}). {remedy}"]
        ) from error
    except UnicodeDecodeError as error:
        raise GlossaryInvalid(path, [": It is not UTF-8. Save it as UTF-8."]) from error
    except csv.Error as error:
        problem = f", line {reader.line_num}: It is not CSV ({error}). Close every quote."
        raise GlossaryInvalid(path, [problem]) from error


def _problem(cells: list[str]) -> str | None:
    """Return what is wrong with a row as sentences, None for a good one."""
    if len(cells) != len(HEADER):
        return (
            f"It has {len(cells)} cells where 2 were expected, short and long. "
            "Put a text that holds a comma into double quotes."
        )
    if not _letters(cells[0]):
        return "The short form holds no letter or digit. Fill it in or remove the line."
    if not cells[1].strip():
        return "The long form is empty. Fill it in or remove the line."
    return None


def _letters(short: str) -> str:
    return "".join(token.text for token in split_name(short))
