"""What every store of tables keeps, run against the embedded one and a real Elasticsearch."""

import pytest
from tables import fill, found, table

from polaris_search.records import Column, Description, EnrichedTable, Provenance, RawTable

# Storing and reading back


def test_a_table_comes_back_as_it_was_put(store):
    rich = EnrichedTable(
        RawTable(
            "erp/HR#ActEmployees",
            "ActEmployees",
            (Column("EmpNo", "int", "employee number"), Column("")),
            {"caption": "Staff 💼 設備", "": ""},
            source="erp",
            schema="HR",
            access=("hr", "audit"),
        ),
        Provenance("abc", status="described", model="m", enriched_at="2026-11-30T02:00:00Z"),
        description=Description("a", "b", "c", "d", "e", "f"),
    )

    report = store.put([rich])

    assert (report.stored, report.refused) == (1, ())
    assert store.get(["erp/HR#ActEmployees", "none"]) == {"erp/HR#ActEmployees": rich}


def test_a_second_put_replaces_the_table_and_its_texts(store):
    fill(store, table("a", "zebra"), table("b", "yak"))
    fill(store, table("a", "lion", hash_="h2"))

    assert found(store, "zebra") == []
    assert found(store, "lion") == ["a"]
    assert store.states(["a"])["a"].input_hash == "h2"
    assert list(store.table_ids()) == ["a", "b"]


def test_of_two_tables_with_one_id_in_one_put_the_last_stays(store):
    fill(store, table("a", "zebra"), table("a", "lion"))

    assert store.get(["a"])["a"].raw.name == "lion"
    assert list(store.table_ids()) == ["a"]


def test_deleting_counts_what_was_there_and_leaves_the_rest(store):
    fill(store, table("a", "zebra"), table("b", "zebra"), table("x" * 600, "zebra"))

    assert store.delete(["a", "never", "a", "x" * 600]) == 2
    store.refresh()

    assert found(store, "zebra") == ["b"]
    assert store.get(["a", "b"]).keys() == {"b"}


def test_states_say_hash_and_status_of_what_is_stored(store):
    fill(store, table("a", hash_="h1"), table("b", overview="text", hash_="h2"))

    states = store.states(["b", "a", "c"])

    assert {key: (state.input_hash, state.status) for key, state in states.items()} == {
        "a": ("h1", "none"),
        "b": ("h2", "described"),
    }


def test_ids_and_tables_stream_in_code_point_order_beyond_one_page(store):
    ids = [f"t{number:03}" for number in range(250)] + ["Z", "a/b", "é", "\ue000", "💼", "a b"]
    fill(store, *(table(table_id) for table_id in reversed(ids)))

    assert list(store.table_ids()) == sorted(ids)
    assert [stored.table_id for stored in store.tables()] == sorted(ids)


def test_a_store_where_nothing_was_put_is_empty_and_answers(store):
    store.refresh()

    assert found(store, "anything") == []
    assert (store.get(["a"]), store.states(["a"]), store.delete(["a"])) == ({}, {}, 0)
    assert list(store.table_ids()) == []
    assert list(store.tables()) == []
    assert store.status().tables == 0


def test_nothing_to_do_is_done(store):
    assert store.put([]).stored == 0
    for none in ([], [""], ["caf\udce9"]):
        assert (store.get(none), store.states(none), store.delete(none)) == ({}, {}, 0)


def test_status_names_the_generation_and_counts_the_tables(store):
    fill(store, table("a"), table("b"))

    status = store.status()

    assert status.tables == 2
    assert status.generation
    assert status.kind in ("embedded", "elasticsearch")


def test_a_scratch_generation_is_apart_from_the_live_one_and_gone_afterwards(store):
    fill(store, table("live", "zebra"))

    with store.scratch() as scratch:
        fill(scratch, table("other", "zebra"))
        assert found(scratch, "zebra") == ["other"]
        assert found(store, "zebra") == ["live"]
        assert list(scratch.table_ids()) == ["other"]

    assert list(store.table_ids()) == ["live"]
    assert store.status().tables == 1


