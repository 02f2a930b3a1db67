"""Names that a model reads: stored lexical at once, read anew in the second pass, never lost."""

from dataclasses import replace

import pytest
from fakes import FakeClock, FakeDescriber, FakeExpander, FakeModelExpander, FakeStore

from ingest.pipeline import ingest
from ingest.steps import NoExpander
from polaris_search.errors import ServiceUnreachable
from polaris_search.records import Column, RawTable

TABLE = RawTable("t1", "DTPh", (Column("a"),), {"caption": "Vaccinations"})


def run(store, table=TABLE, expander=None, later=None, describer=None, **options):
    return ingest(
        [table],
        store,
        expander or FakeExpander(),
        describer,
        later=later,
        now=FakeClock(),
        **options,
    )


def ingested(**options):
    store = FakeStore()
    run(store, **options)
    store.written.clear()
    return store


def name(store):
    return store.kept["t1"].expansion.name


def overview(store):
    description = store.kept["t1"].description
    return description.dataset_overview if description else None


class Watch:
    """Notes what the store holds before any model is asked."""

    def __init__(self, store):
        self.store = store
        self.names = []

    def read(self, seen, rejected):
        pass

    def describing(self, total):
        self.names = [kept.expansion.name for kept in self.store.kept.values()]

    def described(self, described, failed):
        pass


def test_lexical_names_are_stored_first_and_the_models_in_one_write_with_the_description():
    store, later, describer = FakeStore(), FakeModelExpander(), FakeDescriber()
    watch = Watch(store)

    report = run(store, later=later, describer=describer, progress=watch)

    assert watch.names == ["english DTPh"]
    assert store.written == [["t1"], ["t1"]]
    assert name(store) == "model DTPh"
    assert overview(store) == "model DTPh by 1"
    assert store.kept["t1"].provenance.expander == "llm:1-a"
    names = report.model_names
    assert (names.tables, names.failed, names.asked, names.calls) == (1, 0, 1, 2)
    assert (names.saved_calls, names.prompt_tokens, names.completion_tokens) == (1, 7, 3)
    assert (report.prompt_tokens, report.completion_tokens) == (10, 5)  # the description's alone
    assert (later.closed, describer.closed, report.clean) == (1, 1, True)


def test_names_are_read_without_any_describer():
    store = FakeStore()

    report = run(store, later=FakeModelExpander())

    assert name(store) == "model DTPh"
    assert store.kept["t1"].provenance.status == "none"
    assert (report.to_describe, report.described, report.model_names.tables) == (0, 0, 1)


def test_the_same_ingest_again_asks_nothing():
    store = ingested(later=FakeModelExpander(), describer=FakeDescriber())
    expander, later, describer = FakeExpander(), FakeModelExpander(), FakeDescriber()

    report = run(store, expander=expander, later=later, describer=describer)

    assert (expander.asked, later.asked, describer.asked, store.written) == ([], [], [], [])
    assert (report.unchanged, report.reused) == (1, 1)


def test_names_that_a_run_without_model_stored_are_read_by_the_next_and_described_anew():
    store = ingested(describer=FakeDescriber())
    expander, later, describer = FakeExpander(), FakeModelExpander(), FakeDescriber()

    report = run(store, expander=expander, later=later, describer=describer)

    assert (expander.asked, later.asked, describer.asked) == ([], ["t1"], ["t1"])
    assert (name(store), overview(store)) == ("model DTPh", "model DTPh by 1")
    assert (report.unchanged, report.to_describe, report.reused, report.described) == (1, 0, 1, 1)


def test_a_model_that_says_what_is_there_already_costs_no_new_description():
    store = ingested(describer=FakeDescriber())
    describer = FakeDescriber()

    run(store, later=FakeModelExpander(word="english"), describer=describer)

    assert describer.asked == []
    assert overview(store) == "english DTPh by 1"
    assert store.kept["t1"].provenance.expander == "llm:1-a"


def test_a_model_that_fails_leaves_the_lexical_names_counted_and_asked_again():
    store = FakeStore()
    failing = FakeModelExpander(failing={"*": "The model server is down."})

    report = run(store, later=failing, describer=FakeDescriber())

    assert (name(store), overview(store)) == ("english DTPh", "english DTPh by 1")
    assert store.kept["t1"].provenance.expander == "fake:1"
    assert (report.model_names.tables, report.model_names.failed) == (0, 1)
    assert report.model_names.prompt_tokens == 7
    assert report.notices == ("The names stay as they were: The model server is down. (1 tables)",)
    assert (report.described, report.failed, report.clean) == (1, 0, False)
    again = FakeModelExpander()
    assert run(store, later=again, describer=FakeDescriber()).clean
    assert (again.asked, name(store)) == (["t1"], "model DTPh")


