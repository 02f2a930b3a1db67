"""A second ingest: what is done again, what is kept, for each combination of what may change."""

from dataclasses import replace

import pytest
from fakes import FakeClock, FakeDescriber, FakeExpander, FakeStore

from ingest.pipeline import ingest
from ingest.steps import NoExpander
from polaris_search.records import Column, RawTable

TABLE = RawTable("t1", "DTPh", (Column("a"),), {"caption": "Vaccinations"})


def run(store, table=TABLE, expander=None, describer=None):
    expander = expander or FakeExpander()
    return ingest([table], store, expander, describer, now=FakeClock())


def ingested(describer=None, expander=None):
    store = FakeStore()
    run(store, expander=expander, describer=describer)
    store.written.clear()
    return store


def overview(store):
    description = store.kept["t1"].description
    return description.dataset_overview if description else None


def status(store):
    return store.kept["t1"].provenance.status


def test_the_same_ingest_again_does_nothing():
    store = ingested(FakeDescriber())
    expander, describer = FakeExpander(), FakeDescriber()

    report = run(store, expander=expander, describer=describer)

    assert (report.stored, report.unchanged, report.reused, report.to_describe) == (0, 1, 1, 0)
    assert (expander.asked, describer.asked, store.written) == ([], [], [])


def test_a_run_with_a_describer_describes_what_a_run_without_left():
    store = ingested()
    expander, describer = FakeExpander(), FakeDescriber()

    report = run(store, expander=expander, describer=describer)

    assert (report.stored, report.unchanged, report.described) == (0, 1, 1)
    assert expander.asked == []
    assert overview(store) == "english DTPh by 1"


def test_a_run_without_a_describer_keeps_the_description():
    store = ingested(FakeDescriber())

    report = run(store)

    assert (report.unchanged, report.reused, store.written) == (1, 1, [])
    assert overview(store) == "english DTPh by 1"
    assert run(store, describer=FakeDescriber()).to_describe == 0


def test_a_changed_table_is_expanded_and_described_again():
    store = ingested(FakeDescriber())

    report = run(store, replace(TABLE, name="DTPh_new"), describer=FakeDescriber())

    assert (report.stored, report.reused, report.described) == (1, 0, 1)
    assert overview(store) == "english DTPh_new by 1"


def test_a_changed_table_loses_its_description_when_none_is_asked_for():
    store = ingested(FakeDescriber())

    report = run(store, replace(TABLE, columns=()))

    assert (report.stored, report.reused) == (1, 0)
    assert (overview(store), status(store)) == (None, "none")


def test_changed_access_is_stored_and_keeps_the_description():
    store = ingested(FakeDescriber())
    describer = FakeDescriber()

    report = run(store, replace(TABLE, access=("hr",)), describer=describer)

    assert (report.stored, report.reused, describer.asked) == (1, 1, [])
    assert store.kept["t1"].raw.access == ("hr",)


def test_a_changed_source_is_stored_and_keeps_the_description():
    store = ingested(FakeDescriber())
    describer = FakeDescriber()

    report = run(store, replace(TABLE, source="catalogue"), describer=describer)

    assert (report.stored, report.reused, describer.asked) == (1, 1, [])
    assert store.kept["t1"].raw.source == "catalogue"
    assert overview(store) == "english DTPh by 1"


def test_a_changed_prompt_describes_again_without_expanding():
    store = ingested(FakeDescriber("1"))
    expander = FakeExpander()

    report = run(store, expander=expander, describer=FakeDescriber("2"))

    assert (report.stored, report.unchanged, report.described) == (0, 1, 1)
    assert expander.asked == []
    assert overview(store) == "english DTPh by 2"


def test_a_changed_prompt_that_fails_keeps_the_old_description_and_is_tried_again():
    store = ingested(FakeDescriber("1"))

    report = run(store, describer=FakeDescriber("2", failing={"t1": "Too long."}))

    assert (report.described, report.failed) == (0, 1)
    assert (overview(store), status(store)) == ("english DTPh by 1", "described")
    assert run(store, describer=FakeDescriber("2")).described == 1
    assert overview(store) == "english DTPh by 2"