def test_a_scratch_generation_is_gone_after_an_error_too(store):
    def interrupted():
        with store.scratch() as scratch:
            fill(scratch, table("other", "zebra"))
            raise KeyError

    with pytest.raises(KeyError):
        interrupted()

    assert found(store, "zebra") == []


def test_two_scratch_generations_at_once_do_not_mix(store):
    with store.scratch() as one, store.scratch() as two:
        fill(one, table("a", "zebra"))
        fill(two, table("b", "zebra"))

        assert (found(one, "zebra"), found(two, "zebra")) == (["a"], ["b"])


# What a source may hold


@pytest.mark.parametrize(
    "table_id",
    [
        "datasets/gov/lrsk/acts/Document",
        "a b  c",
        "?x=1&y#z%2F",
        "_id",
        "..",
        "u" * 600,
        "é" * 2000,
    ],
)
def test_an_id_of_any_shape_is_stored_found_and_deleted(store, table_id):
    fill(store, table(table_id, "zebra"))

    assert found(store, "zebra") == [table_id]
    assert store.get([table_id])[table_id].table_id == table_id
    assert store.delete([table_id]) == 1


def test_an_overlong_id_stops_none_of_the_others_in_its_batch(store):  # X9
    ids = [f"t{number:02}" for number in range(99)]
    overlong = "https://example.org/" + "p" * 580

    fill(store, *(table(table_id) for table_id in [*ids[:50], overlong, *ids[50:]]))

    assert list(store.table_ids()) == sorted([*ids, overlong])


def test_five_thousand_columns_and_deeply_nested_names_are_searchable(store):  # X6
    wide = table("wide", columns=[f"sensor{number}" for number in range(5000)])
    nested = table("nested", columns=[".".join("abcdefghijklmnopqrstuvwxyzabcd"), "zebra.id", "."])

    fill(store, wide, nested)

    assert found(store, "sensor4999", "paper") == ["wide"]
    assert found(store, "zebra", "default") == ["nested"]
    assert len(store.get(["wide"])["wide"].raw.columns) == 5000


def test_context_keys_of_any_shape_are_kept(store):
    odd = {"a.b.c": "zebra", "": "x", ".": "y", "a..b": "z", " ": "w", "raw": "v"}

    fill(store, table("t", context=odd))

    assert found(store, "zebra", "paper") == ["t"]
    assert dict(store.get(["t"])["t"].raw.context) == odd


def test_a_name_of_seventy_thousand_characters_is_stored_and_found(store):
    name = "zebra " + "x" * 69_994

    fill(store, table("long", name), table("other", "yak"))

    assert found(store, "zebra") == ["long"]
    assert store.get(["long"])["long"].raw.name == name


def test_values_beyond_every_byte_limit_reject_nothing(store):  # X8: 36,000 bytes each
    yen = "￥" * 12_000
    big = table(
        "yen", yen, [yen], {yen: yen, "caption": "zebra"}, source=yen, database=yen, access=(yen,)
    )

    fill(store, big, table("other", "yak"))

    assert found(store, "zebra") == ["yen"]
    assert store.get(["yen"])["yen"] == big


def test_a_table_that_cannot_be_stored_is_reported_and_stops_no_other(store):  # X10
    tables = [table(f"t{number:04}") for number in range(1200)]
    for number in (17, 313):  # a description cut in the middle of an emoji
        tables[number] = table(f"t{number:04}", overview="half of \ud83d")

    report = store.put(tables)
    store.refresh()

    assert report.stored == 1198
    assert [refused.table_id for refused in report.refused] == ["t0017", "t0313"]
    assert all("half a surrogate pair. Repair" in refused.reason for refused in report.refused)
    assert len(list(store.table_ids())) == 1198
