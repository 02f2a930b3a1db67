"""A data set folder's queries and judgments, in the paper's layout, read and checked.

Comes in: queries.csv (query_id, query) and qrels.csv (query_id, table_id, relevance_score). Goes
out: a Dataset, or one error that names every fault. The tables themselves (metadata.csv) are read
by ingest, not here.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from polaris_search.evaluate.problems import EvaluationDataInvalid, Problem
from polaris_search.evaluate.rows import Row, read_rows

QUERIES_FILE = "queries.csv"
QRELS_FILE = "qrels.csv"

Qrels = Mapping[str, Mapping[str, float]]
"""Query to table to relevance: 0 or more, fractions allowed, above 0 is relevant."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """Queries and judgments of one folder, both in file order.

    `qrels` has an entry for every query, empty where nothing was judged. `notices` are sentences on
    what was set aside. `judged` holds (query, table) of all judgments in the order of the file.
    """

    name: str
    queries: Mapping[str, str]
    qrels: Qrels
    notices: tuple[str, ...] = ()
    judged: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class _Judgments:
    """What was read of qrels.csv so far."""

    qrels: dict[str, dict[str, float]]
    judged: list[tuple[str, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unknown_query: int = 0
    repeated: int = 0


def read_dataset(folder: Path) -> Dataset:
    """Return the queries and judgments of a folder.

    A judgment for a query that queries.csv does not hold is set aside and counted in a notice; so
    is a judgment that stands twice with the same relevance.

    Raises:
        EvaluationDataInvalid: anything else that is wrong, all of it at once: a missing file or
            column, an empty id, a relevance that is not a number of 0 or more, a query that stands
            twice, two relevances of one table for one query, bytes that are not UTF-8.
    """
    queries, problems = _read_queries(folder / QUERIES_FILE)
    judgments = _read_judgments(folder / QRELS_FILE, queries)
    problems += judgments.problems
    if problems:
        raise EvaluationDataInvalid(problems)
    name, notices = folder.resolve().name, _notices(judgments)
    return Dataset(name, queries, judgments.qrels, notices, tuple(judgments.judged))


def relevance_of(text: str) -> float | None:
    """Return the relevance that a cell states, or None where it is no number of 0 or more."""
    try:
        relevance = float(text)
    except ValueError:
        return None
    return relevance if 0 <= relevance < math.inf else None


def _read_queries(path: Path) -> tuple[dict[str, str], list[Problem]]:
    queries: dict[str, str] = {}
    problems: list[Problem] = []
    for row in read_rows(path, ("query_id", "query")):
        if isinstance(row, Problem):
            problems.append(row)
            continue
        query_id = row.cells["query_id"]
        if fault := _query_fault(path, row, queries):
            problems.append(fault)
        else:
            queries[query_id] = row.cells["query"]
    return queries, problems


def _query_fault(path: Path, row: Row, queries: Mapping[str, str]) -> Problem | None:
    query_id = row.cells["query_id"]
    if not query_id.strip():
        return Problem(path, row.line, "The query_id is empty", "Give every query an id.")
    if query_id in queries:
        return Problem(
            path,
            row.line,
            f"The query_id {query_id!r} stands there before",
            "Give every query an id of its own.",
        )
    return None


def _read_judgments(path: Path, queries: Mapping[str, str]) -> _Judgments:
    read = _Judgments({query_id: {} for query_id in queries})
    for row in read_rows(path, ("query_id", "table_id", "relevance_score")):
        if isinstance(row, Problem):
            read.problems.append(row)
        elif fault := _judgment_fault(path, row, read.qrels):
            read.problems.append(fault)
        else:
            _keep(read, row)
    return read


def _keep(read: _Judgments, row: Row) -> None:
    query_id, table_id = row.cells["query_id"], row.cells["table_id"]
    if query_id not in read.qrels:
        read.unknown_query += 1
    elif table_id in read.qrels[query_id]:
        read.repeated += 1
    else:
        read.qrels[query_id][table_id] = float(row.cells["relevance_score"])
        read.judged.append((query_id, table_id))


def _judgment_fault(path: Path, row: Row, qrels: Qrels) -> Problem | None:
    query_id, table_id = row.cells["query_id"], row.cells["table_id"]
    for column, value in (("query_id", query_id), ("table_id", table_id)):
        if not value.strip():
            return Problem(path, row.line, f"The {column} is empty", "Name it, or drop the row.")
    text = row.cells["relevance_score"]
    relevance = relevance_of(text)
    if relevance is None:
        return Problem(
            path, row.line, f"The relevance_score is {text!r}", "Give a number of 0 or more."
        )
    earlier = qrels.get(query_id, {}).get(table_id, relevance)
    if earlier != relevance:
        return Problem(
            path,
            row.line,
            f"Table {table_id!r}, query {query_id!r}: the relevance is {relevance:g}, "
            f"and {earlier:g} in an earlier row",
            "Keep one of the two judgments.",
        )
    return None


def _notices(read: _Judgments) -> tuple[str, ...]:
    counted = (
        (read.unknown_query, f"for queries that {QUERIES_FILE} does not hold were set aside."),
        (read.repeated, "stand twice with the same relevance; each counts once."),
    )
    return tuple(f"{count} judgments {what}" for count, what in counted if count)
