"""A run: the ranked tables of each query, and its TREC file, written and read back exactly.

A run file read here is ordered by score, then by its rank column, then by table id; trec_eval
ignores the rank and breaks ties by falling id, so its measures can differ where scores tie.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polaris_search.evaluate.problems import EvaluationDataInvalid, Problem
from polaris_search.evaluate.trec_ids import decoded_id, encoded_id
from polaris_search.evaluate.trec_lines import TrecLine, read_trec_lines
from polaris_search.store.protocol import ScoredTable

Run = Mapping[str, Sequence[ScoredTable]]
"""Query to its tables, best first."""

RUN_COLUMNS = ("query", "Q0", "table", "rank", "score", "tag")


@dataclass(frozen=True, slots=True)
class _Ranked:
    table_id: str
    rank: int
    score: float


def run_lines(run: Run, tag: str) -> Iterator[str]:
    """Yield the run as TREC's six columns, ranks from 1, each score as its shortest decimal."""
    for query_id, tables in run.items():
        query = encoded_id(query_id)
        for rank, table in enumerate(tables, start=1):
            table_id = encoded_id(table.table_id)
            yield f"{query} Q0 {table_id} {rank} {table.score!r} {encoded_id(tag)}"


def read_run(path: Path) -> Run:
    """Return the run of a TREC file, queries in file order, ids decoded.

    Raises:
        EvaluationDataInvalid: every line that is not six columns, a rank that is no whole number, a
            score that is no number, a table that stands twice under one query.
    """
    ranked: dict[str, dict[str, _Ranked]] = {}
    problems: list[Problem] = []
    for line in read_trec_lines(path, RUN_COLUMNS):
        fault = line if isinstance(line, Problem) else _take(path, line, ranked)
        if fault:
            problems.append(fault)
    if problems:
        raise EvaluationDataInvalid(problems)
    return {query_id: _in_order(tables) for query_id, tables in ranked.items()}


def _take(path: Path, line: TrecLine, ranked: dict[str, dict[str, _Ranked]]) -> Problem | None:
    query, _, table, rank_text, score_text, _ = line.columns
    query_id, table_id = decoded_id(query), decoded_id(table)
    try:
        rank, score = int(rank_text), float(score_text)
    except ValueError:
        rank, score = 0, math.nan
    if math.isnan(score):
        return Problem(
            path,
            line.number,
            f"The rank is {rank_text!r} and the score {score_text!r}",
            "Give a whole number and a number.",
        )
    tables = ranked.setdefault(query_id, {})
    if table_id in tables:
        return Problem(
            path,
            line.number,
            f"Table {table_id!r} stands there before for query {query_id!r}",
            "List every table once for a query.",
        )
    tables[table_id] = _Ranked(table_id, rank, score)
    return None


def _in_order(tables: Mapping[str, _Ranked]) -> tuple[ScoredTable, ...]:
    ordered = sorted(tables.values(), key=lambda each: (-each.score, each.rank, each.table_id))
    return tuple(ScoredTable(each.table_id, each.score) for each in ordered)
