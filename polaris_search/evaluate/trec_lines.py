"""The lines of a TREC file, streamed and split into columns, or a Problem in a line's place."""

import codecs
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from polaris_search.evaluate.problems import Problem


@dataclass(frozen=True, slots=True)
class TrecLine:
    """One line: its number from 1, and its columns as text."""

    number: int
    columns: tuple[str, ...]


def read_trec_lines(path: Path, columns: Sequence[str]) -> Iterator[TrecLine | Problem]:
    """Yield each line that is not blank, its columns split at ASCII white space as in trec_eval."""
    try:
        file = path.open("rb")
    except OSError as error:
        yield Problem(path, None, f"It cannot be read ({error.strerror})", "Check the path.")
        return
    with file:
        for number, line in enumerate(file, start=1):
            cells = line.removeprefix(codecs.BOM_UTF8).split()
            if cells:
                yield _line(path, number, cells, columns)


def _line(
    path: Path, number: int, cells: Sequence[bytes], columns: Sequence[str]
) -> TrecLine | Problem:
    if len(cells) != len(columns):
        return Problem(
            path,
            number,
            f"It has {len(cells)} columns, not {len(columns)}",
            f"Write {' '.join(columns)}, and percent-encode white space in ids.",
        )
    try:
        return TrecLine(number, tuple(cell.decode() for cell in cells))
    except UnicodeDecodeError:
        return Problem(path, number, "It holds bytes that are not UTF-8", "Save the file as UTF-8.")
