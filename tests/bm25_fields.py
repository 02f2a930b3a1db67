"""Small index files for tests: token lists in, the opened index out."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from polaris_search.bm25.collect import PostingCollector
from polaris_search.bm25.field import FieldIndex
from polaris_search.bm25.layout import identity
from polaris_search.bm25.score import Scores
from polaris_search.bm25.write import write_field

BUILT_FROM = identity("test")


def field_index(
    folder: Path,
    documents: Sequence[str],
    name: str = "field",
    *,
    k1: float = 1.2,
    b: float = 0.75,
    block_tokens: int = 1000,
) -> FieldIndex:
    """Return the index of documents whose tokens are written with blanks between them."""
    collector = PostingCollector(folder, block_tokens)
    for document in documents:
        collector.add(document.split())
    path = folder / f"{name}.bm25"
    write_field(path, BUILT_FROM, collector, k1, b)
    collector.close()
    return FieldIndex(path, BUILT_FROM, k1)


def score_of(scores: Scores, document: int) -> np.float32:
    """Return one document's score, 0 where it does not match."""
    if scores.documents is None:
        return np.float32(scores.values[document])
    places = np.flatnonzero(scores.documents == document)
    return np.float32(scores.values[places[0]] if len(places) else 0)


def addend(index: FieldIndex, term: str, boost: float, document: int) -> float:
    """Return what a term adds to one document's score."""
    found = index.scores(term, boost)
    return (
        0.0 if found is None else float(score_of(Scores(found.documents, found.values), document))
    )
