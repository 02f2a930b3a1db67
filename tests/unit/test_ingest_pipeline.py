"""An ingest as a whole: the order of its passes, what it counts, what stops it and what not."""

import pytest
from fakes import FakeClock, FakeDescriber, FakeExpander, FakeStore

from ingest import batches
from ingest.pipeline import ingest
from ingest.rejected import Rejected
from ingest.steps import NoExpander
from polaris_search.records import Column, Expansion, RawTable


def table(table_id="t1", name="DTPh", *columns):
    return RawTable(table_id, name, tuple(map(Column, columns)))


def tables(count):
    return [table(f"t{number}") for number in range(count)]


def run(items, store, expander=None, describer=None, **options):
    return ingest(items, store, expander or NoExpander(), describer, now=FakeClock(), **options)


class Watch:
    """Hears progress, and notes what the store holds at each word of it."""

    def __init__(self, store):
        self.heard = []
        self.stored_before_describing = None
        self.store = store

    def read(self, seen, rejected):
        self.heard.append(("read", seen, rejected))

    def describing(self, total):
        self.stored_before_describing = (len(self.store.kept), self.store.refreshed)
        self.heard.append(("describing", total))

    def described(self, described, failed):
        self.heard.append(("described", described, failed))


def test_a_new_table_is_stored_expanded_and_described():
    store, describer = FakeStore(), FakeDescriber()

    report = run([table("t1", "DTPh", "a")], store, FakeExpander(), describer)

    stored = store.kept["t1"]
    assert stored.expansion == Expansion("english DTPh", ("english a",))
    assert stored.description.dataset_overview == "english DTPh by 1"
    assert stored.provenance.status == "described"
    assert (stored.provenance.model, stored.provenance.adapter) == ("fake-model", None)
    assert stored.provenance.prompt_version == "prompt-1"
    assert stored.provenance.expander == "fake:1"
    assert stored.provenance.enriched_at == "2026-11-30T02:00:02Z"  # the clock's third look
    assert (report.seen, report.stored, report.described, report.failed) == (1, 1, 1, 0)
    assert (report.prompt_tokens, report.completion_tokens) == (10, 5)
    assert report.seconds == 3.0
    assert report.clean


def test_all_tables_are_searchable_by_name_before_the_first_is_described():
    store = FakeStore()
    watch = Watch(store)

    run(tables(500), store, describer=FakeDescriber(), progress=watch)

    assert watch.stored_before_describing == (500, 1)
    assert watch.heard[:4] == [
        ("read", 200, 0),
        ("read", 400, 0),
        ("read", 500, 0),
        ("describing", 500),
    ]
    assert watch.heard[-1] == ("described", 500, 0)


def test_every_answer_is_stored_as_it_comes_and_each_table_is_asked_for_once():
    store, describer = FakeStore(), FakeDescriber()

    run(tables(50), store, describer=describer, concurrency=4)

    assert sorted(describer.asked) == sorted(f"t{number}" for number in range(50))
    after_names = store.written[1:]
    assert sorted(sum(after_names, [])) == sorted(describer.asked)
    assert max(map(len, after_names)) <= 2 * 4  # never more than are in flight and waiting


def test_no_more_tables_are_asked_about_at_a_time_than_allowed():
    describer = FakeDescriber()

    run(tables(40), FakeStore(), describer=describer, concurrency=3)

    assert describer.at_once == 3
    assert describer.closed == 1


def test_without_a_describer_tables_are_stored_without_description():
    store = FakeStore()

    report = run(tables(3), store)

    assert (report.stored, report.to_describe, report.described) == (3, 0, 0)
    assert {stored.provenance.status for stored in store.kept.values()} == {"none"}
    assert store.refreshed == 1


def test_a_broken_server_leaves_all_tables_searchable_and_marked():
    store = FakeStore()
    describer = FakeDescriber(failing={"*": "The model server does not answer."})

    report = run(tables(3), store, describer=describer)

    assert (report.stored, report.described, report.failed) == (3, 0, 3)
    assert report.reasons == (("The model server does not answer.", 3),)
    assert not report.clean
    assert {stored.provenance.status for stored in store.kept.values()} == {"failed"}
    assert store.kept["t0"].provenance.reason == "The model server does not answer."


