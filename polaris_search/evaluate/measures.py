"""How good a run is: each measure for each query and on average, computed by ir-measures.

Comes in: judgments, a run and measures by name. The run's own order is what is measured, whatever
the tables are called and whether their scores tie. Knows no file and no store.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, fsum
from typing import TYPE_CHECKING

from polaris_search.errors import PolarisError
from polaris_search.evaluate.asked import DEFAULT_MEASURES, AskedMeasure, asked_measures
from polaris_search.evaluate.dataset import Qrels
from polaris_search.evaluate.grades import whole_grades
from polaris_search.evaluate.run import Run
from polaris_search.store.protocol import ScoredTable

if TYPE_CHECKING:  # loading it takes longer than a whole search
    from ir_measures import Measure


class NothingToMeasure(PolarisError):
    """No query has a relevant table, so that there is no mean."""

    def __init__(self, n_queries: int) -> None:
        super().__init__(
            f"None of {n_queries} queries has a relevant table, so there is nothing to measure. "
            "Judge at least one table above 0 for one of them."
        )


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The measures of one run, each between 0 and 1.

    `per_query` holds the measured queries in the order of the judgments, and their measures in the
    order asked; `means` averages over them. `left_out` counts queries without a relevant table.
    """

    per_query: Mapping[str, Mapping[str, float]]
    means: Mapping[str, float]
    n_queries: int
    left_out: int


def evaluate_run(qrels: Qrels, run: Run, measures: Sequence[str] = DEFAULT_MEASURES) -> Evaluation:
    """Return the measures of a run against judgments.

    nDCG has a linear gain, rel / log2(rank + 1), and its ideal is taken over all judged tables,
    found or not. A query with relevant tables but no result counts 0; one without a relevant table
    is left out, as is a query that only the run has.

    Raises:
        MeasureUnknown: a name is no measure.
        NothingToMeasure: no query has a relevant table.

    Source: Järvelin and Kekäläinen 2002; trec_eval's ndcg_cut and recall.
    """
    asked = asked_measures(measures)
    judged = queries_to_measure(qrels)
    per_query = _per_query(judged, run, asked)
    means = {
        measure.name: fsum(values[measure.name] for values in per_query.values()) / len(judged)
        for measure in asked
    }
    return Evaluation(per_query, means, len(judged), len(qrels) - len(judged))


def queries_to_measure(qrels: Qrels) -> Qrels:
    """Return the judgments of the queries that have a relevant table, in their order.

    Raises:
        NothingToMeasure: none has one.
    """
    judged = {query_id: tables for query_id, tables in qrels.items() if any(tables.values())}
    if not judged:
        raise NothingToMeasure(len(qrels))
    return judged


def _per_query(
    judged: Qrels, run: Run, asked: Sequence[AskedMeasure]
) -> dict[str, dict[str, float]]:
    import ir_measures

    grades = whole_grades(judged)
    computed = {measure: _computed(measure, grades.factor) for measure in asked}
    ranked = {query_id: _falling_scores(run[query_id]) for query_id in judged if run.get(query_id)}
    metrics = ir_measures.iter_calc(set(computed.values()), grades.qrels, ranked)
    value = {(metric.query_id, metric.measure): float(metric.value) for metric in metrics}
    return {
        query_id: {measure.name: value[query_id, computed[measure]] for measure in asked}
        for query_id in judged
    }


def _computed(measure: AskedMeasure, factor: Fraction) -> "Measure":
    """Return what ir-measures computes on grades that were multiplied by `factor`."""
    from ir_measures import measures

    params = {}
    if measure.cutoff:
        params["cutoff"] = measure.cutoff
    if measure.lowest:
        params["rel"] = ceil(measure.lowest * factor)
    computed: Measure = measures.registry[measure.base](**params)
    return computed


def _falling_scores(tables: Sequence[ScoredTable]) -> dict[str, float]:
    """Return scores that fall from table to table: trec_eval sorts again, and breaks ties by name.

    A table that stands twice counts where it stands first.
    """
    order = dict.fromkeys(table.table_id for table in tables)
    return {table_id: float(len(order) - place) for place, table_id in enumerate(order)}
