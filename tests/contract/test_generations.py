"""What every store keeps of its generations, run against the embedded one and Elasticsearch."""

import os
from collections import Counter
from datetime import UTC, datetime, timedelta

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
    roll_back,
    states,
    unheard,
    words,
)
from tables import fill, found, table

from polaris_search.errors import AlreadyHeld, GenerationUnknown, StoreProblem
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


# Interrupted runs


def interrupt(store, recipe, *copied):
    """Stage, put what was copied so far, and leave by an error; return the staged name."""

    def run():
        with store.generations.stage(recipe, unheard) as staged:
            names.append(staged.name)
            staged.tables.put(copied)
            raise KeyboardInterrupt

    names: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        run()
    return names[0]


def test_an_interrupted_run_leaves_the_live_generation_and_what_it_had_built(store):
    fill(store, table("a", "zebra"))

    staged = interrupt(store, "r", table("a", "zebra"))

    assert states(store) == {store.status().generation: "live", staged: "staged"}
    assert found(store, "zebra") == ["a"]


def test_a_run_of_the_same_recipe_goes_on_where_the_interrupted_one_stopped(store):
    fill(store, table("a", "old"), table("b", "old"), table("c", "old"), table("d", "old"))
    name = interrupt(store, "r", table("a", "old"), table("b", "old"))
    store.put([table("a", "changed"), table("e", "new")])
    store.delete(["b", "c"])

    with store.generations.stage("r", unheard) as staged:
        assert (staged.name, staged.resumed) == (name, True)
        copied = copy(staged)
        assert set(copied) <= {"d", "e"}
        assert "d" in copied
        finish(staged)

    assert words(store) == {"a": "changed", "d": "old", "e": "new"}


def test_a_run_may_be_interrupted_after_it_caught_up_and_go_on(store):
    fill(store, table("a", "old"), table("b", "old"))
    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        store.put([table("a", "changed")])
        staged.catch_up(as_given)
    store.put([table("b", "changed later")])
    store.delete(["a"])

    with store.generations.stage("r", unheard) as again:
        assert again.resumed
        assert copy(again) == []
        finish(again)

    assert words(store) == {"b": "changed later"}


def test_what_another_recipe_left_is_dropped(store):
    fill(store, table("a"))
    name = interrupt(store, "r", table("left"))

    with store.generations.stage("other", unheard) as staged:
        assert (staged.resumed, staged.tables.status().tables) == (False, 0)
        assert name not in states(store)
        assert staged.name != name
        copy(staged)
        finish(staged)

    assert list(words(store)) == ["a"]


def test_what_was_built_for_another_live_generation_is_dropped(store):
    fill(store, table("a", "zebra"))
    first = store.status().generation
    second = reindex(store, "first recipe")
    left = interrupt(store, "r", table("left"))
    roll_back(store, first)

    with store.generations.stage("r", unheard) as staged:
        assert (staged.resumed, staged.base) == (False, first)
        assert states(store) == {first: "live", staged.name: "staged", second: "kept"}
        assert left != staged.name


def test_a_recipe_may_be_of_any_length_and_differs_at_its_end(store):
    fill(store, table("a"))
    long = "é" * 50_000
    name = interrupt(store, long)

    with store.generations.stage(long, unheard) as staged:
        assert (staged.name, staged.resumed) == (name, True)
    with store.generations.stage(long + "!", unheard) as staged:
        assert not staged.resumed


def test_a_run_that_was_interrupted_as_it_had_gone_live_leaves_nothing_undone(store):
    fill(store, table("a", "old"), table("b", "old"))
    old = store.status().generation
    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        store.put([table("a", "late")])
        staged.go_live()

    with store.generations.stage("r", unheard) as again:
        assert (again.resumed, again.base) == (False, staged.name)
        assert words(store) == {"a": "late", "b": "old"}
        assert states(store) == {staged.name: "live", again.name: "staged", old: "kept"}


# One process at a time


def test_a_second_process_is_refused_with_the_name_of_the_first(store):
    fill(store, table("a"))
    kept = store.status().generation
    reindex(store)

    with another(store) as other, store.generations.stage("r", unheard):
        for open_ in (
            lambda: other.generations.stage("r", unheard),
            lambda: other.generations.reopen(kept, unheard),
        ):
            with pytest.raises(AlreadyHeld, match=f"process {os.getpid()} on "), open_():
                pass
        with pytest.raises(AlreadyHeld, match=f"process {os.getpid()} on "):
            other.generations.prune(0, unheard)
        assert kept in states(other)

    assert words(store) == {"a": "t"}


