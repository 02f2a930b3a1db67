"""A process that was held to be gone and wakes up again does no harm, on a real server."""

from contextlib import ExitStack, closing

import pytest
from elasticsearch_places import Machine, place_at
from generations import as_given, copy, finish, reindex, states, words
from tables import fill, found, table

from polaris_search.errors import AlreadyHeld, HolderLost

pytestmark = pytest.mark.es


@pytest.fixture
def store(elasticsearch_store):
    with closing(elasticsearch_store):
        yield elasticsearch_store


@pytest.fixture
def places(es_url, es_alias):
    with place_at(es_url, es_alias) as one, place_at(es_url, es_alias) as other:
        yield one, other


WRITES = {
    "put": lambda staged: staged.tables.put([table("zombie")]),
    "delete": lambda staged: staged.tables.delete(["a"]),
    "catch_up": lambda staged: staged.catch_up(as_given),
    "go_live": lambda staged: staged.go_live(),
    "drop": lambda staged: staged.drop(),
}


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("asleep_s", [0, 60], ids=["not yet aware", "long asleep"])
def test_whoever_was_taken_over_writes_no_more_and_is_told(store, places, write, asleep_s):
    fill(store, table("a", "zebra"), table("b", "yak"))
    far, near = Machine("far"), Machine("near")

    with ExitStack() as stack:
        lost = stack.enter_context(far.generations(places[0]).stage("r", far.heard.append))
        lost.tables.put([table("a", "zebra")])
        with near.generations(places[1]).stage("r", near.heard.append) as staged:
            assert (staged.name, staged.resumed) == (lost.name, True)
            store.put([table("b", "changed")])
            far.seconds += asleep_s

            with pytest.raises(HolderLost, match="process 7 on near"):
                WRITES[write](lost)

            assert copy(staged) == ["b"]
            assert words(staged.tables) == {"a": "zebra", "b": "changed"}
            finish(staged)

    assert words(store) == {"a": "zebra", "b": "changed"}
    assert found(store, "zombie") == []


def test_a_run_that_wakes_up_after_the_way_back_does_not_block_the_live_generation(store, places):
    fill(store, table("a", "zebra"))
    first = store.status().generation
    far, near = Machine("far"), Machine("near")

    with ExitStack() as stack:
        lost = stack.enter_context(far.generations(places[0]).stage("r", far.heard.append))
        copy(lost)
        lost.go_live()
        with near.generations(places[1]).reopen(first, near.heard.append) as staged:
            staged.go_live()
            staged.settle(as_given)

        with pytest.raises(HolderLost, match="somebody who has ended"):
            lost.settle(as_given)
        fill(store, table("b", "yak"))

    assert words(store) == {"a": "zebra", "b": "yak"}
    assert states(store)[first] == "live"


def test_a_run_that_is_still_alive_elsewhere_is_left_alone(store, places):
    fill(store, table("a", "zebra"))
    far, near = Machine("far"), Machine("near")

    with far.generations(places[0]).stage("r", far.heard.append) as staged:
        near.meanwhile = staged._lease.renew
        with (
            pytest.raises(AlreadyHeld, match="process 7 on far"),
            near.generations(places[1]).stage("r", near.heard.append),
        ):
            pass
        copy(staged)
        finish(staged)

    assert store.status().generation == staged.name


def test_what_the_dead_left_is_found_by_the_next_whoever_it_is(store, places):
    fill(store, table("a", "zebra"))
    far, near = Machine("far"), Machine("near")

    with ExitStack() as stack:
        left = stack.enter_context(far.generations(places[0]).stage("r", far.heard.append))
        pruned = near.generations(places[1]).prune(0, near.heard.append)

    assert pruned == (left.name,)
    assert "gave none" in near.heard[-1]
    reindex(store)
