"""Measure an expander on a gold file: its columns grouped into tables, expanded, scored, timed.

A gold file and an expander come in, figures go out. The clock may be handed in.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.steps import Expander
from polaris_search.evaluate.expansion import (
    ExpansionScore,
    GoldRow,
    read_gold,
    read_rules,
    score_set,
)
from polaris_search.records import Column, RawTable

ID_SEPARATOR = "#"


@dataclass(frozen=True, slots=True)
class ExpansionFigures:
    """How well and how fast: means from 0 to 1 over all gold columns, columns expanded a second."""

    set: str
    columns: int
    exact_match: float
    f1: float
    names_per_second: float


def evaluate_gold(
    gold_path: Path, expander: Expander, clock: Callable[[], float] = time.perf_counter
) -> ExpansionFigures:
    """Return how well an expander does on a gold file, named by the file.

    Raises:
        EvaluationDataInvalid: the gold file, or the synonyms or stop words beside it, are no such
            files.
    """
    gold = read_gold(gold_path)
    rules = read_rules(gold_path)
    started = clock()
    predictions = predict(gold, expander)
    seconds = clock() - started
    score = score_set(gold_path.stem, gold, predictions, rules)
    return _figures(score, seconds)


def predict(gold: Sequence[GoldRow], expander: Expander) -> list[str]:
    """Return the expansion of each gold column in its table, the name as given where there is none.

    Rows of one table_name are one table, wherever they stand. A table_name with `#` is an id
    (database#table) and no name: its table has none, since an id may spell out what a name hides.
    """
    places: dict[str, list[int]] = {}
    for place, row in enumerate(gold):
        places.setdefault(row.table_name, []).append(place)
    predictions = [row.column_name for row in gold]
    for table_name, columns in places.items():
        table = _table(table_name, [gold[place].column_name for place in columns])
        expansion = expander.expand(table)
        if expansion is not None:
            for place, expanded in zip(columns, expansion.columns, strict=True):
                predictions[place] = expanded
    return predictions


def _table(table_name: str, columns: Sequence[str]) -> RawTable:
    return RawTable(
        table_id=table_name.strip() or "nameless",
        name="" if ID_SEPARATOR in table_name else table_name,
        columns=tuple(map(Column, columns)),
    )


def _figures(score: ExpansionScore, seconds: float) -> ExpansionFigures:
    return ExpansionFigures(
        set=score.set,
        columns=score.columns,
        exact_match=score.exact_match,
        f1=score.f1,
        names_per_second=score.columns / seconds if seconds else 0.0,
    )