def test_rejected_rows_stop_nothing_and_are_kept_as_dead_letters(tmp_path):
    store = FakeStore()
    bad = Rejected("x.csv", 3, "The table_id is empty", "Give it one.", excerpt=",x")

    report = run([table("a"), bad, table("b")], store, dead_letter_folder=tmp_path / "letters")

    assert sorted(store.kept) == ["a", "b"]
    assert (report.seen, report.stored, report.rejected) == (2, 2, 1)
    assert report.first_rejected == (bad,)
    assert report.dead_letters.parent == tmp_path / "letters"
    assert len(report.dead_letters.read_text().splitlines()) == 1
    assert not report.clean


def test_a_home_that_cannot_be_written_costs_the_dead_letters_only(tmp_path):
    home = tmp_path / "home"
    home.write_text("a file where a folder is wanted")
    bad = [Rejected("x.csv", number, "The table_id is empty", "Give it one.") for number in (3, 4)]
    store = FakeStore()

    report = run(
        [table("a"), *bad, *tables(300), bad[0]], store, dead_letter_folder=home / "letters"
    )

    assert (len(store.kept), report.rejected) == (301, 3)
    assert report.first_rejected == (*bad, bad[0])
    assert report.dead_letters is None
    (notice,) = report.notices
    assert str(home / "letters") in notice


def test_tables_the_store_refuses_are_reported_and_the_others_are_stored(tmp_path):
    store = FakeStore(refuses=["t3", "t450"])  # row X10 of the user reports
    describer = FakeDescriber()

    report = run(tables(1200), store, describer=describer, dead_letter_folder=tmp_path)

    assert len(store.kept) == 1198
    assert (report.seen, report.stored, report.rejected) == (1200, 1198, 2)
    assert [one.table_id for one in report.first_rejected] == ["t3", "t450"]
    assert report.first_rejected[0].sentence == "store: The table is too odd. Make it even."
    assert (report.described, len(describer.asked)) == (1198, 1198)
    assert len(report.dead_letters.read_text().splitlines()) == 2


def test_a_dry_run_counts_and_touches_nothing(tmp_path):
    store, describer = FakeStore(), FakeDescriber()
    run([table("a", "old"), table("b")], store, describer=FakeDescriber())
    before, writes = dict(store.kept), len(store.written)
    bad = Rejected("x.csv", 3, "The table_id is empty", "Give it one.")

    report = run(
        [table("a", "new"), table("b"), table("c"), bad],
        store,
        describer=describer,
        dry_run=True,
        dead_letter_folder=tmp_path / "letters",
    )

    assert (report.seen, report.stored, report.unchanged, report.rejected) == (3, 2, 1, 1)
    assert (report.to_describe, report.described, report.reused) == (2, 0, 1)
    assert report.dry_run
    assert (store.kept, len(store.written)) == (before, writes)
    assert describer.asked == []
    assert not (tmp_path / "letters").exists()


def test_tables_are_read_in_bounded_batches():
    read_ahead = []
    store = FakeStore()

    def endless():
        for number in range(1000):
            read_ahead.append(number - len(store.kept))
            yield table(f"t{number}")

    run(endless(), store)

    assert max(read_ahead) <= 2 * batches.MAX_ITEMS - 1  # one is being written, one prepared


def test_wide_tables_make_small_batches():
    wide = [table(f"t{number}", "wide", *map(str, range(5000))) for number in range(10)]

    found = list(batches.batches(wide))

    assert [len(batch.tables) for batch in found] == [4, 4, 2]  # 4 * 5,000 = MAX_COLUMNS


def test_the_event_loop_ends_when_a_describer_breaks_its_contract():
    class Broken(FakeDescriber):
        async def describe(self, table, expansion):
            raise ZeroDivisionError

    describer = Broken()

    with pytest.raises(ZeroDivisionError):
        run(tables(20), FakeStore(), describer=describer)

    assert describer.closed == 1


def test_a_store_that_breaks_off_cancels_what_is_being_described():
    class Breaking(FakeStore):
        def put(self, tables):
            if self.written:
                raise ConnectionError
            return super().put(tables)

    describer = FakeDescriber()

    with pytest.raises(ConnectionError):
        run(tables(20), Breaking(), describer=describer)

    assert describer.closed == 1


def test_what_the_describer_has_to_say_is_counted_in_the_report():
    cut = "The model was not shown 5 more columns."

    report = run(tables(3), FakeStore(), describer=FakeDescriber(notices=(cut,)))

    assert report.notices == (f"{cut} (3 tables)",)
    assert report.clean
