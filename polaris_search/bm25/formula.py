"""BM25 as Elasticsearch computes it, step by step in float32.

Statistics and counts come in, weights and scores go out; nothing here knows a file or a query.
Every step is rounded to float32 exactly where Lucene's Java does it, so that scores are equal to
the last bit.
"""

import math
from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float32]
NormArray = NDArray[np.uint8]

ONE = np.float32(1)


def decoded_length(norm: int) -> int:
    """Return the field length that a norm byte (0 to 255) stands for.

    Source: Lucene, SmallFloat.byte4ToInt: 24 values as they are, then a float of 4 significant
    bits.
    """
    if norm < 24:
        return norm
    bits = norm - 24
    shift = (bits >> 3) - 1
    if shift < 0:
        return 24 + bits
    return 24 + ((bits & 7 | 8) << shift)


_DECODED = [decoded_length(norm) for norm in range(256)]
LENGTHS = np.array(_DECODED, dtype=np.float32)
"""The length behind each norm byte, float32. Shape (256,)."""


def norm_of_length(length: int) -> int:
    """Return the norm byte of a field length in tokens, the greatest that stands for no more.

    Source: Lucene, SmallFloat.intToByte4, which cuts the bits that do not fit.
    """
    return bisect_right(_DECODED, length) - 1


def norms_of_lengths(lengths: NDArray[np.int32]) -> NormArray:
    """Return the norm byte of each field length. Shape as `lengths`."""
    return (np.searchsorted(_DECODED, lengths, side="right") - 1).astype(np.uint8)


def quantised_length(length: int) -> int:
    """Return the length that a score sees: exact to 40, then in steps (42, 44, .. 96, 104, ..)."""
    return _DECODED[norm_of_length(length)]


def inverse_document_frequency(n_with_term: int, n_with_field: int) -> np.float32:
    """Return ln(1 + (n - df + 0.5) / (df + 0.5)), computed in double, cast once.

    Args:
        n_with_term: df, documents with the term in the field.
        n_with_field: n, documents with at least one token in the field; empty ones do not count.

    Source: Lucene, BM25Similarity.idf; Robertson and Zaragoza 2009, "The Probabilistic Relevance
    Framework", eq. 3.8 with Lucene's 1 inside the logarithm.
    """
    return np.float32(math.log(1 + (n_with_field - n_with_term + 0.5) / (n_with_term + 0.5)))


def average_length(total_length: int, n_with_field: int) -> np.float32:
    """Return the mean length in tokens of the documents with the field, cast to float32 once.

    It is 1 where no document has the field.

    Source: Lucene, BM25Similarity.avgFieldLength. `total_length` sums the true lengths, not the
    quantised ones.
    """
    return np.float32(total_length / n_with_field) if n_with_field else ONE


def norm_inverses(average: np.float32, k1: float, b: float) -> FloatArray:
    """Return 1 / (k1 * ((1 - b) + b * length / average)) for each norm byte. Shape (256,).

    Source: Lucene, BM25Similarity.scorer (its cache), in this order of operations.
    """
    k1_, b_ = np.float32(k1), np.float32(b)
    return ONE / (k1_ * ((ONE - b_) + b_ * LENGTHS / average))


def term_weight(boost: float, count: int, k1: float, idf: np.float32) -> np.float32:
    """Return ((boost * count) * (1 + k1)) * idf, the most that a term can add to a score.

    Args:
        boost: the clause's boost.
        count: how often the term stands in the query; it makes one clause with that boost.
        k1: the field's k1. Elasticsearch keeps the factor (1 + k1) that Lucene itself has dropped.
        idf: the term's inverse document frequency.

    Source: Elasticsearch, LegacyBM25Similarity; Lucene, BM25Similarity.BM25Scorer.
    """
    return ((np.float32(boost) * np.float32(count)) * (ONE + np.float32(k1))) * idf


def term_scores(weight: np.float32 | FloatArray, denominators: FloatArray) -> FloatArray:
    """Return w - w / (1 + tf * norm inverse) for each document, given those denominators.

    Source: Lucene, BM25Similarity.BM25Scorer.doScore; w * tf / (tf + K) would differ in the last
    bit.
    """
    scores: FloatArray = weight / denominators
    np.subtract(weight, scores, out=scores)
    return scores
