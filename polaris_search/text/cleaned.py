"""The cleaned copy of a description: only what it adds to the table's own words, each word once.

A model's prose repeats itself and the names it was given; searched as it is, it costs more than it
gains. What is left here are the words whose stem stands nowhere in the table's names and context.
"""

from collections.abc import Iterator, Sequence

from polaris_search.text.analysis import Chain, chain_named
from polaris_search.text.casing import lower_cased
from polaris_search.text.delimiters import holds_only_letters
from polaris_search.text.stop_words import is_stop_word

MIN_LETTERS = 3


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
    chain = chain_named("parts")
    known = {term for text in evidence for term in chain(text)} if description else set()
    words: list[str] = []
    for word in (word for text in description for word in _words(chain, text)):
        terms = chain(word)
        if terms == list(chain.terms(word)) and known.isdisjoint(terms):
            known.update(terms)
            words.append(word)
    return [" ".join(words)] if words else []


def _words(chain: Chain, text: str) -> Iterator[str]:
    for token in chain.tokens(text):
        if is_stop_word(lower_cased(token)):
            continue
        for word in chain.surface(token):
            if len(word) >= MIN_LETTERS and holds_only_letters(word) and not is_stop_word(word):
                yield word
