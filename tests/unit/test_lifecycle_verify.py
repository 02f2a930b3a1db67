"""What keeps a staged generation from going live, and what is mended instead."""

import pytest
from generations import as_given, copy, unheard
from tables import fill, found, table

from polaris_search.lifecycle.progress import NoReindexProgress
from polaris_search.lifecycle.swap import SwapSteps, swap_in
from polaris_search.lifecycle.verify import any_difference, ids_only_in_first, verify
from polaris_search.store.embedded.store import EmbeddedStore
from polaris_search.store.protocol import SearchResult


@pytest.fixture
def store(tmp_path):
    opened = EmbeddedStore(tmp_path / "store")
    fill(opened, *(table(f"t{number:02}", f"zebra {number}") for number in range(60)))
    yield opened
    opened.close()


@pytest.fixture
def staged(store):
    """A staged generation with all tables copied."""
    with store.generations.stage("r", unheard) as opened:
        copy(opened)
        yield opened


class With:
    """Another's attributes, but for those that are given."""

    def __init__(self, other, **given):
        self._other = other
        self._given = given

    def __getattr__(self, name):
        return self._given[name] if name in self._given else getattr(self._other, name)


def verified(staged, store, judge=None):
    return verify(staged, store, as_given, judge)


def test_a_whole_generation_passes_and_fifty_of_its_tables_are_searched_for(store, staged):
    seen = verified(staged, store)

    assert (seen.missing, seen.surplus, seen.sampled, seen.problem) == (0, 0, 50, None)


def test_what_is_missing_and_what_is_surplus_is_mended(store, staged):
    staged.tables.delete(["t07"])
    staged.tables.put([table("gone", "yak"), table("t99", "yak")])

    seen = verified(staged, store)

    assert (seen.missing, seen.surplus, seen.problem) == (0, 0, None)
    assert list(staged.tables.table_ids()) == list(store.table_ids())


def test_a_generation_that_never_becomes_equal_is_refused(store, staged):
    stuck = With(staged, missing_or_surplus=lambda: (1, 2))

    seen = verified(stuck, store)

    assert "lacks 1 tables of the live one and has 2 more" in seen.problem
    assert seen.sampled == 0


def test_a_generation_that_may_differ_is_not_mended(store, staged):
    staged.tables.delete(["t07"])

    seen = verified(staged, store, any_difference)

    assert (seen.missing, seen.surplus, seen.problem) == (1, 0, None)


def test_another_definition_is_refused_before_anything_else(store, staged):
    other = With(staged, check_definition=lambda: "The index x differs in: mappings.a.")

    seen = verified(other, store)

    assert seen.problem.startswith("The index x differs in: mappings.a. Somebody changed it")
    assert "`polaris-admin reindex`" in seen.problem


def test_tables_that_are_not_found_by_their_own_names_keep_it_from_going_live(store, staged):
    blind = With(staged.tables, search=lambda *_: SearchResult((), 0))
    steps = SwapSteps(store, as_given, as_given, None, NoReindexProgress())

    swap = swap_in(With(staged, tables=blind), steps)

    assert (swap.live, swap.verified.sampled) == (False, 50)
    assert "50 of 50 tables are not found by their own names" in swap.problem
    assert store.status().generation == staged.base
    assert len(found(store, "zebra")) == 60


def test_what_is_written_while_it_is_verified_is_over_before_it_goes_live(store, staged):
    over = []
    written_late = With(
        staged,
        check_definition=lambda: fill(store, table("late", "yak")),
        go_live=lambda: over.extend(staged.tables.get(["late"])),
    )

    swap_in(written_late, SwapSteps(store, as_given, as_given, None, NoReindexProgress()))

    assert over == ["late"]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("", "", ""),
        ("abc", "", "abc"),
        ("", "abc", ""),
        ("abc", "abc", ""),
        ("acd", "bd", "ac"),
        ("ad", "abcde", ""),
        ("xyz", "abc", "xyz"),
    ],
)
def test_ids_of_the_first_that_the_second_lacks(first, second, expected):
    assert list(ids_only_in_first(first, second)) == list(expected)
