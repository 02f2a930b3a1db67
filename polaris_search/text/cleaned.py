"""The cleaned copy of a description: only what it adds to the table's own words, each word once.

A model's prose repeats itself and the names it was given; searched as it is, it costs more than it
gains. What is left here are the words whose stem stands nowhere in the table's names and context.
"""

from collections.abc import Sequence
from functools import lru_cache

from polaris_search.text.analysis import chain_named
from polaris_search.text.casing import lower_cased
from polaris_search.text.delimiters import holds_only_letters
from polaris_search.text.stop_words import is_stop_word

MIN_LETTERS = 3
REMEMBERED_TOKENS = 1 << 16


def description_terms(description: Sequence[str], evidence: Sequence[str]) -> list[str]:
    """Return the description's new words as one text, or nothing if there is no new word.

    Args:
        description: the description's texts.
        evidence: the table's own texts: names, expansions, context.

    Returns:
        An empty list, or one text: lower-cased words of at least three letters, no stop words, each
        `parts` stem once, in the description's order, joined by blanks. The analyzer `parts` gives
        exactly these stems for it.
    """
    if not description:
        return []
    chain = chain_named("parts")
    known = {term for text in evidence for term in chain(text)}
    words: list[str] = []
    for token in (token for text in description for token in chain.tokens(text)):
        for word, terms in _usable_words(token):
            if known.isdisjoint(terms):
                known.update(terms)
                words.append(word)
    return [" ".join(words)] if words else []


@lru_cache(REMEMBERED_TOKENS)
def _usable_words(token: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the words in a token that may be kept, each with the terms it is indexed by."""
    chain = chain_named("parts")
    if is_stop_word(lower_cased(token)):
        return ()
    words = ((word, chain.terms(word)) for word in chain.surface(token) if _may_be_kept(word))
    # A word that alone would be analysed otherwise, such as one cut out of another, is left out.
    return tuple((word, terms) for word, terms in words if chain(word) == list(terms))


def _may_be_kept(word: str) -> bool:
    return len(word) >= MIN_LETTERS and holds_only_letters(word) and not is_stop_word(word)
