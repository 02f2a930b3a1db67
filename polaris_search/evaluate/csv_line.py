"""One line of CSV. Pure."""

import csv
import io
from collections.abc import Sequence

TERMINATOR = "\r\n"


def csv_line(cells: Sequence[str]) -> str:
    """Return the cells as one line of CSV, without its end."""
    line = io.StringIO()
    # Python quotes the characters of the terminator alone: with another one, a line break in a cell
    # would end the line.
    csv.writer(line, lineterminator=TERMINATOR).writerow(cells)
    return line.getvalue().removesuffix(TERMINATOR)
