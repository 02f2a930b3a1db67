"""A reindex while other programs write to Elasticsearch, which keep no log of what they delete."""

from contextlib import closing

import pytest
from lifecycles import Watch, roll_back, run
from tables import fill, table

from polaris_search.store.elasticsearch.documents import document_bytes, document_id

pytestmark = pytest.mark.es


@pytest.fixture
def store(elasticsearch_store):
    with closing(elasticsearch_store):
        fill(elasticsearch_store, *(table(f"t{number:02}", "zebra") for number in range(30)))
        yield elasticsearch_store


@pytest.fixture
def other(es_url, es_alias):
    """What another program does: add one table, delete another."""
    from elasticsearch import Elasticsearch

    with Elasticsearch(es_url) as client:

        def write(number):
            document = document_bytes(table(f"n{number}", "added"))
            client.index(index=es_alias, id=document_id(f"n{number}"), document=document)
            client.delete(index=es_alias, id=document_id(f"t{number:02}"))

        yield write


def names(store):
    return {one.table_id: one.raw.name for one in store.tables()}


def test_what_another_program_adds_and_deletes_until_it_is_verified_is_so_afterwards(store, other):
    steps = ("staged", "copied", "caught_up")
    watch = Watch(**{step: lambda n=n: other(n) for n, step in enumerate(steps)})

    report = run(store, progress=watch)

    expected = {f"t{number:02}": "zebra" for number in range(3, 30)}
    assert names(store) == expected | {f"n{number}": "added" for number in range(3)}
    assert (report.live, report.missing, report.surplus) == (True, 0, 0)


def test_what_another_program_adds_at_the_last_moment_is_there_afterwards(store, es_url, es_alias):
    from elasticsearch import Elasticsearch

    def add():
        with Elasticsearch(es_url) as client:
            client.index(index=es_alias, id="late", document=document_bytes(table("late", "added")))

    run(store, progress=Watch(verified=add))

    assert names(store)["late"] == "added"


def test_a_rollback_follows_other_programs_too(store, other):
    run(store)
    other(1)

    report = roll_back(store, progress=Watch(copied=lambda: other(2)))

    assert (report.live, report.brought_over, report.removed) == (True, 1, 1)
    assert {"n1", "n2"} <= names(store).keys()
    assert not {"t01", "t02"} & names(store).keys()


def test_where_somebody_took_the_alias_away_a_rollback_makes_the_tables_live_again(
    store, es_url, es_alias
):
    from elasticsearch import Elasticsearch

    live = store.status().generation
    with Elasticsearch(es_url) as client:
        client.indices.delete_alias(index=live, name=es_alias)

    report = roll_back(store)

    assert (report.generation, report.replaced, report.tables) == (live, None, 30)
    assert len(names(store)) == 30
