"""The per-query table of an evaluation, as CSV: one row for each measured query."""

from collections.abc import Iterator

from polaris_search.evaluate.csv_line import csv_line
from polaris_search.evaluate.measures import Evaluation


def per_query_lines(evaluation: Evaluation) -> Iterator[str]:
    """Yield the header `query_id,<measure>,...`, then each query in the judgments' order."""
    yield csv_line(["query_id", *evaluation.means])
    for query_id, values in evaluation.per_query.items():
        yield csv_line([query_id, *(repr(value) for value in values.values())])
