"""The per-query table of an evaluation, as CSV: one row for each measured query."""

import csv
import io
from collections.abc import Iterator, Sequence

from polaris_search.evaluate.measures import Evaluation


def per_query_lines(evaluation: Evaluation) -> Iterator[str]:
    """Yield the header `query_id,<measure>,...`, then each query in the judgments' order."""
    yield _csv_line(["query_id", *evaluation.means])
    for query_id, values in evaluation.per_query.items():
        yield _csv_line([query_id, *(repr(value) for value in values.values())])


def _csv_line(cells: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)
    return line.getvalue()
