"""What of a table is searched: the texts of each indexed field, the same for both stores.

`expansion` holds the names as given, then their expansions (appended, never replacing). `context`
holds the values only, in key order; `description` the six values in schema order, without keys. The
table_id is never searched.
"""

from polaris_search.records import EnrichedTable
from polaris_search.text.cleaned import description_terms

SearchedTexts = dict[str, list[str]]


def searched_texts(table: EnrichedTable) -> SearchedTexts:
    """Return the texts of `name`, `expansion`, `context`, `description` and `description_terms`."""
    raw = table.raw
    names = [raw.name, *(column.name for column in raw.columns)]
    if table.expansion:
        names += [table.expansion.name, *table.expansion.columns]
    context = [raw.context[key] for key in sorted(raw.context)]
    description = list(table.description.values()) if table.description else []
    return {
        "name": [raw.name],
        "expansion": names,
        "context": context,
        "description": description,
        "description_terms": description_terms(description, evidence=names + context),
    }
