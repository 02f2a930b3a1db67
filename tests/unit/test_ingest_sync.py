"""Telling what a source no longer has, without taking away what was only not read."""

import pytest
from fakes import FakeClock, FakeStore

from ingest.pipeline import ingest
from ingest.seen import SeenIds
from ingest.steps import NoExpander
from ingest.sync import SourceIncomplete, removed_since
from polaris_search.records import RawTable


def store_of(*tables):
    store = FakeStore()
    ingest([RawTable(key, "n", source=source) for key, source in tables], store, NoExpander(),
           now=FakeClock())  # fmt: skip
    return store


def test_tables_that_are_gone_from_their_source_are_named():
    store = store_of(("a", None), ("b", None), ("c", None))
    seen = SeenIds()
    seen.add("b", None)

    assert list(removed_since(store, seen)) == ["a", "c"]


def test_tables_of_other_sources_are_left_alone():
    store = store_of(("a", "erp"), ("b", "erp"), ("c", "crm"), ("d", None))
    seen = SeenIds()
    seen.add("b", "erp")

    assert list(removed_since(store, seen)) == ["a"]


def test_of_many_stored_tables_only_the_unmet_are_read():
    store = store_of(*[(f"t{number:03d}", "erp") for number in range(500)])
    seen = SeenIds()
    for number in range(0, 500, 2):
        seen.add(f"t{number:03d}", "erp")
    looked_at = []
    get = store.get
    store.get = lambda ids: looked_at.extend(ids) or get(ids)

    gone = list(removed_since(store, seen))

    assert gone == looked_at == [f"t{number:03d}" for number in range(1, 500, 2)]


def test_a_table_whose_row_was_rejected_is_not_gone():
    store = store_of(("a", None), ("b", None))
    seen = SeenIds()
    seen.add("b", None)
    seen.add_rejected("a")

    assert list(removed_since(store, seen)) == []


def test_nothing_is_named_when_a_part_of_the_source_could_not_be_read():
    seen = SeenIds()
    seen.add("b", None)
    seen.add_rejected(None)

    with pytest.raises(SourceIncomplete, match="no table was removed"):
        list(removed_since(store_of(("a", None)), seen))