def test_the_next_one_gets_its_turn_however_the_block_was_left(store):
    fill(store, table("a"))

    with another(store) as other:
        interrupt(store, "r")
        with other.generations.stage("r", unheard) as staged:
            assert staged.resumed
        with store.generations.stage("r", unheard) as staged:
            assert staged.resumed


# What others see


def test_other_store_objects_see_the_old_generation_whole_then_the_new_one_whole(store):
    fill(store, table("a", "old zebra"), table("b", "old zebra"))

    def renamed(tables):
        for one in tables:
            yield table(one.table_id, one.raw.name.replace("old", "new"))

    with another(store) as other, store.generations.stage("r", unheard) as staged:
        seen = [(found(other, "old"), found(other, "new"))]
        copy(staged, renamed)
        staged.tables.refresh()
        seen.append((found(other, "old"), found(other, "new")))
        staged.go_live()
        seen.append((found(other, "old"), found(other, "new")))
        staged.settle(as_given)
        seen.append((found(other, "old"), found(other, "new")))
        assert other.status().generation == staged.name

    both: list[str] = ["a", "b"]
    assert seen == [(both, []), (both, []), ([], both), ([], both)]


def test_everything_is_searchable_at_once_when_a_generation_goes_live(store):
    fill(store, table("a", "zebra"))

    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        staged.go_live()
        assert found(store, "zebra") == ["a"]
        staged.settle(as_given)


# Kept generations and the way back


def test_a_kept_generation_holds_what_it_held_when_another_took_its_place(store):
    fill(store, table("a", "zebra"), table("b", "yak"))
    first = store.status().generation
    reindex(store, transform=marked("second"))
    fill(store, table("a", "changed"), table("c", "new"))
    store.delete(["b"])

    roll_back(store, first)

    assert words(store) == {"a": "zebra", "b": "yak"}
    assert marks(store) == {"a": None, "b": None}
    assert (found(store, "zebra"), found(store, "changed")) == (["a"], [])
    assert store.status().generation == first


def test_a_generation_is_written_again_after_it_came_back(store):
    fill(store, table("a", "zebra"))
    first = store.status().generation
    reindex(store)
    roll_back(store, first)

    fill(store, table("b", "yak"))
    store.delete(["a"])

    assert words(store) == {"b": "yak"}


def test_the_way_back_and_forth_leads_to_each_generation_as_it_was_left(store):
    fill(store, table("a", "one"))
    first = store.status().generation
    second = reindex(store, "2", marked("2"))
    fill(store, table("b", "two"))
    third = reindex(store, "3", marked("3"))
    fill(store, table("c", "three"))

    seen = []
    for name in (first, third, second, first):
        roll_back(store, name)
        seen.append((store.status().generation, marks(store)))

    as_left = {
        first: {"a": None},
        second: {"a": "2", "b": None},
        third: {"a": "3", "b": "3", "c": None},
    }
    assert seen == [(name, as_left[name]) for name in (first, third, second, first)]


def test_what_is_written_while_a_kept_generation_is_reopened_is_there_afterwards(store):
    fill(store, table("a", "old"), table("b", "old"))
    first = store.status().generation
    second = reindex(store)
    fill(store, table("a", "before"))

    with store.generations.reopen(first, unheard) as reopened:
        assert (reopened.name, reopened.base, reopened.resumed) == (first, second, False)
        store.put([table("b", "meanwhile"), table("c", "meanwhile")])
        reopened.catch_up(as_given)
        store.put([table("d", "meanwhile")])
        store.delete(["c"])
        reopened.go_live()
        reopened.settle(as_given)

    assert words(store) == {"a": "old", "b": "meanwhile", "d": "meanwhile"}


def test_a_kept_generation_that_was_reopened_in_vain_stays_kept(store):
    fill(store, table("a", "old"))
    first = store.status().generation
    second = reindex(store)

    with store.generations.reopen(first, unheard):
        pass
    fill(store, table("b", "new"))
    with store.generations.stage("r", unheard) as staged:
        assert states(store) == {second: "live", staged.name: "staged", first: "kept"}
    roll_back(store, first)

    assert words(store) == {"a": "old"}


def test_a_reindex_after_the_way_back_starts_from_what_is_live(store):
    fill(store, table("a", "zebra"))
    first = store.status().generation
    reindex(store, "2", marked("2"))
    fill(store, table("b", "yak"))
    roll_back(store, first)

    third = reindex(store, "3", marked("3"))

    assert store.status().generation == third
    assert marks(store) == {"a": "3"}


