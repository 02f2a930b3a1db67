"""The alias as others may have left it, and swaps that race, on a real server."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from elasticsearch import Elasticsearch
from elasticsearch_places import place_at
from generations import as_given, copy, reindex, roll_back, states, unheard, words
from tables import fill, found, table

from polaris_search.errors import StoreProblem
from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.store.elasticsearch.generations.leases import Leases
from polaris_search.store.elasticsearch.generations.of_alias import ElasticsearchGenerations
from polaris_search.store.elasticsearch.store import ElasticsearchStore
from polaris_search.store.generations import CaughtUp

pytestmark = pytest.mark.es


@pytest.fixture
def client(es_url):
    with Elasticsearch(es_url) as opened:
        yield opened


@pytest.fixture
def store(elasticsearch_store):
    with closing(elasticsearch_store):
        yield elasticsearch_store


def without_lease(place, name):
    """Generations that others do not know of, as if each held the lease."""
    return ElasticsearchGenerations(place, Leases(place.connection, f"{place.alias}-{name}"))


def went_live(staged):
    try:
        staged.go_live()
    except StoreProblem as problem:
        return str(problem)
    return "live"


def test_of_two_that_go_live_at_once_one_does_and_the_other_changes_nothing(
    store, es_url, es_alias
):
    fill(store, table("a", "zebra"))
    kept = [store.status().generation, reindex(store, "2")]
    base = reindex(store, "3")

    with (
        place_at(es_url, es_alias) as one,
        place_at(es_url, es_alias) as other,
        without_lease(one, "one").reopen(kept[0], unheard) as first,
        without_lease(other, "other").reopen(kept[1], unheard) as second,
        ThreadPoolExecutor(2) as threads,
    ):
        outcomes = list(threads.map(went_live, (first, second)))

    (refused,) = (one for one in outcomes if one != "live")
    winner = kept[outcomes.index("live")]
    assert f"{winner} is live by now" in refused
    assert "nothing was changed. Run the command again." in refused
    assert states(store) == {
        winner: "live",
        base: "kept",
        kept[1 - kept.index(winner)]: "kept",
    }
    assert found(store, "zebra") == ["a"]


def test_a_generation_that_lost_its_own_alias_does_not_go_live(store, client, es_alias):
    fill(store, table("a", "zebra"))
    base = store.status().generation

    with store.generations.stage("r", unheard) as staged:
        copy(staged)
        (body,) = client.indices.get_alias(index=staged.name).values()
        client.indices.delete_alias(index=staged.name, name=list(body["aliases"]))

        with pytest.raises(StoreProblem, match="is not written through .* any more; nothing"):
            staged.go_live()

    assert store.status().generation == base


def test_an_alias_that_was_taken_away_comes_back_with_a_kept_generation(store, client, es_alias):
    fill(store, table("a", "zebra"))
    reindex(store)
    live, kept = (one.name for one in store.generations.listed())
    client.indices.delete_alias(index=live, name=es_alias)

    for refused in (
        lambda: store.put([table("b")]),
        lambda: found(store, "zebra"),
        lambda: reindex(store),
        lambda: store.generations.prune(0, unheard),
    ):
        with pytest.raises(StoreProblem, match=f"is gone.*index rollback {live}"):
            refused()
    assert states(store) == {live: "kept", kept: "kept"}

    roll_back(store, live)
    assert (store.status().generation, found(store, "zebra")) == (live, ["a"])


def test_generations_are_not_changed_while_the_alias_points_at_two(store, client, es_alias):
    fill(store, table("a", "zebra"))
    reindex(store)
    live, kept = (one.name for one in store.generations.listed())
    client.indices.put_alias(index=kept, name=es_alias, is_write_index=False)

    for refused in (
        lambda: reindex(store),
        lambda: roll_back(store, kept),
        lambda: store.generations.prune(0, unheard),
        lambda: store.generations.listed(),
    ):
        with pytest.raises(StoreProblem, match="points at 2 indices.*Remove it from the others"):
            refused()


def test_an_index_that_a_foreign_writer_made_by_guessing_is_told_apart(store, client, es_alias):
    client.index(index=es_alias, document={"table_id": "a", "name": "zebra"}, refresh=True)

    for refused in (lambda: store.put([table("b")]), lambda: reindex(store)):
        with pytest.raises(StoreProblem, match=r"by guessing.*DELETE /"):
            refused()


def test_a_base_restored_under_its_old_name_is_not_mistaken_for_it(store, client, es_alias):
    fill(store, table("a", "zebra"))
    base = store.status().generation
    with store.generations.stage("r", unheard) as left:
        copy(left)
    (body,) = client.indices.get(index=base).values()
    client.indices.delete(index=base)
    client.indices.create(
        index=base,
        mappings=body["mappings"],
        settings={part: body["settings"]["index"][part] for part in ("analysis", "similarity")},
        aliases={es_alias: {"is_write_index": True}},
    )
    fill(store, table("b", "yak"))

    with store.generations.stage("r", unheard) as staged:
        assert not staged.resumed
        copy(staged)
        staged.go_live()
        staged.settle(as_given)

    assert words(store) == {"b": "yak"}


def test_several_shards_are_built_where_they_are_asked_for(store, client, es_url, es_alias):
    fill(store, *(table(f"t{number}", "zebra") for number in range(30)))
    with store.generations.stage("r", unheard) as of_one_shard:
        pass

    with (
        place_at(es_url, es_alias) as place,
        closing(ElasticsearchStore(place.connection, es_alias, shards=3)) as of_three,
        of_three.generations.stage("r", unheard) as staged,
    ):
        assert staged.name != of_one_shard.name
        copy(staged)
        store.put([table("t1", "changed"), table("t30", "zebra")])
        store.delete(["t2"])
        assert staged.catch_up(as_given).written == 2
        assert staged.catch_up(as_given) == CaughtUp(0, 0)
        assert staged.missing_or_surplus() == (0, 0)
        staged.go_live()
        staged.settle(as_given)

    (body,) = client.indices.get_settings(index=es_alias).values()
    assert body["settings"]["index"]["number_of_shards"] == "3"
    result = store.search(plan_query(profile_named("paper"), "zebra"), 100)
    assert result.total == 29
    assert len({hit.score for hit in result.hits}) == 1  # counted over all shards
