"""From a data set's candidates to preference pairs: rank exactly, perhaps in rounds, then pair.

The paper's Algorithm 1 with its corpus C0, in closed form.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Literal

import numpy as np

from polaris_search.experiments.candidate_tables import (
    CandidateTable,
    CandidateTables,
    Corpus,
    LeftOut,
    first_member,
)
from polaris_search.experiments.pairs_progress import UNWATCHED, PairsProgress
from polaris_search.profiles.model import Profile
from polaris_search.records import content_hash
from polaris_search.text.schema import table_schema
from trainer.pairs import MIN_MARGIN, PairReport, PreferencePair, RankedTable, pairs_of
from trainer.ranking.analysis_cache import AnalysisCache
from trainer.ranking.clauses import IntArray, single_field
from trainer.ranking.ranker import Means, Ranker
from trainer.ranking.rounds import Ranking, ranked

Objective = Literal["score", "terms-once", "reciprocal-rank", "ndcg"]
"""What a candidate is judged by: its score under the profile; the score of its cleaned text, in
which each stem stands once, so that repetition wins nothing; or the place at which its table would
be listed, as 1 / place or 1 / log2(1 + place)."""

GAINS: dict[Objective, Callable[[int], float]] = {
    "reciprocal-rank": lambda place: 1 / place if place else 0.0,
    "ndcg": lambda place: 1 / math.log2(1 + place) if place else 0.0,
}
"""What a place in the list of results is worth, from 1; 0 is not found."""


@dataclass(frozen=True, slots=True)
class PairChoices:
    """How to rank and to pair.

    Attributes:
        profile: the search to serve.
        objective: see Objective; terms-once reads the field description_terms in place of the
            profile's fields.
        corpus: which candidate stands for a table in C0 at first.
        seed: chooses the random ones.
        keep_own: leave a table's own member of C0 beside its candidates.
        rounds: the most rounds, >= 1.
        min_margin: means of a pair differ by more.
        every: all pairs of a table, not only the best with the worst.
    """

    profile: Profile
    objective: Objective = "score"
    corpus: Corpus = "random"
    seed: int = 42
    keep_own: bool = False
    rounds: int = 1
    min_margin: float = MIN_MARGIN
    every: bool = False

    @property
    def searched(self) -> Profile:
        """The profile that candidates are scored under."""
        return single_field("description_terms") if self.objective == "terms-once" else self.profile


@dataclass(frozen=True, slots=True)
class BuiltPairs:
    """What was ranked and paired.

    Attributes:
        ranked: the gold tables that have candidates, in the catalogue's order.
        pairs: of them.
        report: counts of both.
        ranking: how the rounds went.
        members: table to the place of the candidate that stood for it in C0 in the last round.
        left_out: what could not be ranked.
        unmatched: (table, query) pairs in which no candidate holds a word of the query.
        corpus_hash: of candidates, queries and judgments.
        seconds: all of it.
    """

    ranked: tuple[RankedTable, ...]
    pairs: tuple[PreferencePair, ...]
    report: PairReport
    ranking: Ranking
    members: Mapping[str, int]
    left_out: LeftOut
    unmatched: int
    corpus_hash: str
    seconds: float


def build_pairs(
    tables: CandidateTables,
    choices: PairChoices,
    *,
    cache: AnalysisCache | None = None,
    progress: PairsProgress = UNWATCHED,
    clock: Callable[[], float] = perf_counter,
) -> BuiltPairs:
    """Return the ranking of all gold tables' candidates, and the pairs that it gives.

    Args:
        tables: the data set and its candidates.
        choices: how to rank and to pair.
        cache: what is known of texts from before; None: nothing.
        progress: hears how far it is.
        clock: seconds from any start.
    """
    began = clock()
    cache = cache or AnalysisCache()
    read: list[CandidateTable] = []
    ranker = _ranker(_noted(tables, read, progress), tables, choices, cache)
    layout = ranker.tables
    members = layout.first[:-1] + np.array([_first(one, choices) for one in read], dtype=np.int64)
    means_of = _means_of(ranker, choices, read)
    ranking = ranked(
        means_of,
        members,
        layout.first,
        layout.gold,
        choices.rounds,
        on_round=lambda number, changed: progress.round_done(number, choices.rounds, changed),
    )
    found = _ranked_tables([read[place] for place in layout.gold], ranking, tables)
    pairs, report = pairs_of(found, choices.min_margin, every=choices.every, cache=cache)
    return BuiltPairs(
        ranked=found,
        pairs=pairs,
        report=report,
        ranking=ranking,
        members={
            one.raw.table_id: int(member - first)
            for one, member, first in zip(read, ranking.members, layout.first[:-1], strict=True)
        },
        left_out=tables.left_out,
        unmatched=ranker.unmatched(),
        corpus_hash=_corpus_hash(tables),
        seconds=clock() - began,
    )


def _noted(
    tables: CandidateTables, read: list[CandidateTable], progress: PairsProgress
) -> Iterator[CandidateTable]:
    """Yield the tables, and note each in `read`."""
    for table in tables:
        read.append(table)
        yield table
        progress.read(len(read), len(tables.candidates))


def _ranker(
    read: Iterator[CandidateTable],
    tables: CandidateTables,
    choices: PairChoices,
    cache: AnalysisCache,
) -> Ranker:
    profile = choices.searched
    sources = sorted(
        {one for path in profile.fields for one in table_schema().fields[path].sources}
    )
    to_rank = (tables.to_rank(table, sources) for table in read)
    return Ranker(to_rank, tables.queries, profile, keep_own=choices.keep_own, cache=cache)


def _means_of(
    ranker: Ranker, choices: PairChoices, read: Sequence[CandidateTable]
) -> Callable[[IntArray], Means]:
    if choices.objective not in GAINS:
        return ranker.means
    gain = GAINS[choices.objective]
    ids = [table.raw.table_id for table in read]
    order = np.empty(len(ids), dtype=np.int64)
    order[sorted(range(len(ids)), key=ids.__getitem__)] = np.arange(len(ids))
    return lambda members: ranker.mean_gains(members, order, gain)


def _ranked_tables(
    gold: Sequence[CandidateTable], ranking: Ranking, tables: CandidateTables
) -> tuple[RankedTable, ...]:
    query_ids = list(tables.dataset.queries)
    return tuple(
        RankedTable(
            table_id=table.raw.table_id,
            candidates=table.candidates,
            means=means,
            best=won.best,
            worst=won.worst,
            queries=tuple(query_ids[query] for query in table.queries),
        )
        for table, means, won in zip(gold, ranking.last.means, ranking.last.winners, strict=True)
    )


def _first(table: CandidateTable, choices: PairChoices) -> int:
    n_candidates = len(table.candidates)
    return first_member(table.raw.table_id, n_candidates, choices.corpus, choices.seed)


def _corpus_hash(tables: CandidateTables) -> str:
    texts = (
        part
        for table_id, candidates in sorted(tables.candidates.items())
        for part in (table_id, *(one.text for one in candidates))
    )
    judged = (part for pair in tables.dataset.judged for part in pair)
    return content_hash(*texts, *tables.dataset.queries.values(), *judged)
