"""A reindex in each store: nothing that others write meanwhile is lost, from first step to last."""

from collections import Counter

import pytest
from generations import (
    another,
    as_given,
    copy,
    finish,
    make_live_without_a_lease,
    marked,
    marks,
    reindex,
    states,
    unheard,
    words,
)
from tables import fill, found, table

from polaris_search.errors import StoreProblem
from polaris_search.records import Description, EnrichedTable
from polaris_search.store.generations import CaughtUp

# From the first step to the last


def test_a_reindex_puts_a_generation_of_the_same_tables_in_the_place_of_the_live_one(store):
    fill(store, table("a", "zebra"), table("b", "yak"))
    old = store.status().generation

    new = reindex(store, transform=marked("new"))

    assert store.status().generation == new != old
    assert words(store) == {"a": "zebra", "b": "yak"}
    assert marks(store) == {"a": "new", "b": "new"}
    assert (found(store, "zebra"), found(store, "new", "paper")) == (["a"], ["a", "b"])
    assert states(store) == {new: "live", old: "kept"}


def test_a_staged_generation_is_searched_and_read_by_itself_alone(store):
    fill(store, table("a", "zebra"))

    with store.generations.stage("r", unheard) as staged:
        fill(staged.tables, table("a", "lion"), table("b", "lion"))

        assert found(staged.tables, "lion") == ["a", "b"]
        assert found(staged.tables, "zebra") == []
        assert (found(store, "zebra"), found(store, "lion")) == (["a"], [])
        assert words(staged.tables) == {"a": "lion", "b": "lion"}
        assert words(store) == {"a": "zebra"}
        assert (store.status().tables, staged.tables.status().tables) == (1, 2)
        assert staged.tables.status().generation == staged.name != store.status().generation


def test_closing_the_tables_of_a_staged_generation_does_nothing(store):
    fill(store, table("a", "zebra"))

    with store.generations.stage("r", unheard) as staged:
        staged.tables.close()
        copy(staged)
        finish(staged)

    assert words(store) == {"a": "zebra"}


def test_a_staged_generation_names_the_live_one_that_it_is_to_replace(store):
    fill(store, table("a"))

    with store.generations.stage("r", unheard) as staged:
        assert staged.base == store.status().generation
        assert staged.resumed is False
        assert staged.check_definition() is None


def test_the_first_generation_of_an_empty_store_is_made_live_in_the_same_way(store):
    with store.generations.stage("r", unheard) as staged:
        assert copy(staged) == []
        assert staged.catch_up(as_given) == CaughtUp(0, 0)
        assert staged.missing_or_surplus() == (0, 0)
        staged.go_live()
        assert staged.settle(as_given) == CaughtUp(0, 0)

    assert store.status().generation == staged.name
    fill(store, table("a", "zebra"))
    assert found(store, "zebra") == ["a"]


def test_what_is_first_put_while_an_empty_store_is_staged_is_there_afterwards(store):
    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        written_meanwhile = True
        try:
            fill(store, table("a", "zebra"))
        except StoreProblem:  # a store without a generation may refuse; it must not forget
            written_meanwhile = False
        try:
            finish(staged)
        except StoreProblem:  # the first generation came from the writer: `base` is no longer none
            assert staged.base is None

    assert words(store) == ({"a": "zebra"} if written_meanwhile else {})


def test_going_live_twice_does_nothing_the_second_time(store):
    fill(store, table("a", "zebra"))
    old = store.status().generation

    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        staged.go_live()
        fill(store, table("b", "yak"))
        staged.go_live()
        staged.settle(as_given)

    assert words(store) == {"a": "zebra", "b": "yak"}
    assert states(store) == {staged.name: "live", old: "kept"}


def test_nothing_goes_live_over_a_generation_that_became_live_meanwhile(store):
    fill(store, table("a", "zebra"))
    kept = store.status().generation
    middle = reindex(store, transform=marked("middle"))

    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        make_live_without_a_lease(store, kept)
        with pytest.raises(StoreProblem):
            staged.go_live()

    assert store.status().generation == kept
    assert marks(store) == {"a": None}
    assert states(store) == {kept: "live", staged.name: "staged", middle: "kept"}


