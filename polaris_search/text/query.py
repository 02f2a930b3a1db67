"""What a query's text asks for: terms of each kind, by the chains that the fields are indexed with.

Stop words leave here, compared as typed before any stemming, so the index keeps every word. A term
holds no white space and at most 255 UTF-16 units: Elasticsearch receives the terms of a clause
joined by blanks.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Literal, get_args

from polaris_search.text.analysis import Chain, chain_named
from polaris_search.text.casing import lower_cased
from polaris_search.text.delimiters import holds_digit
from polaris_search.text.filters import utf16_units
from polaris_search.text.standard import MAX_TOKEN_UNITS, standard_spans, standard_tokens
from polaris_search.text.stop_words import STOP_WORDS, is_stop_word

TermsKind = Literal[
    "words", "parts", "parts_with_stop_words", "trigrams", "skeleton_prefixes", "joined_words"
]

KINDS: tuple[TermsKind, ...] = get_args(TermsKind)

MAX_DISTINCT_WORDS = 128
MAX_WORDS = 512
MAX_JOINED_WORDS = 3
MIN_SKELETON_PREFIX = 2
REMEMBERED_TOKENS = 1 << 14


def terms_kind(text: str) -> TermsKind:
    """Return the kind of query terms that a profile names.

    Raises:
        ValueError: there is no such kind.
    """
    for kind in KINDS:
        if text == kind:
            return kind
    raise ValueError(f"A clause's terms are one of {', '.join(KINDS)}, not {text!r}.")


def query_terms(kind: TermsKind, text: str) -> list[str]:
    """Return the terms of one kind in order, repeats kept; none if only stop words are left."""
    return [term for term in _TERMS[kind](text) if 0 < utf16_units(term) <= MAX_TOKEN_UNITS]


def exact_term(text: str) -> str | None:
    """Return the whole query as the one term of a name written the same way, if it has one."""
    terms = chain_named("exact")(text)
    return terms[0] if terms else None


def cut_query(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text up to its 129th distinct or its 513th word, and a notice if it was cut.

    Words are those of the standard tokenizer, compared in lower case.
    """
    distinct: set[str] = set()
    end = 0
    for n_words, (start, stop) in enumerate(standard_spans(text)):
        distinct.add(lower_cased(text[start:stop]))
        if n_words == MAX_WORDS or len(distinct) > MAX_DISTINCT_WORDS:
            return text[:end], (_cut_notice(n_words),)
        end = stop
    return text, ()


def _cut_notice(n_words: int) -> str:
    return (
        f"Only the first {n_words} words of the query were searched: {MAX_DISTINCT_WORDS} "
        f"different words and {MAX_WORDS} in all are the most. Shorten it to have every word count."
    )


def holds_only_stop_words(text: str) -> bool:
    """Return whether the text has words and all, identifiers taken apart, are stop words."""
    tokens = standard_tokens(text)
    return bool(tokens) and all(map(_is_stopped, tokens))


@lru_cache(REMEMBERED_TOKENS)
def _is_stopped(token: str) -> bool:
    if is_stop_word(lower_cased(token)):
        return True
    # Stop words are ASCII: "thé" is not one, though folded to ASCII it would look like one.
    parts = chain_named("parts").surface(token) if token.isascii() else ()
    return bool(parts) and all(part in STOP_WORDS for part in parts)


def _words(text: str) -> Iterator[str]:
    chain = chain_named("words")
    for token in standard_tokens(text):
        if not _is_stopped(token):
            yield from chain(token)


def _parts(text: str) -> Iterator[str]:
    chain = chain_named("parts")
    for word in _surface_words(chain, text):
        yield from _terms_of(chain, word)


def _parts_with_stop_words(text: str) -> Iterator[str]:
    yield from chain_named("parts")(text)


def _trigrams(text: str) -> Iterator[str]:
    chain = chain_named("trigrams")
    for word in _surface_words(chain, text):
        if not holds_digit(word):
            yield from _terms_of(chain, word)


def _skeleton_prefixes(text: str) -> Iterator[str]:
    chain = chain_named("skeleton")
    for word in _surface_words(chain, text):
        for skeleton in () if holds_digit(word) else _terms_of(chain, word):
            for length in range(MIN_SKELETON_PREFIX, len(skeleton) + 1):
                yield skeleton[:length]


def _joined_words(text: str) -> Iterator[str]:
    words = list(_surface_words(chain_named("parts"), text))
    joined = chain_named("joined")
    for size in range(1, MAX_JOINED_WORDS + 1):
        for start in range(len(words) - size + 1):
            yield from joined("".join(words[start : start + size]))


def _surface_words(chain: Chain, text: str) -> Iterator[str]:
    """Yield the words of the text as the chain cuts and spells them, stop words left out."""
    for token in standard_tokens(text):
        if not _is_stopped(token):
            yield from _surface_words_of(chain, token)


@lru_cache(REMEMBERED_TOKENS)
def _surface_words_of(chain: Chain, token: str) -> tuple[str, ...]:
    words = (word for piece in chain.tokens(token) for word in chain.surface(piece))
    return tuple(word for word in words if not (token.isascii() and word in STOP_WORDS))


@lru_cache(REMEMBERED_TOKENS)
def _terms_of(chain: Chain, word: str) -> tuple[str, ...]:
    return chain.terms(word)


_TERMS: dict[TermsKind, Callable[[str], Iterator[str]]] = {
    "words": _words,
    "parts": _parts,
    "parts_with_stop_words": _parts_with_stop_words,
    "trigrams": _trigrams,
    "skeleton_prefixes": _skeleton_prefixes,
    "joined_words": _joined_words,
}
