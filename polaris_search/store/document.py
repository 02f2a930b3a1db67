"""What of a table is searched: the texts of each indexed field, the same for both stores.

Names are searched as given, with the words that their expansions add beside them, never instead:
`expansion` holds both, names and every word that does not stand in its name as it is written.
`names` holds the names alone; `new_words` the words that splitting a name into its parts does not
give either, each once, for what recurs from column to column tells no more each time. They are kept
apart because what looks for abbreviations in names would find them in their expansions too, and
count one thing twice. `context` holds the values only, in key order; `description` the six
values in schema order. The table_id is never searched.
"""

from collections.abc import Collection, Iterator

from polaris_search.records import EnrichedTable
from polaris_search.text.analysis import analyzer_named
from polaris_search.text.cleaned import description_terms
from polaris_search.text.new_words import new_words

SearchedTexts = dict[str, list[str]]

SOURCES = ("name", "names", "new_words", "expansion", "context", "description", "description_terms")

EXPANDED = frozenset({"new_words", "expansion", "description_terms"})
"""The sources that read a table's expansion."""


def searched_texts(table: EnrichedTable, sources: Collection[str] = SOURCES) -> SearchedTexts:
    """Return the texts of the sources asked for; `description_terms` costs most by far."""
    given = [table.raw.name, *(column.name for column in table.raw.columns)]
    texts = {
        "name": [table.raw.name],
        "names": given,
        "context": _context(table),
        "description": _described(table),
    }
    if "expansion" in sources:
        texts["expansion"] = given + list(_added(table, given, "words"))
    if "new_words" in sources:
        added = (word for words in _added(table, given, "parts") for word in words.split())
        texts["new_words"] = list(dict.fromkeys(added))
    if "description_terms" in sources:
        texts["description_terms"] = _description_terms(table, given)
    return {source: texts[source] for source in sources}


def _context(table: EnrichedTable) -> list[str]:
    return [table.raw.context[key] for key in sorted(table.raw.context)]


def _described(table: EnrichedTable) -> list[str]:
    return list(table.description.values()) if table.description else []


def _added(table: EnrichedTable, given: list[str], analyzer: str) -> Iterator[str]:
    """Yield what each expansion adds to its name; nothing for most plain names."""
    if table.expansion is None:
        return
    expanded = [table.expansion.name, *table.expansion.columns]
    for name, expansion in zip(given, expanded, strict=True):
        if added := new_words(expansion, name, analyzer_named(analyzer)):
            yield added


def _description_terms(table: EnrichedTable, given: list[str]) -> list[str]:
    if table.description is None:
        return []
    expanded = [table.expansion.name, *table.expansion.columns] if table.expansion else []
    return description_terms(_described(table), evidence=given + expanded + _context(table))
