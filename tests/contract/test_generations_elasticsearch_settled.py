"""What reaches the old index as the new one takes its place: nothing of it is lost or comes back.

Writes that were under way are made here by writing to the old index by its name, after the swap and
before it is settled; on one shard and on several.
"""

from contextlib import ExitStack, closing, contextmanager

import pytest
from elasticsearch import ApiError
from elasticsearch_places import generations_of_the_dead, place_at, unsettled
from generations import as_given, copy, marked, marks, reindex, states, unheard, words
from tables import fill, found, table

from polaris_search.store.elasticsearch.documents import document, document_id
from polaris_search.store.elasticsearch.generations.change_log import ChangeLog
from polaris_search.store.elasticsearch.store import ElasticsearchStore
from polaris_search.store.generations import CaughtUp

pytestmark = pytest.mark.es

IDS = [f"t{number}" for number in range(12)]


@pytest.fixture(params=[1, 3], ids=["one shard", "three shards"])
def place(request, es_url, es_alias):
    with place_at(es_url, es_alias, request.param) as opened:
        yield opened


@pytest.fixture
def store(place):
    with closing(ElasticsearchStore(place.connection, place.alias, shards=place.shards)) as opened:
        fill(opened, *(table(one, "old") for one in IDS))
        yield opened


@pytest.fixture
def late(place):
    """Writes to one index by its name, as a request does that had begun before the swap."""
    return Late(place)


class Late:
    def __init__(self, place):
        self.client = place.connection.client
        self.log = ChangeLog(place.connection, place.alias)

    def put(self, index, *tables):
        for one in tables:
            self.client.index(index=index, id=document_id(one.table_id), document=document(one))

    def delete(self, index, *table_ids):
        self.log.append(table_ids, index)
        for one in table_ids:
            self.client.delete(index=index, id=document_id(one))


@contextmanager
def gone_live(store):
    """A reindex that has just gone live, and the name of the index that it replaced."""
    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        staged.catch_up(as_given)
        staged.go_live()
        yield staged, staged.base


def test_a_put_under_way_is_brought_over_with_its_transform(store, late):
    with gone_live(store) as (staged, old):
        late.put(old, table("t0", "late"), table("n0", "late"))

        assert staged.settle(marked("settled")) == CaughtUp(written=2, deleted=0)

    assert words(store) == dict.fromkeys(IDS, "old") | {"t0": "late", "n0": "late"}
    assert {one for one, mark in marks(store).items() if mark} == {"t0", "n0"}
    store.refresh()
    assert sorted(found(store, "late")) == ["n0", "t0"]


def test_a_delete_under_way_is_brought_over(store, late):
    with gone_live(store) as (staged, old):
        late.delete(old, "t1", "t2")

        assert staged.settle(as_given) == CaughtUp(written=0, deleted=2)

    assert words(store) == {one: "old" for one in IDS if one not in ("t1", "t2")}


def test_a_delete_written_down_before_the_last_catching_up_and_done_after_the_swap_counts(
    store, late
):
    late.log.append(["t3"], store.status().generation)

    with gone_live(store) as (staged, old):
        late.client.delete(index=old, id="t3")
        staged.settle(as_given)

    # Such a delete began before the reindex did, and took as long as all of it.
    assert "t3" in words(store)

    with store.generations.stage("again", unheard) as staged:
        late.log.append(["t4"], staged.base)
        copy(staged)
        staged.catch_up(as_given)
        staged.catch_up(as_given)
        staged.go_live()
        late.client.delete(index=staged.base, id="t4")
        assert staged.settle(as_given).deleted == 1

    assert "t4" not in words(store)


def test_what_was_written_through_the_alias_since_stays(store, late):
    with gone_live(store) as (staged, old):
        late.put(old, *(table(one, "late") for one in IDS), table("n0", "late"))
        late.delete(old, "t8", "t9")
        store.put([table("t0", "newer"), table("n0", "newer"), table("t8", "newer")])
        store.delete(["t1"])

        staged.settle(as_given)

    kept = dict.fromkeys(IDS, "late") | {"t0": "newer", "n0": "newer", "t8": "newer"}
    assert words(store) == {one: kept[one] for one in sorted(kept) if one not in ("t1", "t9")}


