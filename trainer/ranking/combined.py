"""The scores of several clauses as one, rounded where the server rounds. Pure."""

from collections.abc import Sequence

import numpy as np

from polaris_search.bm25.formula import FloatArray


def combined(columns: Sequence[FloatArray], tie_breaker: float | None) -> FloatArray:
    """Return the best column plus `tie_breaker` times the others, or (None) the sum of all.

    Args:
        columns: the float32 scores of each clause, 0 where it does not match; at least one.
        tie_breaker: the profile's.

    Source: Lucene, DisjunctionMaxScorer; Elasticsearch's bool.should. See bm25.score, which does
    the same for lists that leave out what does not match.
    """
    stacked = np.stack(columns)
    total = np.sum(stacked.astype(np.float64), axis=0)
    if tie_breaker is not None:
        best = np.max(stacked, axis=0)
        total = (total - best) * float(np.float32(tie_breaker)) + best
    scores: FloatArray = total.astype(np.float32)
    return scores
