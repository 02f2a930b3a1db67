"""Generations that were live once, in each store: the way back, the list, pruning, dropping."""

from datetime import UTC, datetime, timedelta

import pytest
from generations import (
    another,
    as_given,
    copy,
    finish,
    interrupt,
    marked,
    marks,
    reindex,
    roll_back,
    states,
    unheard,
    words,
)
from tables import fill, found, table

from polaris_search.errors import GenerationUnknown, StoreProblem

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
    second, third = reindex(store, "2"), reindex(store, "3")
    roll_back(store, first)
    fourth = reindex(store, "4")  # live, in this order: first, second, third, first, fourth

    assert store.generations.prune(3, unheard) == ()
    assert sorted(store.generations.prune(1, unheard)) == sorted([second, third])
    assert states(store) == {fourth: "live", first: "kept"}
    assert store.generations.prune(0, unheard) == (first,)
    assert states(store) == {fourth: "live"}
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
