"""Shares of several machines: each table in exactly one, the same one everywhere."""

import json

import pytest
from fakes import FakeClock, FakeStore

from ingest.partition import Partition, partition_of
from ingest.pipeline import ingest
from ingest.rejected import Rejected
from ingest.steps import NoExpander
from polaris_search.errors import UsageError
from polaris_search.records import RawTable


def test_every_table_is_in_exactly_one_share():
    shares = [Partition(number, 3) for number in (1, 2, 3)]

    held = [[share.holds(f"table/{number}") for share in shares] for number in range(3000)]

    assert all(sum(row) == 1 for row in held)
    assert all(900 < sum(row[share] for row in held) < 1100 for share in range(3))


def test_a_share_is_the_same_on_every_machine():
    assert [number for number in range(10) if Partition(1, 2).holds(f"t{number}")] == [2, 3]


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2", "1.5/2"])
def test_another_form_is_refused(text):
    with pytest.raises(UsageError, match="I/N was expected, such as 2/8"):
        partition_of(text)


def test_a_row_whose_long_id_is_known_is_reported_by_one_share_only():
    rows = [Rejected("x.csv", 1, "Bad", "Mend it.", 900 * "x" + str(n)) for n in range(50)]

    reports = [
        ingest(rows, FakeStore(), NoExpander(), partition=Partition(share, 2), now=FakeClock())
        for share in (1, 2)
    ]

    assert sum(report.rejected for report in reports) == 50
    assert all(report.rejected for report in reports)


def test_an_ingest_takes_its_share_of_tables_and_of_rejected_rows():
    items = [RawTable(f"t{number}", "n") for number in range(100)]
    mine = [item.table_id for item in items if Partition(2, 4).holds(item.table_id)]
    known = [Rejected("x.csv", 1, "Bad", "Mend it.", f"bad{number}") for number in range(100)]
    n_known = sum(Partition(2, 4).holds(one.table_id) for one in known)
    store = FakeStore()

    report = ingest(
        [*items, *known], store, NoExpander(), partition=partition_of("2/4"), now=FakeClock()
    )

    assert sorted(store.kept) == sorted(mine)
    assert (report.seen, report.rejected) == (len(mine), n_known)


def letters_of_all_shares(items, folder, count):
    """Ingest each share, all within the same second; return the lines of all letter files."""
    for number in range(1, count + 1):
        ingest(
            items,
            FakeStore(),
            NoExpander(),
            partition=Partition(number, count),
            dead_letter_folder=folder,
            now=FakeClock(),
        )
    return [json.loads(line) for path in folder.iterdir() for line in path.read_text().splitlines()]


def test_the_dead_letters_of_all_shares_hold_each_rejected_row_once(tmp_path):
    rows = [Rejected("x.csv", line, "Bad", "Mend it.") for line in range(1, 201)]
    rows += [Rejected("x.csv", 999, "Bad", "Mend it.", f"t{number}") for number in range(100)]

    letters = letters_of_all_shares(rows, tmp_path, 3)

    assert sorted(letter["line"] for letter in letters) == [*range(1, 201), *[999] * 100]
    assert len({letter["table_id"] for letter in letters}) == 1 + 100
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        f"ingest-2026-11-30t020002z-share-{number}-of-3.jsonl" for number in (1, 2, 3)
    ]


def test_a_file_that_cannot_be_read_is_reported_by_every_share(tmp_path):
    gone = Rejected("x.csv", None, "It cannot be read", "Check it.")

    letters = letters_of_all_shares([gone], tmp_path, 3)

    assert [letter["source"] for letter in letters] == ["x.csv"] * 3