def test_what_was_deleted_through_the_alias_since_does_not_come_back(store, late):
    with gone_live(store) as (staged, old):
        late.put(old, table("new", "late"), table("t0", "late"))
        assert store.delete(["new", "t0"]) == 1  # "new" has not come over yet

        assert staged.settle(as_given) == CaughtUp(written=0, deleted=0)

    assert words(store) == {one: "old" for one in IDS if one != "t0"}


def test_what_was_deleted_through_the_alias_since_is_not_seen_for_a_moment_either(store, late):
    many = [f"n{number:03}" for number in range(150)]
    seen = []

    def looking(tables):
        for number, one in enumerate(tables):
            if number == 120:  # a part of them is over by now
                seen.append(sorted(store.get(many)))
            yield one

    with gone_live(store) as (staged, old):
        late.put(old, *(table(one, "late") for one in many))
        store.delete(many[::2])

        staged.settle(looking)

    assert len(seen) == 1
    assert seen[0]
    assert set(seen[0]) <= set(many[1::2]) <= set(words(store))


def test_what_is_deleted_through_the_alias_just_as_it_comes_over_does_not_stay(store, late):
    def deleted_meanwhile(tables):
        for one in tables:
            if one.table_id == "new":
                store.delete(["new"])  # after settling looked what had been deleted
            yield one

    with gone_live(store) as (staged, old):
        late.put(old, table("new", "late"), table("other", "late"))

        staged.settle(deleted_meanwhile)

    assert words(store) == dict.fromkeys(IDS, "old") | {"other": "late"}


def test_what_is_written_through_the_alias_just_as_it_comes_over_stays(store, late):
    def written_meanwhile(tables):
        for one in tables:
            store.put([table(one.table_id, "newer")])
            yield one

    with gone_live(store) as (staged, old):
        late.put(old, table("t0", "late"), table("n0", "late"))

        assert staged.settle(written_meanwhile).written == 0

    assert words(store) == dict.fromkeys(IDS, "old") | {"t0": "newer", "n0": "newer"}


def test_more_late_writes_than_a_page_come_over(store, late):
    many = [f"n{number:03}" for number in range(250)]

    with gone_live(store) as (staged, old):
        late.put(old, *(table(one, "late") for one in many))
        late.delete(old, *many[:120])
        late.client.indices.refresh(index=old)

        assert staged.settle(as_given) == CaughtUp(written=130, deleted=0)

    assert words(store) == dict.fromkeys(IDS, "old") | dict.fromkeys(many[120:], "late")


def test_afterwards_the_old_index_takes_no_more_writes(store, late):
    with gone_live(store) as (staged, old):
        staged.settle(as_given)

        with pytest.raises(ApiError, match=r"index write \(api\)"):
            late.put(old, table("t0", "too late"))

    assert words(store) == dict.fromkeys(IDS, "old")


def test_who_comes_next_settles_what_a_dead_run_made_live(store, late, place):
    with ExitStack() as stack:
        staged = stack.enter_context(generations_of_the_dead(place).stage("r", unheard))
        copy(staged)
        staged.go_live()
        late.put(staged.base, table("t0", "late"), table("n0", "late"))
        late.delete(staged.base, "t1")
        store.put([table("t2", "newer")])
        assert unsettled(store) == ["swapping"]

        assert store.generations.prune(0, unheard) == (staged.base,)

    assert unsettled(store) == []
    assert states(store) == {staged.name: "live"}
    assert words(store) == {
        one: {"t0": "late", "n0": "late", "t2": "newer"}.get(one, "old")
        for one in sorted([*IDS, "n0"])
        if one != "t1"
    }


def test_a_base_that_was_deleted_by_hand_is_not_waited_for(store, place):
    with ExitStack() as stack:
        staged = stack.enter_context(generations_of_the_dead(place).stage("r", unheard))
        copy(staged)
        staged.go_live()
        place.connection.client.indices.delete(index=staged.base)

        reindex(store)

    assert words(store) == dict.fromkeys(IDS, "old")
