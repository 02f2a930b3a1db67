"""Judgments as a TREC qrels file, in and out: query, iteration, table, relevance."""

from collections.abc import Iterator
from pathlib import Path

from polaris_search.evaluate.dataset import Qrels, relevance_of
from polaris_search.evaluate.problems import EvaluationDataInvalid, Problem
from polaris_search.evaluate.trec_ids import decoded_id, encoded_id
from polaris_search.evaluate.trec_lines import TrecLine, read_trec_lines

QRELS_COLUMNS = ("query", "iteration", "table", "relevance")


def qrels_lines(qrels: Qrels) -> Iterator[str]:
    """Yield the judgments as TREC's four columns. A fraction stays one; trec_eval cuts it off."""
    for query_id, judged in qrels.items():
        for table_id, relevance in judged.items():
            shown = int(relevance) if relevance == int(relevance) else relevance
            yield f"{encoded_id(query_id)} 0 {encoded_id(table_id)} {shown}"


def read_qrels(path: Path) -> Qrels:
    """Return the judgments of a TREC qrels file in file order, ids decoded.

    A relevance below 0 ("junk" in some TREC tracks) becomes 0, as it counts in trec_eval.

    Raises:
        EvaluationDataInvalid: every line that is not four columns, a relevance that is no number, a
            table judged twice for one query.
    """
    qrels: dict[str, dict[str, float]] = {}
    problems: list[Problem] = []
    for line in read_trec_lines(path, QRELS_COLUMNS):
        fault = line if isinstance(line, Problem) else _take(path, line, qrels)
        if fault:
            problems.append(fault)
    if problems:
        raise EvaluationDataInvalid(problems)
    return qrels


def _take(path: Path, line: TrecLine, qrels: dict[str, dict[str, float]]) -> Problem | None:
    query, _, table, text = line.columns
    query_id, table_id = decoded_id(query), decoded_id(table)
    relevance = relevance_of(text.removeprefix("-"))
    if relevance is None:
        return Problem(path, line.number, f"The relevance is {text!r}", "Give a number.")
    judged = qrels.setdefault(query_id, {})
    if table_id in judged:
        return Problem(
            path,
            line.number,
            f"Table {table_id!r} is judged before for query {query_id!r}",
            "Keep one of the two judgments.",
        )
    judged[table_id] = 0.0 if text.startswith("-") else relevance
    return None
