"""The token filters that the mappings may use: each turns one token into the tokens it becomes.

A definition is the filter's JSON object, read strictly: an option that is not understood is
refused, because ignoring it would make the embedded index differ from Elasticsearch's.
"""

from collections.abc import Callable, Mapping

from polaris_search.errors import PolarisError
from polaris_search.text.casing import folded_to_ascii, lower_cased
from polaris_search.text.delimiters import identifier_parts
from polaris_search.text.java_pattern import replacer
from polaris_search.text.porter import porter_stem
from polaris_search.text.stop_words import LUCENE_ENGLISH

TokenFilter = Callable[[str], tuple[str, ...]]
Definition = Mapping[str, object]

_MAX_UNITS = 2**31 - 1  # Elasticsearch's default for a length filter without a maximum


class AnalysisUnsupported(PolarisError):
    """The mappings use an analysis component that the Python analyzers do not have."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} is not supported by polaris_search.text. "
            "Use a supported component in mappings/tables.json, or add it there first."
        )


def token_filter(definition: Definition) -> TokenFilter:
    """Return the filter that a definition describes, `type` naming its kind.

    Raises:
        AnalysisUnsupported: an unknown type, or an option that its type is not known to have.
    """
    kind = text_option(definition, "type")
    if kind not in _FILTERS:
        raise AnalysisUnsupported(f"The token filter type {kind!r}")
    make, options = _FILTERS[kind]
    refuse_other_options(definition, options)
    return make(definition)


def refuse_other_options(definition: Definition, known: tuple[str, ...]) -> None:
    """Raise AnalysisUnsupported if a definition has an option beside `type` and the known ones."""
    for option in definition:
        if option not in ("type", *known):
            raise AnalysisUnsupported(f"The option {option!r} of type {definition['type']!r}")


def text_option(definition: Definition, name: str) -> str:
    """Return a required option that is a text."""
    value = definition.get(name)
    if not isinstance(value, str):
        raise AnalysisUnsupported(f"{dict(definition)!r} without a text as its {name!r}")
    return value


def _number_option(definition: Definition, name: str, default: int) -> int:
    value = definition.get(name, default)
    if not isinstance(value, int):
        raise AnalysisUnsupported(f"{dict(definition)!r} with {name!r} not a whole number")
    return value


def utf16_units(text: str) -> int:
    """Return the text's length as Java counts it."""
    if text.isascii() or max(text, default="") <= "\uffff":
        return len(text)
    return len(text) + sum(character > "\uffff" for character in text)


def _one_to_one(change: Callable[[str], str]) -> TokenFilter:
    return lambda token: (change(token),)


def _lowercase(_: Definition) -> TokenFilter:
    return _one_to_one(lower_cased)


def _asciifolding(_: Definition) -> TokenFilter:
    return _one_to_one(folded_to_ascii)


def _porter_stem(_: Definition) -> TokenFilter:
    return _one_to_one(porter_stem)


def _word_delimiter_graph(_: Definition) -> TokenFilter:
    return identifier_parts


def _stop(definition: Definition) -> TokenFilter:
    if definition.get("stopwords", "_english_") != "_english_":
        raise AnalysisUnsupported("A stop filter with a list other than '_english_'")
    return lambda token: () if token in LUCENE_ENGLISH else (token,)


def _length(definition: Definition) -> TokenFilter:
    shortest = _number_option(definition, "min", 0)
    longest = _number_option(definition, "max", _MAX_UNITS)
    return lambda token: (token,) if shortest <= utf16_units(token) <= longest else ()


def _pattern_replace(definition: Definition) -> TokenFilter:
    return _one_to_one(
        replacer(text_option(definition, "pattern"), text_option(definition, "replacement"))
    )


def _ngram(definition: Definition) -> TokenFilter:
    shortest = _number_option(definition, "min_gram", 1)
    longest = _number_option(definition, "max_gram", 2)

    def grams(token: str) -> tuple[str, ...]:
        return tuple(
            token[start : start + size]
            for start in range(len(token))
            for size in range(shortest, min(longest, len(token) - start) + 1)
        )

    return grams


_FILTERS: dict[str, tuple[Callable[[Definition], TokenFilter], tuple[str, ...]]] = {
    "asciifolding": (_asciifolding, ()),
    "length": (_length, ("min", "max")),
    "lowercase": (_lowercase, ()),
    "ngram": (_ngram, ("min_gram", "max_gram")),
    "pattern_replace": (_pattern_replace, ("pattern", "replacement")),
    "porter_stem": (_porter_stem, ()),
    "stop": (_stop, ("stopwords",)),
    "word_delimiter_graph": (_word_delimiter_graph, ()),
}
