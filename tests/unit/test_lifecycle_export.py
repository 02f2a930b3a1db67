"""Records out as lines and back in: whole, byte for byte, and nothing guessed."""

import io
import json
from dataclasses import replace

import pytest
from generations import reindex, unheard
from tables import fill, found, table

from polaris_search.errors import TableInvalid
from polaris_search.lifecycle.export import ExportBroken, export_anew, export_tables
from polaris_search.lifecycle.import_records import import_records
from polaris_search.lifecycle.record_line import table_of_line
from polaris_search.records import (
    Column,
    Description,
    EnrichedTable,
    Expansion,
    Provenance,
    RawTable,
    table_to_json,
)
from polaris_search.store.embedded.store import EmbeddedStore

RICH = EnrichedTable(
    RawTable(
        "erp/HR#é💼",
        "ActEmployees",
        (Column("EmpNo", "int", "number"), Column("")),
        {"caption": 'Staff "quoted"\\ 設備\u2028', "": ""},
        source="erp",
        access=("hr",),
    ),
    Provenance("a-b", "lexical:1", "m", None, "p", "2026-11-30T02:00:00Z", "described"),
    Expansion("act employees", ("employee number", "")),
    Description("a", "b", "c", "d", "e", "f"),
)


@pytest.fixture
def store(tmp_path):
    opened = EmbeddedStore(tmp_path / "store")
    yield opened
    opened.close()


def lines_of(store):
    lines = []
    export_tables(store, lines.append)
    return b"".join(lines)


def imported(store, data):
    return import_records(store, [("x.jsonl", io.BytesIO(data))])


# Export


def test_an_export_has_one_line_for_each_record_ids_ascending(store):
    fill(store, table("b"), RICH, table("a"))

    data = lines_of(store)

    assert data.decode().split("\n") == [
        *(table_to_json(one) for one in (table("a"), table("b"), RICH)),
        "",
    ]


class Pruning:
    """Writes as asked, and puts another generation in the place of the one that is read."""

    def __init__(self, store, times):
        self.written = []
        self.begun = 0
        self._store = store
        self._times = times

    def begin(self):
        self.begun += 1
        self.written = []
        return self.write

    def write(self, line):
        self.written.append(line)
        if self._times and len(self.written) == 150:
            self._times -= 1
            reindex(self._store)
            self._store.generations.prune(0, unheard)


def test_an_export_whose_generation_is_pruned_meanwhile_says_so(store):
    fill(store, *(table(f"t{n:04}") for n in range(400)))

    with pytest.raises(ExportBroken, match="removed while it was exported.*Run the export again"):
        export_tables(store, Pruning(store, 1).begin())


def test_an_export_to_a_file_begins_anew_where_its_generation_was_pruned(store):
    fill(store, *(table(f"t{n:04}") for n in range(400)))
    file = Pruning(store, 2)

    assert export_anew(store, file.begin) == 400

    assert (file.begun, b"".join(file.written)) == (3, lines_of(store))


def test_an_export_gives_up_where_generations_go_faster_than_it_reads(store):
    fill(store, *(table(f"t{n:04}") for n in range(400)))

    with pytest.raises(ExportBroken):
        export_anew(store, Pruning(store, 3).begin)


def test_an_export_goes_on_in_the_old_generation_while_a_new_one_goes_live(store):
    fill(store, *(table(f"t{n:04}") for n in range(400)))
    lines = []

    def write(line):
        lines.append(line)
        if len(lines) == 150:
            reindex(store)
            store.put([table("new")])

    assert export_tables(store, write) == 400


# Import


def test_an_import_brings_every_record_back_byte_for_byte(store, tmp_path):
    fill(store, RICH, table("a", "zebra"), table("b", overview="told"))
    data = lines_of(store)
    other = EmbeddedStore(tmp_path / "other")

    report = imported(other, data)

    assert (report.imported, report.unchanged, report.rejected) == (3, 0, 0)
    assert lines_of(other) == data
    assert found(other, "zebra") == ["a"]
    other.close()


def test_an_import_that_was_cut_short_goes_on_and_writes_nothing_twice(store):
    data = "".join(table_to_json(table(f"t{n:03}")) + "\n" for n in range(500)).encode()
    imported(store, data[: len(data) // 2].rpartition(b"\n")[0])
    before = len(list(store.table_ids()))

    report = imported(store, data)

    assert (report.imported, report.unchanged) == (500 - before, before)


def test_a_record_that_differs_is_replaced_and_of_two_of_one_id_the_last_stays(store):
    fill(store, table("a", "zebra"))
    lines = [table_to_json(table("a", name)) for name in ("yak", "lion")]

    report = imported(store, "\n".join(lines).encode())

    assert report.imported == 1
    assert store.get(["a"])["a"].raw.name == "lion"


def test_bad_lines_are_reported_by_number_and_stop_nothing(store):
    good = [table_to_json(table(f"t{n}")).encode() for n in range(2)]
    data = b"\xef\xbb\xbf" + b"\n".join([good[0], b"", b"\xff{", b"[]", good[1], b"{}"])

    report = imported(store, data)

    assert (report.imported, report.rejected) == (2, 3)
    assert [(one.source, one.line) for one in report.first_rejected] == [
        ("x.jsonl", 3),
        ("x.jsonl", 4),
        ("x.jsonl", 6),
    ]
    assert all("polaris-admin export" in one.remedy for one in report.first_rejected)


# A line and its record


def test_a_line_comes_back_as_its_record():
    assert table_of_line(table_to_json(RICH).encode()) == RICH


def changed(**changes):
    """RICH as a line, with values replaced: a key such as raw__name names the place."""
    record = json.loads(table_to_json(RICH))
    for path, value in changes.items():
        *parents, last = path.split("__")
        place = record
        for parent in parents:
            place = place[int(parent) if parent.isdigit() else parent]
        place[last] = value
    return json.dumps(record).encode()


@pytest.mark.parametrize(
    "changes",
    [
        {"raw__name": 5},
        {"raw__name": None},
        {"raw__table_id": ""},
        {"raw__table_id": "a\0b"},
        {"raw__source": 0},
        {"raw__source": False},
        {"raw__access": "hr"},
        {"raw__access": [1]},
        {"raw__columns": {}},
        {"raw__columns__0__name": None},
        {"raw__columns__0__type": 0},
        {"raw__columns__0__more": "x"},
        {"raw__context": []},
        {"raw__context": {"a": None}},
        {"raw__context": {"a": {"b": "c"}}},
        {"raw__more": "x"},
        {"more": "x"},
        {"provenance__status": "done"},
        {"provenance__input_hash": None},
        {"provenance__model": 1},
        {"provenance": None},
        {"expansion": {}},
        {"expansion__columns": ["one"]},
        {"expansion__columns": ["one", None]},
        {"description": {}},
        {"description__dataset_overview": None},
        {"description__dataset_overview": "a\0b"},
        {"description__dataset_overview": "half \ud83d"},
        {"raw": []},
        {"raw": "text"},
    ],
    ids=str,
)
def test_a_line_that_is_no_record_is_refused(changes):
    with pytest.raises(TableInvalid):
        table_of_line(changed(**changes))


@pytest.mark.parametrize("line", [b"null", b"5", b'"x"', b"[]", b"{}", b"[" * 100_000, b"NaN"])
def test_json_of_another_kind_is_refused(line):
    with pytest.raises(TableInvalid):
        table_of_line(line)


def test_records_without_expansion_or_description_are_records():
    plain = replace(RICH, expansion=None, description=None)

    assert table_of_line(table_to_json(plain).encode()) == plain
