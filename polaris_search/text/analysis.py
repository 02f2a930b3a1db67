"""Analyzers built from mappings/tables.json: text in, the terms Elasticsearch indexes out.

An analyzer is a chain: character filters, a tokenizer, token filters. Since every filter here turns
one token into its terms without looking at its neighbours, a chain remembers the terms of each
token it has met.
"""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import chain, takewhile

import mappings
from polaris_search.text.filters import (
    AnalysisUnsupported,
    Definition,
    TokenFilter,
    refuse_other_options,
    text_option,
    token_filter,
)
from polaris_search.text.java_pattern import replacer, splitter
from polaris_search.text.standard import MAX_TOKEN_UNITS, standard_tokens

Analyzer = Callable[[str], list[str]]

REMEMBERED_TOKENS = 1 << 18
"""Tokens whose terms one chain remembers before it starts over: about 60 MB of ordinary words."""

_SURFACE_TYPES = ("word_delimiter_graph", "lowercase", "asciifolding")


class Chain:
    """One analyzer. Calling it with a text returns the text's terms in order.

    Its filters fall in two: the leading ones only cut and respell (`surface`), the rest make terms
    of what they leave (`terms`), so that a query can drop words in between and still ask for
    exactly what was indexed.
    """

    def __init__(
        self,
        char_filters: tuple[Callable[[str], str], ...],
        tokenizer: Callable[[str], list[str]],
        surface_filters: tuple[TokenFilter, ...],
        term_filters: tuple[TokenFilter, ...],
    ) -> None:
        self._char_filters = char_filters
        self._tokenizer = tokenizer
        self._surface_filters = surface_filters
        self._term_filters = term_filters
        self.remembered = _Remembered(self)

    def __call__(self, text: str) -> list[str]:
        """Return the text's terms in order."""
        return list(chain.from_iterable(map(self.remembered.__getitem__, self.tokens(text))))

    def tokens(self, text: str) -> list[str]:
        """Return the text's tokens, not yet filtered."""
        for char_filter in self._char_filters:
            text = char_filter(text)
        return self._tokenizer(text)

    def surface(self, token: str) -> tuple[str, ...]:
        """Return the words in a token, cut, lower-cased and folded as here, not yet stemmed."""
        return _filtered((token,), self._surface_filters)

    def terms(self, word: str) -> tuple[str, ...]:
        """Return the indexed terms of a surface word."""
        return _filtered((word,), self._term_filters)


class _Remembered(dict[str, tuple[str, ...]]):
    def __init__(self, owner: Chain) -> None:
        self._owner = owner

    def __missing__(self, token: str) -> tuple[str, ...]:
        owner = self._owner
        terms = tuple(term for word in owner.surface(token) for term in owner.terms(word))
        if len(self) >= REMEMBERED_TOKENS:
            self.clear()
        if len(token) <= MAX_TOKEN_UNITS:  # the keyword tokenizer makes whole texts one token
            self[token] = terms
        return terms


def _filtered(tokens: tuple[str, ...], filters: tuple[TokenFilter, ...]) -> tuple[str, ...]:
    for each in filters:
        if len(tokens) == 1:
            tokens = each(tokens[0])
        else:
            tokens = tuple(filtered for token in tokens for filtered in each(token))
    return tokens


def analyzer_named(name: str) -> Analyzer:
    """Return the analyzer of this name in mappings/tables.json.

    Raises:
        AnalysisUnsupported: there is none, or it uses a component that is not supported.
    """
    return chain_named(name)


@cache
def chain_named(name: str) -> Chain:
    """Return the analyzer of this name as a chain whose steps can be run apart.

    Raises:
        AnalysisUnsupported: as `analyzer_named`.
    """
    return chain_from_json(mappings.tables()["settings"]["analysis"], name)


def chain_from_json(analysis: Mapping[str, Mapping[str, Definition]], name: str) -> Chain:
    """Return the analyzer `name` of an analysis section.

    Raises:
        AnalysisUnsupported: there is none, or it uses a component that is not supported.
    """
    if name not in analysis["analyzer"]:
        raise AnalysisUnsupported(f"An analyzer {name!r} that the mappings do not define")
    analyzer = analysis["analyzer"][name]
    refuse_other_options(analyzer, ("char_filter", "tokenizer", "filter"))
    if text_option(analyzer, "type") != "custom":
        raise AnalysisUnsupported(f"The analyzer type {analyzer['type']!r} of {name!r}")
    filters = [_component(analysis, "filter", each) for each in _names(analyzer, "filter")]
    n_surface = len(list(takewhile(lambda each: each["type"] in _SURFACE_TYPES, filters)))
    return Chain(
        char_filters=tuple(
            _char_filter(_component(analysis, "char_filter", each))
            for each in _names(analyzer, "char_filter")
        ),
        tokenizer=_tokenizer(_component(analysis, "tokenizer", text_option(analyzer, "tokenizer"))),
        surface_filters=tuple(map(token_filter, filters[:n_surface])),
        term_filters=tuple(map(token_filter, filters[n_surface:])),
    )


def component_definitions(
    analysis: Mapping[str, Mapping[str, Definition]], name: str
) -> list[Definition]:
    """Return the analyzer's definition, then those of all it is made of, in a fixed order."""
    analyzer = analysis["analyzer"][name]
    kinds = ("char_filter", "filter")
    parts = [_component(analysis, kind, each) for kind in kinds for each in _names(analyzer, kind)]
    return [analyzer, _component(analysis, "tokenizer", text_option(analyzer, "tokenizer")), *parts]


def _names(analyzer: Definition, kind: str) -> list[str]:
    names = analyzer.get(kind, [])
    return [names] if isinstance(names, str) else [str(name) for name in _sequence(names)]


def _sequence(value: object) -> list[object]:
    if not isinstance(value, list):
        raise AnalysisUnsupported(f"{value!r} in place of a list of names")
    return value


def _component(
    analysis: Mapping[str, Mapping[str, Definition]], kind: str, name: str
) -> Definition:
    """Return the component's own definition, or the built-in one that its name alone stands for."""
    return analysis.get(kind, {}).get(name, {"type": name})


def _char_filter(definition: Definition) -> Callable[[str], str]:
    if definition["type"] != "pattern_replace":
        raise AnalysisUnsupported(f"The character filter type {definition['type']!r}")
    refuse_other_options(definition, ("pattern", "replacement"))
    return replacer(text_option(definition, "pattern"), text_option(definition, "replacement"))


def _tokenizer(definition: Definition) -> Callable[[str], list[str]]:
    kind = definition["type"]
    if kind == "pattern":
        refuse_other_options(definition, ("pattern",))
        return splitter(text_option(definition, "pattern"))
    refuse_other_options(definition, ())
    if kind == "standard":
        return standard_tokens
    if kind == "keyword":
        return _whole_text
    raise AnalysisUnsupported(f"The tokenizer type {kind!r}")


def _whole_text(text: str) -> list[str]:
    return [text]
