"""One line of CSV. Pure."""

import csv
import io
from collections.abc import Sequence


def csv_line(cells: Sequence[str]) -> str:
    """Return the cells as one line of CSV, without its end."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)
    return line.getvalue()