# Writes that come while another generation is built

MOMENTS = ("before copying", "while copying", "after copying", "after catching up", "once live")


@pytest.mark.parametrize("moment", MOMENTS)
def test_what_others_write_and_delete_meanwhile_is_so_afterwards(store, moment):
    fill(store, *(table(f"t{number}", "old") for number in range(6)))

    with another(store) as other, store.generations.stage("r", unheard) as staged:

        def comes(now):
            if now == moment:
                other.put([table("t1", "changed"), table("t2", "again"), table("n1", "new")])
                other.put([table("n2", "soon gone")])
                assert other.delete(["t0", "t2", "n2", "t5"]) == 4
                fill(other, table("t2", "put again"))

        comes("before copying")
        tables = []
        for number, one in enumerate(staged.uncopied()):
            tables.append(one)
            if number == 2:
                comes("while copying")
        staged.tables.put(marked("copied")(tables))
        comes("after copying")
        staged.catch_up(marked("caught up"))
        comes("after catching up")
        staged.go_live()
        comes("once live")
        staged.settle(as_given)

    expected = {"t1": "changed", "t2": "put again", "t3": "old", "t4": "old", "n1": "new"}
    assert words(store) == expected
    assert marks(store)["t3"] == "copied"
    store.refresh()
    assert sorted(found(store, "old changed again new gone")) == sorted(expected)


def test_a_write_between_each_two_steps_is_there_afterwards(store):
    fill(store, table("start", "zebra"))

    with another(store) as other, store.generations.stage("r", unheard) as staged:
        fill(other, table("1", "staged"))
        copy(staged)
        fill(other, table("2", "copied"))
        staged.catch_up(as_given)
        fill(other, table("3", "caught up"))
        staged.catch_up(as_given)
        fill(other, table("4", "caught up again"))
        assert staged.missing_or_surplus() == (0, 0)
        fill(other, table("5", "compared"))
        staged.tables.refresh()
        fill(other, table("6", "refreshed"))
        staged.go_live()
        fill(other, table("7", "live"))
        staged.settle(as_given)
        fill(other, table("8", "settled"))

    assert list(words(store)) == ["1", "2", "3", "4", "5", "6", "7", "8", "start"]


def test_tables_written_meanwhile_go_through_the_transform_that_catches_up(store):
    fill(store, table("a"), table("b"))

    with store.generations.stage("r", unheard) as staged:
        copy(staged, marked("copied"))
        store.put([table("b", "changed"), table("c", "new")])
        staged.catch_up(marked("caught up"))

        assert marks(staged.tables) == {"a": "copied", "b": "caught up", "c": "caught up"}


def test_catching_up_counts_what_came_and_nothing_where_nothing_was_written(store):
    fill(store, table("a"), table("b"), table("c"))

    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        staged.catch_up(as_given)
        store.put([table("b", "changed"), table("d", "new")])
        store.delete(["a"])

        assert staged.catch_up(as_given) == CaughtUp(written=2, deleted=1)
        assert staged.catch_up(as_given) == CaughtUp(written=0, deleted=0)


def test_writing_what_is_there_already_and_deleting_what_is_not_changes_nothing(store):
    fill(store, table("a", "zebra"))

    with store.generations.stage("r", unheard) as staged:
        copy(staged, marked("copied"))
        store.delete(["never", "gone"])
        staged.catch_up(marked("caught up"))
        finish(staged)

    assert words(store) == {"a": "zebra"}


def test_more_changes_than_one_page_are_caught_up(store):
    ids = [f"t{number:04}" for number in range(1300)]
    fill(store, *(table(one, "old") for one in ids))

    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        store.put(table(one, "changed") for one in ids[:1200])
        store.delete(ids[:600:2])
        staged.catch_up(as_given)

        assert Counter(words(staged.tables).values()) == {"changed": 900, "old": 100}
        assert staged.missing_or_surplus() == (0, 0)
        store.put(table(one, "late") for one in ids)
        finish(staged)

    assert Counter(words(store).values()) == {"late": 1300}


