"""How long, repetitive and far from the table a description is, counted in words. Pure."""

import re
from collections.abc import Sequence

from polaris_search.text.analysis import analyzer_named
from polaris_search.text.cleaned import description_terms

_WORD = re.compile(r"\w+")


def n_words(texts: Sequence[str]) -> int:
    """Return the words of all texts."""
    return sum(len(_words(text)) for text in texts)


def distinct_share(texts: Sequence[str]) -> float:
    """Return the share of different stems among all that are searched; 1 where there is none."""
    stems = [stem for text in texts for stem in analyzer_named("words")(text)]
    return len(set(stems)) / len(stems) if stems else 1.0


def longest_repeat(texts: Sequence[str]) -> int:
    """Return the words of the longest phrase that stands twice, in one text or in two; 0: none."""
    words: list[str | int] = []
    for number, text in enumerate(texts):
        words += _words(text)
        words.append(number)  # no phrase goes from one text into the next
    low, high = 0, len(words)
    while low < high:  # where a phrase stands twice, so does each part of it
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _repeats(words, middle) else (low, middle - 1)
    return low


def unknown_share(texts: Sequence[str], prompt: str) -> float:
    """Return the share of a description's different content words that the prompt does not hold.

    Content words are those that the cleaned copy of a description is made of, told apart by their
    stems, as are the prompt's, whose names are taken apart; 0 where there is none.
    """
    said, new = (_content_words(texts, evidence) for evidence in ([], [prompt]))
    return new / said if said else 0.0


def _content_words(texts: Sequence[str], evidence: Sequence[str]) -> int:
    return sum(len(text.split()) for text in description_terms(texts, evidence))


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]


def _repeats(words: Sequence[str | int], length: int) -> bool:
    phrases = [tuple(words[n : n + length]) for n in range(len(words) - length + 1)]
    return len(set(phrases)) < len(phrases)
