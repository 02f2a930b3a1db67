"""Texts of one field in, term numbers into its collector out: each token is looked up once.

A token's terms, and their numbers in the field's vocabulary, are remembered together: most tokens
of a corpus have been met before, and take one look-up instead of one for the terms and one each for
their numbers.
"""

from collections.abc import Iterable
from itertools import chain

from polaris_search.bm25.collect import PostingCollector
from polaris_search.text.analysis import REMEMBERED_TOKENS, Chain, chain_named


class TextCollector:
    """Analyses the texts of one field, table by table.

    Args:
        collector: takes the terms.
        analyzer: name of the field's analyzer.
    """

    def __init__(self, collector: PostingCollector, analyzer: str) -> None:
        self._collector = collector
        self._chain = chain_named(analyzer)
        self._numbers = _TermNumbers(self._chain, collector.vocabulary)

    def add(self, texts: Iterable[str]) -> None:
        """Take the next table's texts."""
        numbers = chain.from_iterable(map(self._numbers_of, texts))
        self._collector.add_numbers(numbers)

    def _numbers_of(self, text: str) -> Iterable[int]:
        tokens = self._chain.tokens(text)
        return chain.from_iterable(map(self._numbers.__getitem__, tokens))


class _TermNumbers(dict[str, tuple[int, ...]]):
    """The numbers of a token's terms; they start over when there are too many."""

    def __init__(self, analysis: Chain, vocabulary: dict[str, int]) -> None:
        self._terms = analysis.remembered
        self._vocabulary = vocabulary

    def __missing__(self, token: str) -> tuple[int, ...]:
        if len(self) >= REMEMBERED_TOKENS:
            self.clear()
        numbers = tuple(map(self._vocabulary.__getitem__, self._terms[token]))
        self[token] = numbers
        return numbers
