"""How one side's texts are found: its tables in an exact index, the held-out queries searched."""

from collections.abc import Mapping, Sequence

from polaris_search.evaluate.dataset import Qrels
from polaris_search.evaluate.gate.descriptions import Side
from polaris_search.evaluate.gate.retrieval import MEASURES, PerQuery
from polaris_search.evaluate.measures import evaluate_run
from polaris_search.experiments.gate.corpus import CorpusTable
from polaris_search.profiles.model import Profile
from polaris_search.profiles.plan import plan_query
from polaris_search.records import Description, EnrichedTable, Provenance
from polaris_search.store.protocol import ScoredTable, TableStore

DEPTH = 100
"""As far as the deepest measure reads."""

NOT_STORED = Provenance("gate")


def searched(
    tables: Sequence[CorpusTable],
    side: Side,
    queries: Mapping[str, str],
    qrels: Qrels,
    profiles: Sequence[Profile],
    store: TableStore,
) -> dict[str, PerQuery]:
    """Return the measures of each query by profile, with the side's texts in the index.

    A generation of the store's own is made for it, and dropped.

    Args:
        tables: the corpus.
        side: what was written of them; a table without is indexed without a description.
        queries: the held-out ones, by id.
        qrels: their judgments.
        profiles: to search with.
        store: gives the generation.

    Raises:
        NothingToMeasure: no query has a relevant table.
    """
    with store.scratch() as index:
        index.put(_enriched(table, side) for table in tables)
        index.refresh()
        return {
            profile.name: evaluate_run(qrels, _run(queries, profile, index), MEASURES).per_query
            for profile in profiles
        }


def _enriched(table: CorpusTable, side: Side) -> EnrichedTable:
    written = side.get(table.raw.table_id)
    description = Description(*written.texts) if written and written.texts else None
    return EnrichedTable(table.raw, NOT_STORED, table.expansion, description)


def _run(
    queries: Mapping[str, str], profile: Profile, index: TableStore
) -> dict[str, tuple[ScoredTable, ...]]:
    plans = {query_id: plan_query(profile, text) for query_id, text in queries.items()}
    return {
        query_id: () if plan.asks_nothing else index.search(plan, DEPTH).hits
        for query_id, plan in plans.items()
    }
