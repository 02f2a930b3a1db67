"""Killed after each request in turn, on a real server: the live generation serves, a rerun ends.

A kill between two requests is all there is to try: within one the server does all or nothing, and
what it did without its answer being heard is the kill after it.
"""

from collections.abc import Callable, Iterator
from contextlib import closing, suppress

import pytest
from elasticsearch_places import KillAfter, Killed, generations_of_the_dead, place_at, unsettled
from generations import as_given, copy, marked, marks, roll_back, states, unheard, words
from tables import fill, found, table

from polaris_search.store.elasticsearch.generations.of_alias import ElasticsearchGenerations
from polaris_search.store.elasticsearch.store import ElasticsearchStore

pytestmark = pytest.mark.es

TABLES = {"a": "zebra", "b": "zebra", "c": "zebra"}

Run = Callable[[ElasticsearchGenerations], None]


@pytest.fixture
def store(es_url, es_alias):
    with (
        place_at(es_url, es_alias) as place,
        closing(ElasticsearchStore(place.connection, es_alias)) as opened,
    ):
        fill(opened, *(table(one, word) for one, word in TABLES.items()))
        yield opened


def killed_at_each_change(es_url: str, alias: str, run: Run) -> Iterator[str]:
    """Run it, killed after its first change, its second and so on; yield what was the last."""
    number, ended = 0, False
    while not ended:
        number += 1
        kill = KillAfter(number)
        with kill.place(es_url, alias) as place, suppress(Killed):
            run(generations_of_the_dead(place))
            ended = True
        if not ended:
            yield kill.changed[-1]


def serves_all(store) -> bool:
    return words(store) == TABLES and found(store, "zebra", "paper") == [*TABLES]


def test_a_reindex_killed_after_any_request_is_finished_by_the_next(store, es_url, es_alias):
    def reindex_with_changes(generations):
        with generations.stage("r", unheard) as staged:
            copy(staged, marked("new"))
            store.put([table("b", TABLES["b"])])
            store.delete(["gone"])
            staged.catch_up(marked("new"))
            staged.go_live()
            staged.settle(marked("new"))

    kills = 0
    for last in killed_at_each_change(es_url, es_alias, reindex_with_changes):
        kills += 1
        assert serves_all(store), last

        with store.generations.stage("r", unheard) as staged:
            assert serves_all(store), last
            copy(staged, marked("rerun"))
            staged.catch_up(as_given)
            assert staged.missing_or_surplus() == (0, 0), last
            staged.go_live()
            staged.settle(as_given)

        assert serves_all(store), last
        assert set(marks(store).values()) <= {"new", "rerun", None}, last
        store.generations.prune(0, unheard)
        assert states(store) == {staged.name: "live"}, last
        assert unsettled(store) == [], last
        fill(store, table("d"))  # it takes writes
        store.delete(["d"])
    assert kills >= 10


def test_a_way_back_killed_after_any_request_leaves_both_whole(store, es_url, es_alias):
    first = store.status().generation
    with store.generations.stage("r", unheard) as staged:
        copy(staged, marked("second"))
        staged.go_live()
        staged.settle(as_given)
    second = staged.name

    kills = 0
    for last in killed_at_each_change(es_url, es_alias, lambda killed: roll_back_to(killed, first)):
        kills += 1
        assert serves_all(store), last
        assert store.generations.prune(1, unheard) == (), last
        assert set(states(store)) == {first, second}, last

        if store.status().generation == second:
            roll_back(store, first)
        assert set(marks(store).values()) == {None}, last
        roll_back(store, second)
        assert set(marks(store).values()) == {"second"}, last
        fill(store, table("d"))
        store.delete(["d"])
    assert kills >= 8


def roll_back_to(generations: ElasticsearchGenerations, name: str) -> None:
    with generations.reopen(name, unheard) as staged:
        staged.catch_up(as_given)
        staged.go_live()
        staged.settle(as_given)


def test_a_pruning_killed_after_any_request_is_finished_by_the_next(store, es_url, es_alias):
    def left_behind():
        with store.generations.stage("live", unheard) as staged:
            copy(staged)
            staged.go_live()
            staged.settle(as_given)
        with store.generations.stage("left", unheard):
            pass

    left_behind()
    kills = 0
    for last in killed_at_each_change(
        es_url, es_alias, lambda generations: generations.prune(0, unheard)
    ):
        kills += 1
        assert serves_all(store), last
        store.generations.prune(0, unheard)
        assert list(states(store).values()) == ["live"], last
        left_behind()
    assert kills >= 4
    assert states(store) == {store.status().generation: "live"}
