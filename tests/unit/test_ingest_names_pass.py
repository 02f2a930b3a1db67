"""The first pass: one batch is expanded while the store writes the one before, and no more."""

from collections import Counter
from threading import Event

import pytest
from fakes import FakeClock, FakeDescriber, FakeExpander, FakeStore

from ingest import batches
from ingest.estimate import Estimate
from ingest.pipeline import ingest
from ingest.rejected import Rejected
from ingest.report import MAX_SHOWN
from ingest.steps import NoExpander, NoProgress
from polaris_search.errors import StoreProblem
from polaris_search.records import RawTable

DEADLINE_S = 20.0

BATCH = batches.MAX_ITEMS


def tables(count):
    return (RawTable(f"t{number}", "n") for number in range(count))


def test_the_next_batch_is_expanded_while_the_store_writes():
    second_is_expanded = Event()
    waited = []

    class Expander(FakeExpander):
        def expand(self, table):
            if table.table_id == f"t{BATCH}":
                second_is_expanded.set()
            return super().expand(table)

    class Store(FakeStore):
        def put(self, tables):
            if not self.written:
                waited.append(second_is_expanded.wait(DEADLINE_S))
            return super().put(tables)

    store = Store()

    report = ingest(tables(2 * BATCH), store, Expander(), now=FakeClock())

    assert waited == [True]
    assert report.stored == len(store.kept) == 2 * BATCH


def test_the_source_is_read_no_further_than_one_batch_ahead_of_the_store():
    ahead = []
    read = Counter()

    def watched():
        for table in tables(10 * BATCH):
            read["tables"] += 1
            yield table

    class Progress(NoProgress):
        def read(self, seen, rejected):
            ahead.append(read["tables"] - seen)

    ingest(watched(), FakeStore(), NoExpander(), now=FakeClock(), progress=Progress())

    assert max(ahead) <= BATCH
    assert ahead[-1] == 0


def test_a_store_that_fails_ends_the_ingest_with_its_words():
    class Broken(FakeStore):
        def put(self, tables):
            if len(self.written) == 2:
                raise StoreProblem("The disk is full. Make room.")
            return super().put(tables)

    store = Broken()

    with pytest.raises(StoreProblem, match="Make room"):
        ingest(tables(9 * BATCH), store, NoExpander(), now=FakeClock())

    assert len(store.kept) == 2 * BATCH


def test_a_source_that_breaks_off_leaves_stored_what_was_read():
    def breaking():
        yield from tables(2 * BATCH + 1)
        raise KeyboardInterrupt

    store = FakeStore()

    with pytest.raises(KeyboardInterrupt):
        ingest(breaking(), store, NoExpander(), now=FakeClock())

    assert len(store.kept) == 2 * BATCH


def test_rejected_rows_are_counted_by_kind():
    twice = [
        Rejected("x", line, f"The table_id 't{line}' was read before; the first table was kept", "")
        for line in range(300)
    ]
    fields = [
        Rejected("x", line, f"The row has {line} fields, the header has 4", "") for line in (5, 6)
    ]
    encoding = Rejected("x", 9, "Byte 0x80 is not UTF-8", "")

    report = ingest([*twice, *fields, encoding], FakeStore(), NoExpander(), now=FakeClock())

    assert report.rejected_kinds == (
        ("The table_id _ was read before; the first table was kept", 300),
        ("The row has _ fields, the header has _", 2),
        ("Byte _ is not UTF-8", 1),
    )


def test_the_report_stays_small_whatever_is_rejected():
    def rejected():
        return (Rejected("x", 1, f"Fault {'x' * number}", "") for number in range(3 * BATCH))

    report = ingest(rejected(), FakeStore(), NoExpander(), now=FakeClock())

    assert report.rejected == 3 * BATCH
    assert len(report.first_rejected) == len(report.rejected_kinds) == MAX_SHOWN


def test_a_dry_run_estimates_what_a_model_would_be_asked_and_writes_nothing(tmp_path):
    store, describer = FakeStore(), FakeDescriber()
    ingest(tables(1), store, FakeExpander(), FakeDescriber(), now=FakeClock())
    ingest([RawTable("t1", "n")], store, FakeExpander(), now=FakeClock())
    before = dict(store.kept)

    report = ingest(
        [*tables(3), Rejected("x", 1, "Bad", "")],
        store,
        FakeExpander(),
        describer,
        now=FakeClock(),
        dry_run=True,
        dead_letter_folder=tmp_path,
    )

    # t0 is described; t1 is stored and t2 new, and both want a description.
    assert describer.estimated == [("t1", "english n"), ("t2", "english n")]
    assert report.estimate == Estimate(2, 2, 200, 8, 14)
    assert (report.to_describe, report.reused, report.stored) == (2, 1, 1)
    assert (describer.asked, store.kept, list(tmp_path.iterdir())) == ([], before, [])


def test_a_real_run_estimates_nothing():
    describer = FakeDescriber()

    ingest(tables(3), FakeStore(), FakeExpander(), describer, now=FakeClock())

    assert describer.estimated == []
