"""The words of an expansion that its name does not already give to the field it is appended to.

Appending a word that the field's own analysis finds in the name would count it twice, and a table
with plain names would lose against its abbreviated neighbours.
"""

from functools import lru_cache

from polaris_search.text.analysis import Analyzer

REMEMBERED_NAMES = 1 << 16
"""Columns recur from table to table, with their expansions."""

MAX_REMEMBERED_CHARS = 200
"""Longer names do not recur, and would fill the memory."""


def new_words(expansion: str, given: str, analyzer: Analyzer) -> str:
    """Return the words of `expansion`, in order, that have a term which `given` has not.

    Args:
        expansion: the English of a name, words apart by blanks.
        given: the name as its source gives it.
        analyzer: the analysis of the field that both go into.
    """
    is_long = len(expansion) + len(given) > MAX_REMEMBERED_CHARS
    return (_new_words if is_long else _remembered)(expansion, given, analyzer)


def _new_words(expansion: str, given: str, analyzer: Analyzer) -> str:
    known = set(analyzer(given))
    return " ".join(word for word in expansion.split() if not known.issuperset(analyzer(word)))


_remembered = lru_cache(REMEMBERED_NAMES)(_new_words)