def test_only_a_kept_generation_can_be_reopened(store):
    fill(store, table("a"))
    kept = store.status().generation
    live = reindex(store)
    staged = interrupt(store, "r")

    for name in ("no such", live, staged):
        with (
            pytest.raises(GenerationUnknown, match=f"{name}.*Kept: {kept}"),
            store.generations.reopen(name, unheard),
        ):
            pass

    assert states(store) == {live: "live", staged: "staged", kept: "kept"}


# Looking at them, and removing them


def test_generations_are_listed_with_what_is_known_of_them(store):
    begun = datetime.now(UTC) - timedelta(seconds=1)
    fill(store, table("a"), table("b"))
    reindex(store, "2")
    fill(store, table("c"))
    with store.generations.stage("3", unheard) as staged:
        staged.tables.put([table("a")])
        staged.tables.refresh()

        live, built, kept = store.generations.listed()

    assert (live.name, live.state, live.tables) == (store.status().generation, "live", 3)
    assert (built.name, built.state, built.tables) == (staged.name, "staged", 1)
    assert (kept.state, kept.tables) == ("kept", 2)
    assert all(one.current for one in (live, built, kept))
    ended = datetime.now(UTC)
    assert all(begun <= one.made_at <= ended for one in (live, built, kept))
    assert begun <= live.live_at <= ended
    assert built.live_at is None


def test_the_time_of_going_live_is_that_of_the_last_time(store):
    fill(store, table("a"))
    first = store.status().generation
    second = reindex(store)
    before = datetime.now(UTC)
    roll_back(store, first)

    by_name = {one.name: one for one in store.generations.listed()}

    assert by_name[first].live_at >= before - timedelta(seconds=1)
    assert by_name[second].live_at <= by_name[first].live_at


def test_the_live_generation_is_listed_first_then_the_newest(store):
    fill(store, table("a"))
    first = store.status().generation
    second, third = reindex(store, "2"), reindex(store, "3")

    assert [*states(store)] == [third, second, first]
    roll_back(store, first)
    assert [*states(store)] == [first, third, second]


def test_a_scratch_generation_is_not_listed(store):
    fill(store, table("a"))

    with store.scratch() as scratch:
        fill(scratch, table("b"))
        assert states(store) == {store.status().generation: "live"}


def test_pruning_keeps_those_that_were_live_last(store):
    fill(store, table("a", "zebra"))
    first = store.status().generation
    second, third, fourth = (reindex(store, str(number)) for number in (2, 3, 4))
    roll_back(store, first)  # live, in this order: first, second, third, fourth, first

    assert store.generations.prune(3, unheard) == ()
    assert sorted(store.generations.prune(1, unheard)) == sorted([second, third])
    assert states(store) == {first: "live", fourth: "kept"}
    assert store.generations.prune(0, unheard) == (fourth,)
    assert states(store) == {first: "live"}
    assert found(store, "zebra") == ["a"]


def test_pruning_removes_what_an_interrupted_run_left(store):
    fill(store, table("a", "zebra"))
    live = store.status().generation
    staged = interrupt(store, "r", table("a"), table("left"))

    assert store.generations.prune(5, unheard) == (staged,)

    assert states(store) == {live: "live"}
    with store.generations.stage("r", unheard) as again:
        assert not again.resumed


def test_pruning_leaves_a_scratch_generation_in_use_alone(store):
    fill(store, table("a"))

    with another(store) as other, other.scratch() as scratch:
        fill(scratch, table("b", "zebra"))
        assert store.generations.prune(0, unheard) == ()
        assert found(scratch, "zebra") == ["b"]


def test_pruning_an_empty_store_removes_nothing(store):
    before = store.generations.listed()

    assert store.generations.prune(0, unheard) == ()
    assert store.generations.listed() == before


def test_a_dropped_generation_is_gone_and_the_live_one_is_not_touched(store):
    fill(store, table("a", "zebra"))

    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        staged.drop()

    assert states(store) == {store.status().generation: "live"}
    assert found(store, "zebra") == ["a"]
    with store.generations.stage("r", unheard) as again:
        assert (again.resumed, again.name != staged.name) == (False, True)


def test_a_live_generation_is_not_dropped(store):
    fill(store, table("a", "zebra"))

    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        finish(staged)
        with pytest.raises(StoreProblem):
            staged.drop()

    assert words(store) == {"a": "zebra"}
    assert found(store, "zebra") == ["a"]
