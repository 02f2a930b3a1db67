"""A data set's tables with their candidates, ready to be ranked: what stands in the corpus and why.

Comes in: a folder in the paper's layout, its candidates and an expander. Goes out: tables one after
the other with the texts of each version, and how many of what was left out.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ingest.readers.formats import CATALOGUE
from ingest.readers.sources import read_sources
from ingest.steps import Expander
from polaris_search.evaluate.dataset import Dataset
from polaris_search.experiments.held_out import NOTHING_HELD_OUT, HeldOut
from polaris_search.records import Description, EnrichedTable, Expansion, Provenance, RawTable
from polaris_search.store.document import EXPANDED, searched_texts
from trainer.candidates import Candidate
from trainer.ranking.ranker import TableToRank

Corpus = Literal["random", "first"]
"""Which candidate stands for a table in C0: a random one, as in the paper, or the first, as in its
published code."""

NOT_STORED = Provenance("candidate")


@dataclass(frozen=True, slots=True)
class CandidateTable:
    """A table of the data set, its candidates (perhaps none) and the queries that rank them."""

    raw: RawTable
    candidates: tuple[Candidate, ...]
    queries: tuple[int, ...]


@dataclass(slots=True)
class LeftOut:
    """What could not be ranked, counted while the tables are read.

    Attributes:
        rejected_rows: rows of the catalogue that were not taken.
        gold_without_candidates: tables with a relevant query and no candidate.
        all_held_out: tables whose relevant queries are all held out.
        unknown_candidates: tables of the candidates file that the catalogue does not have.
        unknown_judged: tables that are judged relevant and that the catalogue does not have.
    """

    rejected_rows: int = 0
    gold_without_candidates: int = 0
    all_held_out: int = 0
    unknown_candidates: int = 0
    unknown_judged: int = 0


@dataclass(slots=True)
class CandidateTables:
    """The tables of a folder; iterating reads them from the catalogue, each time anew.

    Attributes:
        folder: holds metadata.csv.
        dataset: its queries and judgments.
        candidates: by table.
        expander: expands the names, which some profiles read.
        held_out: the queries that rank nothing.
        left_out: filled by each iteration.
    """

    folder: Path
    dataset: Dataset
    candidates: Mapping[str, tuple[Candidate, ...]]
    expander: Expander
    held_out: HeldOut = NOTHING_HELD_OUT
    left_out: LeftOut = field(default_factory=LeftOut)
    _expansions: dict[str, Expansion | None] = field(default_factory=dict)

    def __iter__(self) -> Iterator[CandidateTable]:
        left_out = LeftOut()
        relevant = self._relevant()
        held_out = self._held_out_places()
        known = set()
        for item in read_sources([str(self.folder / CATALOGUE)], "polaris"):
            if not isinstance(item, RawTable):
                left_out.rejected_rows += 1
                continue
            known.add(item.table_id)
            candidates = self.candidates.get(item.table_id, ())
            judged = relevant.get(item.table_id, ())
            queries = tuple(place for place in judged if place not in held_out)
            left_out.all_held_out += bool(judged) and not queries
            left_out.gold_without_candidates += bool(queries) and not candidates
            yield CandidateTable(item, candidates, queries)
        left_out.unknown_candidates = len(self.candidates.keys() - known)
        left_out.unknown_judged = len(relevant.keys() - known)
        self.left_out = left_out

    @property
    def queries(self) -> list[str]:
        """The texts of the queries; CandidateTable.queries are places in it."""
        return list(self.dataset.queries.values())

    def expansion(self, raw: RawTable) -> Expansion | None:
        """Return the English of a table's names, worked out once."""
        if raw.table_id not in self._expansions:
            self._expansions[raw.table_id] = self.expander.expand(raw)
        return self._expansions[raw.table_id]

    def enriched(self, table: CandidateTable) -> list[EnrichedTable]:
        """Return the table with each of its candidates, or once without a description."""
        return _versions(table, self.expansion(table.raw))

    def to_rank(self, table: CandidateTable, sources: Sequence[str]) -> TableToRank:
        """Return the table for a ranker that reads these sources of a document."""
        # Expanding costs several times what the rest of a ranking by descriptions does.
        expansion = self.expansion(table.raw) if EXPANDED.intersection(sources) else None
        versions = [searched_texts(one, sources) for one in _versions(table, expansion)]
        return TableToRank(versions, table.queries if table.candidates else ())

    def _held_out_places(self) -> frozenset[int]:
        held_out = frozenset(self.held_out.query_ids)
        ids = enumerate(self.dataset.queries)
        return frozenset(place for place, query_id in ids if query_id in held_out)

    def _relevant(self) -> dict[str, list[int]]:
        """Return the relevant queries of each table, in the order of the judgments."""
        places = {query_id: place for place, query_id in enumerate(self.dataset.queries)}
        relevant: dict[str, list[int]] = {}
        for query_id, table_id in self.dataset.judged:
            if self.dataset.qrels[query_id][table_id] > 0:
                relevant.setdefault(table_id, []).append(places[query_id])
        return relevant


def _versions(table: CandidateTable, expansion: Expansion | None) -> list[EnrichedTable]:
    descriptions: list[Description | None] = [one.description for one in table.candidates]
    return [
        EnrichedTable(table.raw, NOT_STORED, expansion, description)
        for description in descriptions or [None]
    ]


def first_member(table_id: str, n_candidates: int, corpus: Corpus, seed: int) -> int:
    """Return the place of the candidate that stands for a table in C0 at first.

    It depends on the table's id and the seed alone, not on the order of tables.
    """
    if corpus == "first" or n_candidates < 2:
        return 0
    return random.Random(f"{seed}:{table_id}").randrange(n_candidates)
