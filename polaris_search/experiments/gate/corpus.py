"""The tables that both sides describe: all of a data set, or those that matter and a sample.

The tables that held-out queries ask for are always among them. The others are drawn by their ids
and a seed, so that the same sample is drawn for every adapter.
"""

import hashlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from heapq import nsmallest
from pathlib import Path

from ingest.readers.formats import CATALOGUE
from ingest.readers.sources import read_sources
from ingest.steps import Expander
from polaris_search.records import Expansion, RawTable

SEED = 42


@dataclass(frozen=True, slots=True)
class CorpusTable:
    """A table with the English of its names."""

    raw: RawTable
    expansion: Expansion | None


@dataclass(frozen=True, slots=True)
class Corpus:
    """The tables in the catalogue's order, and what was set aside, in sentences."""

    tables: tuple[CorpusTable, ...]
    notices: tuple[str, ...]


@dataclass(slots=True)
class _Catalogue:
    """Reads the rows of a catalogue, and counts those that are not taken."""

    folder: Path
    rejected: int = 0
    ids: set[str] = field(default_factory=set)

    def __iter__(self) -> Iterator[RawTable]:
        for item in read_sources([str(self.folder / CATALOGUE)], "polaris"):
            if isinstance(item, RawTable):
                self.ids.add(item.table_id)
                yield item
            else:
                self.rejected += 1


def gate_corpus(
    folder: Path, asked_for: Collection[str], expander: Expander, sample: int | None
) -> Corpus:
    """Return the tables that both sides are to describe.

    Args:
        folder: holds metadata.csv.
        asked_for: tables that are relevant for a held-out query.
        expander: expands the names.
        sample: so many tables, and never fewer than are asked for; None: all.

    Raises:
        SourceUnreadable: there is no metadata.csv.
    """
    catalogue = _Catalogue(folder)
    if sample is None:
        tables = list(catalogue)
    else:
        wanted = [(place, table) for place, table in enumerate(catalogue)]
        gold = [one for one in wanted if one[1].table_id in asked_for]
        others = (one for one in wanted if one[1].table_id not in asked_for)
        drawn = nsmallest(max(0, sample - len(gold)), others, key=lambda one: _draw(one[1]))
        tables = [table for _, table in sorted([*gold, *drawn], key=lambda one: one[0])]
    missing = len(set(asked_for) - catalogue.ids)
    counted = (
        (catalogue.rejected, f"rows of {CATALOGUE} were not taken."),
        (missing, f"relevant tables are not in {CATALOGUE}; they count as not found."),
    )
    return Corpus(
        tuple(CorpusTable(table, expander.expand(table)) for table in tables),
        tuple(f"{count} {what}" for count, what in counted if count),
    )


def _draw(table: RawTable) -> bytes:
    return hashlib.sha256(f"{SEED}:{table.table_id}".encode()).digest()
