"""The cleaned copy of a description: only what it adds to the table's own words, each word once.

A model's prose repeats itself and the names it was given; searched as it is, it costs more than it
gains. What is left here are the words whose stem stands nowhere in the table's names and context.
"""

from collections.abc import Callable, Sequence
from itertools import chain as flat
from sys import intern

from polaris_search.text.analysis import chain_named
from polaris_search.text.casing import lower_cased
from polaris_search.text.delimiters import holds_only_letters
from polaris_search.text.standard import MAX_TOKEN_UNITS
from polaris_search.text.stop_words import is_stop_word

MIN_LETTERS = 3
REMEMBERED_CHUNKS = 1 << 17
MAX_REMEMBERED_CHARS = 64


class _Remembered(dict[str, tuple[str, ...]]):
    """What `find` gives for each piece of text between two blanks, which no word reaches across."""

    def __init__(self, find: Callable[[str], tuple[str, ...]]) -> None:
        self._find = find

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        found = tuple(map(intern, self._find(chunk)))
        if len(self) >= REMEMBERED_CHUNKS:
            self.clear()
        if len(chunk) <= MAX_REMEMBERED_CHARS:
            self[intern(chunk)] = found
        return found


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
    known = set(flat.from_iterable(map(_terms.__getitem__, _chunks(evidence))))
    words: list[str] = []
    usable = flat.from_iterable(map(_usable_words.__getitem__, _chunks(description)))
    for stem, word in zip(usable, usable, strict=True):
        if stem not in known:
            known.add(stem)
            words.append(word)
    return [" ".join(words)] if words else []


def _chunks(texts: Sequence[str]) -> list[str]:
    return " ".join(texts).split(" ")


def _find_terms(chunk: str) -> tuple[str, ...]:
    return tuple(chain_named("parts")(chunk))


def _find_usable_words(chunk: str) -> tuple[str, ...]:
    """Return the words in a chunk that may be kept, each behind the one stem it is indexed by."""
    tokens = chain_named("parts").tokens(chunk)
    return tuple(text for token in tokens for pair in _usable_words_of(token) for text in pair)


def _usable_words_of(token: str) -> list[tuple[str, str]]:
    chain = chain_named("parts")
    if is_stop_word(lower_cased(token)):
        return []
    words = [(*chain.terms(word), word) for word in chain.surface(token) if _may_be_kept(word)]
    # A word that alone would be analysed otherwise, such as one cut out of another, is left out.
    return [(stem, word) for stem, word in words if _is_plain(word) or chain(word) == [stem]]


def _is_plain(word: str) -> bool:
    """Return whether the word, lower-cased letters as it is, is analysed as itself for sure."""
    return word.isascii() and len(word) <= MAX_TOKEN_UNITS


def _may_be_kept(word: str) -> bool:
    return len(word) >= MIN_LETTERS and holds_only_letters(word) and not is_stop_word(word)


_terms = _Remembered(_find_terms)
_usable_words = _Remembered(_find_usable_words)
