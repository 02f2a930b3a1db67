"""Ranks the candidates of every gold table by the mean score that its queries give them.

Tables and queries come in once and are read once; then `rank` answers for any choice of members of
the default corpus C0, so that a further round costs no analysis.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from polaris_search.bm25.formula import FloatArray
from polaris_search.profiles.model import Profile
from polaris_search.store.document import SearchedTexts
from trainer.ranking.analysis_cache import AnalysisCache
from trainer.ranking.clauses import Asked, IntArray, asked_of
from trainer.ranking.combined import combined
from trainer.ranking.field_scores import FieldScores
from trainer.ranking.places import field_corpus, places_of
from trainer.ranking.readings import Reader
from trainer.ranking.tables import Numbered, numbered

Means = tuple[tuple[float, ...], ...]
"""For each gold table, the mean score of each of its candidates, in their order."""


@dataclass(frozen=True, slots=True)
class TableToRank:
    """One table.

    Attributes:
        versions: the searched texts of the table with each candidate; of one without candidates, a
            single version without a description.
        queries: the queries that it should be found by, in the order of the judgments, as places in
            the list of queries; none where it is not to be ranked.
    """

    versions: Sequence[SearchedTexts]
    queries: Sequence[int]


class Ranker:
    """All that a ranking needs, read.

    Args:
        tables: each table once, in any order; held one at a time.
        queries: their texts.
        profile: the search that is to be served; what it reads must stand in the versions.
        keep_own: leave a table's own member of C0 in the corpus beside its candidates. The paper
            and the published code do not.
        cache: what is known of texts from before; None: nothing.
    """

    def __init__(
        self,
        tables: Iterable[TableToRank],
        queries: Sequence[str],
        profile: Profile,
        *,
        keep_own: bool = False,
        cache: AnalysisCache | None = None,
    ) -> None:
        self._asked: Asked = asked_of(profile, queries)
        readers = [Reader(one.field.analyzer, one.vocabulary, cache) for one in self._asked.clauses]
        n_versions: list[int] = []
        relevant: list[Sequence[int]] = []
        for table in tables:
            n_versions.append(len(table.versions))
            relevant.append(table.queries)
            for texts in table.versions:
                self._read(readers, texts)
        self.tables: Numbered = numbered(n_versions, relevant)
        self._readings = [reader.readings() for reader in readers]
        self._fields = [
            FieldScores(clause, readings, self.tables, keep_own=keep_own)
            for clause, readings in zip(self._asked.clauses, self._readings, strict=True)
        ]

    def scores(self, members: IntArray) -> FloatArray:
        """Return the score of each cell of `tables`, float32, as a search would give it.

        Args:
            members: the version of each table that stands in C0. Shape (tables,).
        """
        if not self._fields:
            return np.zeros(len(self.tables.cell_gold), dtype=np.float32)
        return combined([field.of(members) for field in self._fields], self._asked.tie_breaker)

    def means(self, members: IntArray) -> Means:
        """Return the mean score of each candidate over its table's queries.

        A mean adds the shortest decimals of the float32 scores, as a client of the server reads
        them, in the order of the judgments, then divides.
        """
        return self._means(_as_printed(self.scores(members)))

    def mean_gains(self, members: IntArray, order: IntArray, gain: Callable[[int], float]) -> Means:
        """Return the mean gain of each candidate over its table's queries, by the list's place.

        Args:
            members: the version of each table that stands in C0. Shape (tables,).
            order: the place of each table among all by its id. Shape (tables,).
            gain: of a place in the list of results, from 1; 0 is not found.
        """
        pairs = zip(self._asked.clauses, self._readings, strict=True)
        fields = [field_corpus(clause, readings, members) for clause, readings in pairs]
        places = places_of(fields, self._asked.tie_breaker, self.tables, order)
        return self._means([gain(place) for place in places.tolist()])

    def _means(self, of_cells: Sequence[float]) -> Means:
        tables = self.tables
        means = []
        for place in range(len(tables.gold)):
            first, last = tables.pairs_of[place], tables.pairs_of[place + 1]
            start, end = tables.pairs[first], tables.pairs[last]
            k = tables.candidates(place)
            columns = [of_cells[start + one : end : k] for one in range(k)]
            means.append(tuple(sum(column) / len(column) for column in columns))
        return tuple(means)

    def unmatched(self) -> int:
        """Return for how many (table, query) pairs no candidate holds a word of the query."""
        matched = np.zeros(len(self.tables.cell_gold), dtype=np.int64)
        for field in self._fields:
            matched[field.matched] = 1
        before = np.concatenate(([0], np.cumsum(matched)))
        in_pair = before[self.tables.pairs[1:]] - before[self.tables.pairs[:-1]]
        return int(np.count_nonzero(in_pair == 0))

    def _read(self, readers: Sequence[Reader], texts: SearchedTexts) -> None:
        for clause, reader in zip(self._asked.clauses, readers, strict=True):
            reader.add([text for source in clause.field.sources for text in texts[source]])


def _as_printed(scores: FloatArray) -> list[float]:
    """Return each score as the double of its shortest decimal; most are alike, or 0."""
    unique, place = np.unique(scores, return_inverse=True)
    printed = np.array([float(str(score)) for score in unique])
    values: list[float] = printed[place].tolist() if len(printed) else []
    return values
