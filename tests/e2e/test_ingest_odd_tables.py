"""Odd tables from a file into the embedded store: kept whole, found, or reported."""

import json

import pytest

from ingest.pipeline import ingest
from ingest.readers.sources import read_sources
from ingest.steps import NoExpander
from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.store.embedded.store import EmbeddedStore


@pytest.fixture
def store(tmp_path):
    opened = EmbeddedStore(tmp_path / "store")
    yield opened
    opened.close()


@pytest.fixture
def take_in(tmp_path, store):
    """Return a function that ingests records of JSON lines and returns the report."""

    def ingest_records(records):
        path = tmp_path / "tables.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        letters = tmp_path / "letters"
        return ingest(read_sources([str(path)]), store, NoExpander(), dead_letter_folder=letters)

    return ingest_records


def record(table_id, name="plain", columns=("a",), context=None):
    return {"table_id": table_id, "name": name, "columns": columns, "context": context}


def first(store, query):
    return store.search(plan_query(profile_named("default"), query), 1).hits[0].table_id


def test_a_wide_table_and_a_deep_name_are_found_by_any_column(take_in, store):  # row X6
    deep = ".".join(f"level{number}" for number in range(30))
    wide = [f"gauge{number}x" for number in range(5000)]

    report = take_in([record("wide", columns=wide), record("deep", columns=[deep])])

    assert (report.stored, report.rejected, report.clean) == (2, 0, True)
    assert len(store.get(["wide"])["wide"].raw.columns) == 5000
    assert first(store, "gauge4999x") == "wide"
    assert first(store, "level29") == "deep"


def test_texts_beyond_the_size_of_a_keyword_are_kept_whole(take_in, store):  # row X8
    long = 12_000 * "￥"  # three bytes each

    report = take_in([record("yen", context={"unit": long}), record("long", name=70_000 * "n")])

    assert report.clean
    assert store.get(["yen"])["yen"].raw.context == {"unit": long}
    assert len(store.get(["long"])["long"].raw.name) == 70_000


def test_a_very_long_id_among_others_costs_none_of_them(take_in, store):  # row X9
    long = "https://example.org/" + 580 * "x"

    report = take_in([record(f"t{number}") for number in range(99)] + [record(long)])

    assert (report.stored, report.clean) == (100, True)
    assert len(list(store.table_ids())) == 100
    assert store.get([long])[long].table_id == long


def test_two_bad_rows_among_many_are_the_only_ones_missing(take_in, store):  # row X10
    records = [record(f"t{number}") for number in range(1200)]
    records[10] = record("")
    records[400]["columns"] = "a, b"

    report = take_in(records)

    assert (report.seen, report.stored, report.rejected) == (1198, 1198, 2)
    assert [one.line for one in report.first_rejected] == [11, 401]
    assert len(list(store.table_ids())) == 1198
    assert len(report.dead_letters.read_text().splitlines()) == 2


def test_ids_with_slashes_and_blanks_are_found(take_in, store):  # row R6
    slashed = "datasets/gov/lrsk/acts/Document"

    report = take_in([record(slashed, name="acts/Document"), record("a b", name="other")])

    assert report.clean
    assert first(store, "acts/Document") == slashed
    assert set(store.get([slashed, "a b"])) == {slashed, "a b"}
