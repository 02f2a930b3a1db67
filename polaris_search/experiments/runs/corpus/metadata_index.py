"""What a catalogue says of its tables before anything is described, searched exactly by BM25.

Two fields: the names of a table's columns by trigrams, its context by words. Built in a temporary
folder from the catalogue in one pass, with the store's own index and scores.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from ingest.readers.polaris import read_polaris
from ingest.readers.row import Row
from polaris_search.bm25.collect import PostingCollector
from polaris_search.bm25.field import FieldIndex
from polaris_search.bm25.layout import identity
from polaris_search.bm25.score import Terms, sum_of
from polaris_search.bm25.top import best
from polaris_search.bm25.write import write_field
from polaris_search.records import RawTable
from polaris_search.text.analysis import analyzer_named
from polaris_search.text.schema import DEFAULT_B, DEFAULT_K1

COLUMNS, CONTEXT = "columns", "context"
ANALYZERS = {COLUMNS: "trigrams", CONTEXT: "words"}
WEIGHT = 0.5
"""Of both fields; not 1, which a server sums in another order (`polaris_search.bm25.score`)."""


class MetadataIndex:
    """A catalogue's index.

    Attributes:
        lines: by table, the line that its row begins on.
        rejected: rows that hold no table.
    """

    def __init__(
        self, fields: Mapping[str, FieldIndex], lines: Mapping[str, int | None], rejected: int
    ) -> None:
        self.lines = lines
        self.rejected = rejected
        self._fields = fields
        self._ids = list(lines)

    def best(self, text: str, size: int) -> list[tuple[str, float]]:
        """Return the best tables and their float32 scores: score descending, then table_id."""
        terms = {name: analyzer_named(analyzer)(text) for name, analyzer in ANALYZERS.items()}
        clauses = [Terms(self._fields[name], terms[name], WEIGHT) for name in terms if terms[name]]
        scores = sum_of(clauses, len(self._ids))
        found = best(scores, size)
        if not len(found.documents):
            return []
        # Documents are numbered as they were read: of those that tie for the last place, any may
        # have been taken.
        places = np.flatnonzero(scores.values >= found.scores[-1])
        documents = places if scores.documents is None else scores.documents[places]
        tied = zip(documents.tolist(), scores.values[places], strict=True)
        listed = [(self._ids[number], float(str(score))) for number, score in tied]
        return sorted(listed, key=lambda one: (-one[1], one[0]))[:size]


@contextmanager
def metadata_index(catalogue: Path) -> Iterator[MetadataIndex]:
    """Build the index of a metadata.csv; of two rows with one table_id the first counts."""
    lines: dict[str, int | None] = {}
    with TemporaryDirectory(prefix="polaris-") as name:
        folder = Path(name)
        collectors = {field: PostingCollector(folder) for field in ANALYZERS}
        try:
            rejected = _collect(catalogue, lines, collectors)
            fields = {field: _written(folder, field, collectors[field]) for field in collectors}
        finally:
            for collector in collectors.values():
                collector.close()
        yield MetadataIndex(fields, lines, rejected)


def searched_texts(table: RawTable) -> dict[str, list[str]]:
    """Return the texts of both fields of a table."""
    return {
        COLUMNS: [column.name for column in table.columns],
        CONTEXT: [table.context[key] for key in sorted(table.context)],
    }


def _collect(
    catalogue: Path, lines: dict[str, int | None], collectors: Mapping[str, PostingCollector]
) -> int:
    """Fill `lines` and the collectors; return how many rows hold no table."""
    rejected = 0
    for item in read_polaris(catalogue):
        if not isinstance(item, Row) or item.table.table_id in lines:
            rejected += 1
            continue
        lines[item.table.table_id] = item.line
        for field, texts in searched_texts(item.table).items():
            analyzer = analyzer_named(ANALYZERS[field])
            collectors[field].add([term for text in texts for term in analyzer(text)])
    return rejected


def _written(folder: Path, field: str, collector: PostingCollector) -> FieldIndex:
    path, built_from = folder / f"{field}.bm25", identity(field)
    write_field(path, built_from, collector, DEFAULT_K1, DEFAULT_B)
    return FieldIndex(path, built_from, DEFAULT_K1)