def test_a_server_that_is_not_there_costs_no_table():
    class Unreachable(FakeModelExpander):
        async def expand(self, table):
            raise ServiceUnreachable("It does not answer. Start it.")

    store = FakeStore()
    items = [RawTable(f"t{number}", "n") for number in range(30)]

    report = ingest(items, store, FakeExpander(), later=Unreachable(), now=FakeClock())

    assert len(store.kept) == 30
    assert report.model_names.failed == 30
    assert {kept.expansion.name for kept in store.kept.values()} == {"english n"}


def test_a_newer_model_reads_anew_and_until_then_the_older_names_stay():
    store = ingested(later=FakeModelExpander(own="a"), describer=FakeDescriber())
    before = store.kept["t1"]
    failing = FakeModelExpander(own="b", failing={"*": "down"})

    run(store, later=failing, describer=FakeDescriber())

    assert store.kept["t1"] == before
    assert sum(store.written, []) == []
    run(store, later=FakeModelExpander(own="b", word="newer"), describer=FakeDescriber())
    assert (name(store), overview(store)) == ("newer DTPh", "newer DTPh by 1")


def test_names_of_a_model_stay_where_none_can_be_asked():
    store = ingested(later=FakeModelExpander(), describer=FakeDescriber())
    before = store.kept["t1"]

    report = run(store, keeps_models=True)

    assert store.kept["t1"] == before
    assert (report.stored, report.unchanged, store.written) == (0, 1, [])


def test_changed_access_is_stored_and_keeps_the_names_of_the_model():
    store = ingested(later=FakeModelExpander(), describer=FakeDescriber())
    later, describer = FakeModelExpander(), FakeDescriber()

    run(store, replace(TABLE, access=("hr",)), later=later, describer=describer)

    assert (later.asked, describer.asked) == ([], [])
    assert (store.kept["t1"].raw.access, name(store)) == (("hr",), "model DTPh")


def test_lexical_alone_takes_the_names_of_a_model_away():
    store = ingested(later=FakeModelExpander())

    run(store)

    assert (name(store), store.kept["t1"].provenance.expander) == ("english DTPh", "fake:1")


def test_a_changed_table_loses_the_names_of_a_model():
    store = ingested(later=FakeModelExpander())

    run(store, replace(TABLE, name="new"), keeps_models=True)

    assert name(store) == "english new"


def test_a_changed_glossary_takes_the_names_of_a_model_away_at_once():
    # what the glossary says always wins, so what was read without it does not wait for a model
    store = ingested(later=FakeModelExpander("1"))

    run(store, expander=FakeExpander("2", "glossary"), keeps_models=True)

    assert name(store) == "glossary DTPh"


def test_expanding_no_more_takes_the_names_of_a_model_away():
    store = ingested(later=FakeModelExpander())

    run(store, expander=NoExpander())

    assert store.kept["t1"].expansion is None


def test_a_dry_run_counts_calls_and_asks_nothing():
    store = FakeStore()
    later = FakeModelExpander()
    tables = [RawTable(f"t{number}", "n") for number in range(3)]

    report = ingest(tables, store, FakeExpander(), later=later, dry_run=True, now=FakeClock())

    assert (later.asked, store.kept) == ([], {})
    assert (report.estimate.tables, report.estimate.calls) == (3, 3 * 2)
    assert (report.estimate.prompt_tokens, report.estimate.completion_tokens) == (3 * 7, 3 * 3)


def test_what_the_model_has_to_say_of_names_is_counted_in_the_report():
    report = run(FakeStore(), later=FakeModelExpander(notices=("Some names stay lexical.",)))

    assert report.notices == ("Some names stay lexical. (1 tables)",)
    assert report.clean


def test_an_ingest_broken_off_in_the_second_pass_goes_on_with_the_rest():
    class BreaksOff(FakeStore):
        def put(self, tables):
            if len(self.written) == 5:
                raise KeyboardInterrupt
            return super().put(tables)

    items = [RawTable(f"t{number}", "n") for number in range(30)]
    broken = BreaksOff()
    with pytest.raises(KeyboardInterrupt):
        ingest(
            items,
            broken,
            FakeExpander(),
            later=FakeModelExpander(),
            concurrency=1,
            now=FakeClock(),
        )
    read = {key for key, kept in broken.kept.items() if kept.expansion.name == "model n"}
    store, later = FakeStore(), FakeModelExpander()
    store.kept = broken.kept

    report = ingest(items, store, FakeExpander(), later=later, now=FakeClock())

    assert 4 <= len(read) < 30
    assert sorted(later.asked) == sorted(store.kept.keys() - read)
    assert report.model_names.tables == 30 - len(read)
    assert {kept.expansion.name for kept in store.kept.values()} == {"model n"}