def test_a_table_that_cannot_be_taken_is_reported_until_it_can(store):
    def breaking(tables):
        for one in tables:
            half = Description("half \ud83d", "", "", "", "", "")
            broken = EnrichedTable(one.raw, one.provenance, description=half)
            yield broken if one.table_id == "b" else one

    fill(store, table("a", "old"), table("b", "old"), table("c", "old"))

    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        store.put([table("a", "changed"), table("b", "changed"), table("c", "changed")])
        first = staged.catch_up(breaking)
        second = staged.catch_up(breaking)
    with store.generations.stage("r", unheard) as staged:
        third = staged.catch_up(as_given)

        assert [[one.table_id for one in each.refused] for each in (first, second)] == [["b"]] * 2
        assert (first.written, third.refused) == (2, ())
        assert words(staged.tables) == {"a": "changed", "b": "changed", "c": "changed"}


def test_a_table_written_to_the_new_generation_is_not_overwritten_as_it_is_settled(store):
    fill(store, table("a", "old"), table("b", "old"))

    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        store.put([table("a", "late"), table("b", "late")])
        staged.go_live()
        store.put([table("a", "newer")])
        store.delete(["b"])
        staged.settle(as_given)
        staged.settle(as_given)

    assert words(store)["a"] == "newer"


# Copying


def test_what_is_to_be_copied_comes_in_the_order_of_ids_without_what_is_over(store):
    ids = [f"t{number:03}" for number in range(250)] + ["Z", "a/b", "é", "\ue000", "💼", "a b"]
    fill(store, *(table(one) for one in reversed(ids)))

    with store.generations.stage("r", unheard) as staged:
        staged.tables.put([table("t007"), table("💼"), table("no longer there")])

        assert copy(staged) == sorted(set(ids) - {"t007", "💼"})
        assert copy(staged) == []


def test_thousands_of_tables_are_copied_while_others_write(store):
    ids = [f"t{number:04}" for number in range(2500)]
    fill(store, *(table(one, "old") for one in ids))

    def disturbed(tables):
        for number, one in enumerate(tables):
            turn, at = divmod(number, 500)
            if at == 250:  # 5 times
                other.put([table(ids[turn], "changed"), table(f"n{turn}", "new")])
                other.put([table(ids[2400 + turn], "changed")])  # not copied yet
                other.delete([ids[100 + turn], ids[2450 + turn]])
            yield one

    with another(store) as other, store.generations.stage("r", unheard) as staged:
        copy(staged, disturbed)
        finish(staged)

    assert Counter(words(store).values()) == {"old": 2500 - 4 * 5, "changed": 10, "new": 5}


def test_ids_of_any_shape_and_length_come_over_and_follow_changes(store):
    odd = ["x" * 600, "é" * 2000, "..", "_id", "a b  c", "?x=1&y#z%2F", "sha256:" + "0" * 64, "💼"]
    fill(store, *(table(one, "old") for one in odd))

    with store.generations.stage("r", unheard) as staged:
        assert copy(staged) == sorted(odd)
        store.put(table(one, "changed") for one in odd[:4])
        store.delete(odd[2:6])
        finish(staged)

    gone = set(odd[2:6])
    assert words(store) == {
        one: "changed" if one in odd[:4] else "old" for one in sorted(odd) if one not in gone
    }


def test_missing_and_surplus_tables_are_counted(store):
    fill(store, *(table(f"t{number}") for number in range(5)))

    with store.generations.stage("r", unheard) as staged:
        assert staged.missing_or_surplus() == (5, 0)
        staged.tables.put([table("t1"), table("t2"), table("surplus")])
        assert staged.missing_or_surplus() == (3, 1)
        copy(staged)
        assert staged.missing_or_surplus() == (0, 1)
        staged.tables.delete(["surplus", "t4"])
        assert staged.missing_or_surplus() == (1, 0)


def test_what_others_wrote_meanwhile_counts_neither_as_missing_nor_as_surplus(store):
    fill(store, table("a"), table("b"))

    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        store.put([table("c"), table("a", "changed")])
        store.delete(["b"])

        assert staged.missing_or_surplus() == (0, 0)
        finish(staged)

    assert words(store) == {"a": "changed", "c": "t"}
