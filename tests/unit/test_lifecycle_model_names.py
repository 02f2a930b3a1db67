"""Reindexes in which a model reads the names: each table is written once, with what it says."""

import pytest
from fakes import FakeDescriber, FakeExpander, FakeModelExpander
from lifecycles import Killed, Watch, run

from ingest.pipeline import ingest
from ingest.steps import NoExpander
from polaris_search.lifecycle.preview import preview
from polaris_search.lifecycle.transform import Renewal
from polaris_search.records import Column, RawTable
from polaris_search.store.embedded.store import EmbeddedStore


@pytest.fixture
def store(tmp_path):
    opened = EmbeddedStore(tmp_path / "store")
    yield opened
    opened.close()


def ingested(store, *names, **options):
    raws = [RawTable(name, name, (Column("a"),)) for name in names]
    ingest(raws, store, FakeExpander(), **options)


def of(store, table_id):
    return store.get([table_id])[table_id]


def reading(**options):
    """A renewal in which a model reads the names anew, and what else is asked for."""
    return Renewal(FakeExpander(), later=FakeModelExpander(), **options)


def test_names_are_read_anew_and_the_description_stays_but_counts_as_stale(store):
    ingested(store, "a", describer=FakeDescriber())

    report = run(store, reading())

    assert of(store, "a").expansion.name == "model a"
    assert of(store, "a").provenance.expander == "llm:1-a"
    assert of(store, "a").description.dataset_overview == "english a by 1"
    assert of(store, "a").provenance.input_hash.endswith("-none")
    names = report.counts.model_names
    assert (names.tables, names.failed, names.calls, report.clean) == (1, 0, 2, True)


def test_names_and_description_are_made_together(store):
    ingested(store, "a", describer=FakeDescriber("1"))

    run(store, reading(describer=FakeDescriber("1"), redescribe="stale"))

    assert of(store, "a").description.dataset_overview == "model a by 1"


def test_names_that_this_model_has_read_are_kept(store):
    ingested(store, "a", later=FakeModelExpander())
    before = of(store, "a")
    renewal = reading()

    report = run(store, renewal)

    assert (of(store, "a"), renewal.later.asked) == (before, [])
    assert report.counts.kept == 1


def test_names_that_fail_stay_as_they_were_and_the_run_goes_live_but_is_not_clean(store):
    ingested(store, "a", "b")
    later = FakeModelExpander(failing={"a": "The server is down."})

    report = run(store, Renewal(FakeExpander(), later=later))

    assert (of(store, "a").expansion.name, of(store, "b").expansion.name) == (
        "english a",
        "model b",
    )
    assert (report.live, report.clean) == (True, False)
    assert report.counts.model_names.failed == 1
    assert report.counts.notices == (("The names stay as they were: The server is down.", 1),)


def test_reindex_without_expand_keeps_the_names_of_the_model(store):
    ingested(store, "a", later=FakeModelExpander(), describer=FakeDescriber())
    before = of(store, "a")

    run(store, Renewal())
    run(store, Renewal(FakeExpander(), keeps_models=True))

    assert of(store, "a") == before


def test_reindex_by_the_lexical_expander_takes_the_names_of_the_model_away(store):
    ingested(store, "a", later=FakeModelExpander())

    run(store, Renewal(FakeExpander()))

    assert of(store, "a").expansion.name == "english a"


def test_what_was_read_before_a_kill_is_not_asked_about_again(store):
    ingested(store, *map(str, range(30)))  # answers come in groups of one or two
    first, second = FakeModelExpander(), FakeModelExpander()
    answered = 0

    class KilledHalfWay(Watch):
        def described(self, described, failed):
            nonlocal answered
            answered += 1
            if answered >= 10:
                raise Killed

    with pytest.raises(Killed):
        run(
            store,
            Renewal(FakeExpander(), later=first, concurrency=1),
            progress=KilledHalfWay(),
        )

    report = run(store, Renewal(FakeExpander(), later=second))

    assert (report.resumed, report.live) == (True, True)
    assert 0 < len(second.asked) <= 30 - 9
    assert {one.expansion.name[:5] for one in store.tables()} == {"model"}


def test_a_table_written_meanwhile_keeps_the_names_that_this_run_read(store):
    ingested(store, "a", "b")
    later = FakeModelExpander()

    def write():
        ingest([RawTable("a", "a", (Column("a"),), access=("hr",))], store, NoExpander())

    run(store, Renewal(FakeExpander(), later=later), progress=Watch(copied=write))

    assert sorted(later.asked) == ["a", "b"]
    assert of(store, "a").expansion.name == "model a"
    assert of(store, "a").raw.access == ("hr",)


def test_a_table_that_changes_meanwhile_is_read_as_it_is_then(store):
    ingested(store, "a")
    later = FakeModelExpander()

    def write():
        ingest([RawTable("a", "other")], store, NoExpander())

    run(store, Renewal(FakeExpander(), later=later), progress=Watch(copied=write))

    assert later.asked == ["a", "a"]
    assert of(store, "a").expansion.name == "model other"


def test_the_recipe_tells_models_apart():
    recipes = {
        Renewal(FakeExpander()).recipe(),
        reading().recipe(),
        Renewal(FakeExpander(), later=FakeModelExpander(own="b")).recipe(),
        Renewal(FakeExpander(), later=FakeModelExpander(name="auto")).recipe(),
    }

    assert len(recipes) == 4


def test_preview_counts_the_calls_and_asks_nothing(store):
    ingested(store, "a", "b")
    ingested(store, "c", later=FakeModelExpander())
    renewal = reading()

    would = preview(store, renewal)

    assert (would.estimate.tables, would.estimate.calls) == (2, 2 * 2)
    assert renewal.later.asked == []
