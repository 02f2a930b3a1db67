import pytest

from polaris_search.errors import TableInvalid
from polaris_search.records import (
    Column,
    Description,
    EnrichedTable,
    Expansion,
    Provenance,
    RawTable,
    content_hash,
    raw_hash,
    table_from_json,
    table_to_json,
)


def enriched() -> EnrichedTable:
    raw = RawTable(
        "hr/ActEmployees",
        "ActEmployees",
        (Column("EID", "INTEGER", "key"), Column("SAL")),
        {"caption": "Staff 設備"},
        database="hr",
        access=("payroll",),
    )
    provenance = Provenance(
        "hash", model="m", enriched_at="2026-11-30T00:00:00Z", status="described"
    )
    description = Description("a", "b", "c", "d", "e", "f")
    return EnrichedTable(
        raw, provenance, Expansion("active employees", ("employee id", "salary")), description
    )


def test_a_table_survives_its_json_and_equal_tables_give_equal_bytes():
    line = table_to_json(enriched())

    assert table_from_json(line) == enriched()
    assert table_to_json(table_from_json(line)) == line


def test_a_table_without_enrichment_survives_its_json():
    table = EnrichedTable(RawTable("t", ""), Provenance("hash"))

    assert table_from_json(table_to_json(table)) == table


@pytest.mark.parametrize("table_id", ["", "  ", "x" * 2049])
def test_an_empty_or_overlong_id_is_refused(table_id):
    with pytest.raises(TableInvalid):
        RawTable(table_id, "name")


@pytest.mark.parametrize("table_id", ["a/b c", "x" * 600, "設備", "x" * 2048])
def test_ids_with_slashes_blanks_or_600_characters_are_accepted(table_id):
    assert RawTable(table_id, "name").table_id == table_id


@pytest.mark.parametrize(
    "table",
    [
        {"table_id": "t\0", "name": "n"},
        {"table_id": "t", "name": "n\0"},
        {"table_id": "t", "name": "n", "columns": (Column("c\0"),)},
        {"table_id": "t", "name": "n", "context": {"k": "v\0"}},
    ],
)
def test_a_nul_character_is_refused_wherever_it_stands(table):
    with pytest.raises(TableInvalid, match="NUL"):
        RawTable(**table)


def test_half_a_surrogate_pair_is_refused():
    with pytest.raises(TableInvalid, match="surrogate"):
        RawTable("t", "\ud800")


def test_the_context_of_a_table_cannot_be_changed():
    with pytest.raises(TypeError):
        RawTable("t", "n", context={"a": "b"}).context["a"] = "c"


def test_content_hash_tells_apart_where_one_part_ends():
    assert content_hash("ab", "c") != content_hash("a", "bc")


def test_raw_hash_changes_with_each_part_of_a_table():
    base = RawTable("t", "n", (Column("c"),), {"k": "v"})
    changed = [
        RawTable("t", "N", (Column("c"),), {"k": "v"}),
        RawTable("t", "n", (Column("c", "INT"),), {"k": "v"}),
        RawTable("t", "n", (Column("c"),), {"k": "w"}),
        RawTable("t", "n", (Column("c"),), {"k": "v"}, access=("g",)),
    ]

    assert len({raw_hash(table) for table in [base, *changed]}) == 5