def test_what_failed_is_asked_for_again():
    store = ingested(FakeDescriber(failing={"t1": "Too long."}))

    report = run(store, describer=FakeDescriber())

    assert (report.unchanged, report.described) == (1, 1)
    assert (status(store), store.kept["t1"].provenance.reason) == ("described", None)


def test_what_failed_stays_failed_when_nothing_is_asked_for():
    store = ingested(FakeDescriber(failing={"t1": "Too long."}))

    report = run(store)

    assert (report.unchanged, report.reused, report.failed) == (1, 0, 0)
    assert status(store) == "failed"


def test_a_changed_expander_that_says_the_same_keeps_the_description():
    store = ingested(FakeDescriber(), FakeExpander("1"))
    describer = FakeDescriber()

    report = run(store, expander=FakeExpander("2"), describer=describer)

    assert (report.stored, report.reused, describer.asked) == (1, 1, [])
    assert store.kept["t1"].provenance.expander == "fake:2"


def test_a_changed_expansion_is_described_again():
    store = ingested(FakeDescriber(), FakeExpander("1"))

    report = run(store, expander=FakeExpander("2", "plain"), describer=FakeDescriber())

    assert (report.stored, report.described) == (1, 1)
    assert overview(store) == "plain DTPh by 1"


def test_a_changed_expansion_keeps_the_description_until_a_describer_comes():
    store = ingested(FakeDescriber(), FakeExpander("1"))
    newer = FakeExpander("2", "plain")

    report = run(store, expander=newer)

    assert (report.stored, report.reused) == (1, 1)
    assert store.kept["t1"].expansion.name == "plain DTPh"
    assert overview(store) == "english DTPh by 1"
    assert run(store, expander=newer, describer=FakeDescriber()).described == 1
    assert overview(store) == "plain DTPh by 1"


def test_expanding_no_more_takes_the_expansion_away():
    store = ingested(FakeDescriber())

    run(store, expander=NoExpander())

    stored = store.kept["t1"]
    assert (stored.expansion, stored.provenance.expander) == (None, None)
    assert overview(store) == "english DTPh by 1"


def test_a_failed_table_keeps_its_reason_through_a_new_expansion():
    store = ingested(FakeDescriber(failing={"t1": "Too long."}), FakeExpander("1"))

    run(store, expander=FakeExpander("2", "plain"))

    assert (status(store), store.kept["t1"].provenance.reason) == ("failed", "Too long.")


def test_a_table_of_another_writer_is_brought_up_to_date():
    store = ingested(FakeDescriber())
    foreign = replace(store.kept["t1"].provenance, input_hash="some other program's")
    store.kept["t1"] = replace(store.kept["t1"], provenance=foreign)

    report = run(store, describer=FakeDescriber())

    assert (report.stored, report.described) == (1, 1)


def test_an_ingest_broken_off_while_describing_goes_on_with_the_rest():
    class BreaksOff(FakeStore):
        def put(self, tables):
            if len(self.written) == 5:
                raise KeyboardInterrupt
            return super().put(tables)

    items = [RawTable(f"t{number}", "n") for number in range(30)]
    broken = BreaksOff()
    with pytest.raises(KeyboardInterrupt):
        ingest(items, broken, NoExpander(), FakeDescriber(), concurrency=1, now=FakeClock())
    described = {key for key, kept in broken.kept.items() if kept.description}
    store, describer = FakeStore(), FakeDescriber()
    store.kept = broken.kept

    report = ingest(items, store, NoExpander(), describer, now=FakeClock())

    assert 4 <= len(described) < 30
    assert sorted(describer.asked) == sorted(store.kept.keys() - described)
    assert report.described == 30 - len(described)
    assert all(kept.description for kept in store.kept.values())
