"""Runs that stop half way or meet each other, in each store, and what others see of them."""

import os

import pytest
from generations import (
    another,
    as_given,
    copy,
    finish,
    interrupt,
    reindex,
    roll_back,
    states,
    unheard,
    words,
)
from tables import fill, found, table

from polaris_search.errors import AlreadyHeld

# Interrupted runs


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
