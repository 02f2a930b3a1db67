"""One data set folder, from its tables to its measures, on a generation of its own.

Comes in: a folder in the paper's layout and the parts that enrich and search it. Goes out: the
measures of one profile. The live tables of the store are neither read nor changed, and the
generation made for the measuring is gone afterwards.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Protocol

from ingest.pipeline import ingest
from ingest.readers.formats import CATALOGUE
from ingest.readers.sources import read_sources
from ingest.report import IngestReport
from ingest.seen import SeenIds
from ingest.steps import Describer, Expander, ModelExpander, NoProgress, Progress
from polaris_search.evaluate.asked import DEFAULT_MEASURES, asked_measures, deepest_cutoff
from polaris_search.evaluate.dataset import Dataset, Qrels, read_dataset
from polaris_search.evaluate.measures import Evaluation, evaluate_run, queries_to_measure
from polaris_search.evaluate.per_query import per_query_lines
from polaris_search.evaluate.run import Run, run_lines
from polaris_search.evaluate.written import write_lines
from polaris_search.profiles.model import Profile
from polaris_search.profiles.plan import QueryPlan, plan_query
from polaris_search.store.protocol import ScoredTable, TableStore

MIN_RUN_DEPTH = 100
"""Results kept for each query at least: a measure without a cut-off reads so many."""


class EvaluationProgress(Progress, Protocol):
    """Hears how far an evaluation is: first of the ingest, then of the queries."""

    def searched(self, done: int, total: int) -> None:
        """So many of the queries were searched so far."""


class NoEvaluationProgress(NoProgress):
    """An EvaluationProgress that nobody watches."""

    def searched(self, done: int, total: int) -> None:
        """Ignore it."""


UNWATCHED = NoEvaluationProgress()


@dataclass(frozen=True, slots=True)
class FolderEvaluation:
    """What an evaluation of a folder found.

    Attributes:
        dataset: the folder's name.
        profile: the name of the profile that was searched with.
        evaluation: measures for each query and on average, measures in the order asked.
        ingested: what became of the folder's tables.
        seconds: how long all of it took.
        notices: sentences on what was set aside, cut or missing.
    """

    dataset: str
    profile: str
    evaluation: Evaluation
    ingested: IngestReport
    seconds: float
    notices: tuple[str, ...]

    @property
    def measures(self) -> Mapping[str, float]:
        """The means, in the order asked."""
        return self.evaluation.means

    @property
    def queries(self) -> int:
        """The queries the means are taken over."""
        return self.evaluation.n_queries

    @property
    def left_out(self) -> int:
        """The queries without a relevant table."""
        return self.evaluation.left_out


def evaluate_folder(
    folder: Path,
    store: TableStore,
    profile: Profile,
    expander: Expander,
    describer: Describer | None = None,
    measures: Sequence[str] = DEFAULT_MEASURES,
    *,
    later: ModelExpander | None = None,
    concurrency: int = 4,
    run_path: Path | None = None,
    per_query_path: Path | None = None,
    progress: EvaluationProgress = UNWATCHED,
    clock: Callable[[], float] = perf_counter,
) -> FolderEvaluation:
    """Return how well a profile finds the relevant tables of a data set folder.

    Args:
        folder: holds metadata.csv, queries.csv and qrels.csv.
        store: gives the generation to measure on.
        profile: how to search.
        expander: expands the names at once; NoExpander leaves them as given.
        describer: writes the descriptions, or looks them up (GivenDescriptions); None: none.
        measures: their names, such as "nDCG@10".
        later: a model that reads the names anew; None asks none.
        concurrency: tables that models are asked about at a time.
        run_path: where to write the run of all queries as a TREC file; None writes none.
        per_query_path: where to write each query's measures as CSV; None writes none.
        progress: hears how far it is.
        clock: seconds from any start.

    Raises:
        MeasureUnknown: a name is no measure. Nothing was done.
        EvaluationDataInvalid: faults of the queries or judgments, all at once. Nothing was done.
        NothingToMeasure: no query has a relevant table. Nothing was done.
        SourceUnreadable: metadata.csv is missing.
        ServiceUnreachable: the store's server does not answer.
        NotWritten: the run or the per-query table could not be written.
    """
    began = clock()
    depth = deepest_cutoff(asked_measures(measures), at_least=MIN_RUN_DEPTH)
    dataset = read_dataset(folder)
    queries_to_measure(dataset.qrels)
    seen = SeenIds()
    asks = describer is not None or later is not None
    with store.scratch() as scratch, _written_once(scratch, store, asks=asks) as searched:
        tables = read_sources([str(folder / CATALOGUE)], "polaris", seen)
        ingested = ingest(
            tables,
            scratch,
            expander,
            describer,
            later=later,
            concurrency=concurrency,
            progress=progress,
        )
        if searched is not scratch:
            searched.put(scratch.tables())
            searched.refresh()
        plans = {key: plan_query(profile, text) for key, text in dataset.queries.items()}
        run = _run(plans, searched, depth, progress)
    evaluation = evaluate_run(dataset.qrels, run, measures)
    if run_path:
        write_lines(run_path, run_lines(run, profile.name))
    if per_query_path:
        write_lines(per_query_path, per_query_lines(evaluation))
    notices = _notices(dataset, seen, ingested, plans)
    return FolderEvaluation(
        dataset.name, profile.name, evaluation, ingested, clock() - began, tuple(notices)
    )


@contextmanager
def _written_once(scratch: TableStore, store: TableStore, *, asks: bool) -> Iterator[TableStore]:
    """Open the generation to search: the scratch, or another one where a model is asked.

    What it says replaces tables, and a server goes on counting what was replaced in its statistics,
    which moves the scores. In the other generation each table is written once.
    """
    if not asks:
        yield scratch
        return
    with store.scratch() as searched:
        yield searched


def _run(
    plans: Mapping[str, QueryPlan], store: TableStore, depth: int, progress: EvaluationProgress
) -> Run:
    run: dict[str, tuple[ScoredTable, ...]] = {}
    for query_id, plan in plans.items():
        run[query_id] = () if plan.asks_nothing else store.search(plan, depth).hits
        progress.searched(len(run), len(plans))
    return run


def _notices(
    dataset: Dataset, seen: SeenIds, ingested: IngestReport, plans: Mapping[str, QueryPlan]
) -> Iterator[str]:
    yield from dataset.notices
    missing = _relevant_tables_missing(dataset.qrels, seen)
    if missing:
        yield f"{missing} relevant tables are not in {CATALOGUE}; they count as not found."
    if ingested.rejected:
        yield f"{ingested.rejected} rows of {CATALOGUE} were not taken:"
        yield from (rejected.sentence for rejected in ingested.first_rejected)
    for reason, count in ingested.reasons:
        yield f"{count} tables were not described: {reason}"
    for notice, count in Counter(note for plan in plans.values() for note in plan.notices).items():
        yield f"{count} queries: {notice}"


def _relevant_tables_missing(qrels: Qrels, seen: SeenIds) -> int:
    relevant = {table for judged in qrels.values() for table, grade in judged.items() if grade}
    return sum(table_id not in seen for table_id in relevant)
