"""Measure an expander on a gold file: its columns grouped into tables, expanded, scored, timed.

A gold file and an expander come in, figures go out; where a model is asked, what that took too. The
clock may be handed in.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from ingest.answer import Models, Wanted
from ingest.asking import ask
from ingest.model_names import counts_of_names, notices_of_names
from ingest.report import ModelNames, counted
from ingest.steps import Expander, ExpandOutcome, ModelExpander
from polaris_search.evaluate.expansion import (
    ExpansionScore,
    GoldRow,
    read_gold,
    read_rules,
    score_set,
)
from polaris_search.records import Column, EnrichedTable, Provenance, RawTable

ID_SEPARATOR = "#"


@dataclass(frozen=True, slots=True)
class ExpansionFigures:
    """How well and how fast: means from 0 to 1 over all gold columns, columns expanded a second.

    `model_names` says what asking a model took, all 0 where none was; `notices` how often what went
    wrong with it.
    """

    set: str
    columns: int
    exact_match: float
    f1: float
    names_per_second: float
    model_names: ModelNames = ModelNames()
    notices: tuple[tuple[str, int], ...] = ()


def evaluate_gold(
    gold_path: Path,
    expander: Expander,
    later: ModelExpander | None = None,
    *,
    concurrency: int = 4,
    clock: Callable[[], float] = time.perf_counter,
) -> ExpansionFigures:
    """Return how well names are expanded on a gold file, named by the file.

    Args:
        gold_path: the gold file.
        expander: expands the names.
        later: a model that reads them anew, and is closed; where it fails the expander's stand.
        concurrency: tables that the model is asked about at a time.
        clock: seconds from any start.

    Raises:
        EvaluationDataInvalid: the gold file, or the synonyms or stop words beside it, are no such
            files.
    """
    gold = read_gold(gold_path)
    rules = read_rules(gold_path)
    started = clock()
    predictions, outcomes = _predict(gold, expander, later, concurrency)
    seconds = clock() - started
    score = score_set(gold_path.stem, gold, predictions, rules)
    return _figures(score, seconds, outcomes)


def predict(gold: Sequence[GoldRow], expander: Expander) -> list[str]:
    """Return the expansion of each gold column in its table, the name as given where there is none.

    Rows of one table_name are one table, wherever they stand. A table_name with `#` is an id
    (database#table) and no name: its table has none, since an id may spell out what a name hides.
    """
    return _predict(gold, expander, None, concurrency=1)[0]


def _predict(
    gold: Sequence[GoldRow], expander: Expander, later: ModelExpander | None, concurrency: int
) -> tuple[list[str], list[ExpandOutcome]]:
    """Return the prediction for each row, and what came of asking a model."""
    places: dict[str, list[int]] = {}
    for place, row in enumerate(gold):
        places.setdefault(row.table_name, []).append(place)
    tables = [
        _table(number, table_name, [gold[place].column_name for place in columns])
        for number, (table_name, columns) in enumerate(places.items())
    ]
    outcomes = _asked(tables, later, concurrency) if later else {}
    predictions = [row.column_name for row in gold]
    for table, columns in zip(tables, places.values(), strict=True):
        outcome = outcomes.get(table.table_id)
        expansion = (outcome.expansion if outcome else None) or expander.expand(table)
        if expansion is not None:
            for place, expanded in zip(columns, expansion.columns, strict=True):
                predictions[place] = expanded
    return predictions, list(outcomes.values())


def _asked(
    tables: Sequence[RawTable], later: ModelExpander, concurrency: int
) -> dict[str, ExpandOutcome]:
    """Return what the model made of each table, by its id."""
    wanted = (Wanted(EnrichedTable(table, Provenance("")), True, False) for table in tables)
    with closing(ask(Models(later), wanted, concurrency)) as groups:
        answers = [answer for group in groups for answer in group]
    return {answer.table.table_id: answer.names for answer in answers if answer.names}


def _table(number: int, table_name: str, columns: Sequence[str]) -> RawTable:
    return RawTable(
        table_id=str(number),
        name="" if ID_SEPARATOR in table_name else table_name,
        columns=tuple(map(Column, columns)),
    )


def _figures(
    score: ExpansionScore, seconds: float, outcomes: Sequence[ExpandOutcome]
) -> ExpansionFigures:
    return ExpansionFigures(
        set=score.set,
        columns=score.columns,
        exact_match=score.exact_match,
        f1=score.f1,
        names_per_second=score.columns / seconds if seconds else 0.0,
        model_names=counts_of_names(outcomes),
        notices=counted({}, ((notice, 1) for notice in notices_of_names(outcomes))),
    )
