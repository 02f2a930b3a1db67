"""The peer: BM25 as one would write it in an afternoon, dictionaries and double arithmetic.

Best of several fields plus a tenth of the others, as the profile `paper`, with its k1 and b.
"""

import heapq
import math
from collections import Counter, defaultdict
from collections.abc import Sequence

K1, B, TIE_BREAKER = 1.2, 0.75, 0.1


class PlainField:
    """An inverted index of one field; `finish` it after the last document."""

    def __init__(self) -> None:
        self._postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._lengths: list[int] = []
        self._filled = 0
        self._norms: list[float] = []

    def add(self, tokens: Sequence[str]) -> None:
        """Take the next document's tokens."""
        for term, count in Counter(tokens).items():
            self._postings[term].append((len(self._lengths), count))
        self._lengths.append(len(tokens))

    def finish(self) -> None:
        """Compute what every query needs."""
        self._filled = sum(length > 0 for length in self._lengths)
        average = sum(self._lengths) / self._filled
        self._norms = [K1 * (1 - B + B * length / average) for length in self._lengths]

    def scores(self, terms: Sequence[str]) -> dict[int, float]:
        """Return the scores of the documents that have one of the terms."""
        scores: dict[int, float] = defaultdict(float)
        for term in terms:
            postings = self._postings.get(term, ())
            idf = math.log(1 + (self._filled - len(postings) + 0.5) / (len(postings) + 0.5))
            for document, count in postings:
                scores[document] += idf * (K1 + 1) * count / (count + self._norms[document])
        return scores


def plain_search(fields: Sequence[PlainField], terms: Sequence[str], size: int) -> list[int]:
    """Return the numbers of the best documents."""
    best: dict[int, float] = defaultdict(float)
    total: dict[int, float] = defaultdict(float)
    for field in fields:
        for document, score in field.scores(terms).items():
            best[document] = max(best[document], score)
            total[document] += score
    final = {one: best[one] + TIE_BREAKER * (total[one] - best[one]) for one in best}
    return heapq.nsmallest(size, final, key=lambda document: (-final[document], document))
