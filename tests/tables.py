"""Tables made in one line, stored and found: what the tests of the stores share."""

from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.records import Column, Description, EnrichedTable, Provenance, RawTable


def table(table_id, name="t", columns=(), context=None, overview=None, hash_="h", **facets):
    raw = RawTable(table_id, name, tuple(map(Column, columns)), context or {}, **facets)
    description = Description(overview, "", "", "", "", "") if overview else None
    status = "described" if overview else "none"
    return EnrichedTable(raw, Provenance(hash_, status=status), description=description)


def fill(store, *tables):
    report = store.put(tables)
    assert report.refused == ()
    store.refresh()


def found(store, query, profile="default", size=100, filters=None):
    result = store.search(plan_query(profile_named(profile), query), size, filters)
    return [hit.table_id for hit in result.hits]
