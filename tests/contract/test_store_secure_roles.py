"""Each role has exactly the privileges that it needs: with one less, something it is for fails."""

from contextlib import closing, contextmanager
from copy import deepcopy

import pytest
from elasticsearch import ApiError
from foreign import send
from secure import TABLES
from tables import table

import mappings
from polaris_search.errors import PolarisError
from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.pipeline import dead_letter_index, foreign_writes
from polaris_search.store.elasticsearch.store import open_elasticsearch

pytestmark = pytest.mark.es

PLAN = plan_query(profile_named("default"), "zebra")
NOTHING = "none"
"""The privilege that allows nothing."""


@pytest.fixture(scope="module", autouse=True)
def _left_clean(secure_es):
    yield
    secure_es.drop_tables()


def search(store):
    """What all three roles are for."""
    assert store.search(PLAN, 5).total == 1
    assert list(store.get(["a"])) == list(store.states(["a"])) == ["a"]
    assert [one.table_id for one in store.tables()] == ["a"]
    assert store.status().generation is not None
    assert store.status().generation in [one.name for one in store.generations.listed()]


def list_kept(store):
    assert {one.state for one in store.generations.listed()} == {"live", "kept"}


def write(store):
    assert store.put([table("a", "zebra"), table("b")]).stored == 2
    assert store.delete(["b"]) == 1
    store.refresh()


def evaluate(store):
    with store.scratch() as scratch:
        scratch.put([table("a", "zebra")])
        scratch.refresh()
        assert scratch.search(PLAN, 5).total == 1


def feed(store):
    """What another program does with the ingester's role."""
    client = store._connection.at_once
    rows = [{"table_id": "c", "name": "n", "columns": []}, {"table_id": "d"}]
    outcomes = send(client, TABLES, *rows, refresh="true")
    assert [one["status"] for one in outcomes] == [201, 201]
    assert foreign_writes(store._connection, TABLES).dead_letters == 1
    assert client.delete_by_query(index=dead_letter_index(TABLES), q="*:*")["deleted"] == 1


def reindex(store):
    with store.generations.stage("as they are", print) as staged:
        staged.tables.put(staged.uncopied())
        staged.catch_up(iter)
        staged.go_live()
        staged.settle(iter)
    assert store.generations.prune(0, print)


def guard(store):
    """What an admin leaves for others: the pipeline, and a template against guessed mappings."""
    connection = store._connection
    assert foreign_writes(connection, TABLES).normalised
    assert connection.client.indices.exists_index_template(name=TABLES)
    assert store.status().version != "unknown"


@contextmanager
def opened(credentials):
    with closing(open_elasticsearch(read_settings(credentials.environment))) as store:
        yield store


def _empty(secure_es):
    secure_es.drop_tables()


def _two_generations(secure_es):
    secure_es.drop_tables()
    with opened(secure_es.superuser) as store:
        write(store)
        with store.generations.stage("as they are", print) as staged:
            staged.tables.put(staged.uncopied())
            staged.go_live()
            staged.settle(iter)


def _no_dead_letter_index(secure_es):
    """As after somebody deleted it: a write makes it again."""
    secure_es.drop_tables()
    with opened(secure_es.superuser) as store, secure_es.client() as client:
        write(store)
        for index in client.indices.get(index=dead_letter_index(TABLES)):
            client.indices.delete(index=index)


def _left_scratch(secure_es):
    """As after an evaluation was killed days ago."""
    secure_es.drop_tables()
    with secure_es.client() as client:
        client.indices.create(index=f"{TABLES}-scratch-0123abcd-v1-20200101t000000z-0123")


def _no_scratch(secure_es):
    with secure_es.client() as client:
        assert not client.indices.get(index=f"{TABLES}-scratch-*", expand_wildcards="all").body


def _as_it_is(secure_es):
    pass


USES = {
    "polaris-searcher": [(_two_generations, [search, list_kept], _as_it_is)],
    "polaris-ingester": [
        (_empty, [write, search], _as_it_is),
        (_left_scratch, [evaluate], _no_scratch),
        (_no_dead_letter_index, [feed], _as_it_is),
        (_two_generations, [list_kept], _as_it_is),
    ],
    "polaris-admin": [(_empty, [write, search, evaluate, reindex, guard], _no_scratch)],
}
"""Each role's work: how the server is found, what is done there, and how it must be left."""


def works(secure_es, role, rights):
    """Do all that a role is for, with these rights."""
    for find, uses, check in USES[role]:
        find(secure_es)
        with secure_es.key(rights) as key, opened(key) as store:
            for use in uses:
                use(store)
        check(secure_es)


def _with_one_less():
    for role, rights in mappings.roles().items():
        for privilege in rights["cluster"]:
            yield role, "cluster", privilege
        for entry in rights["indices"]:
            for privilege in entry["privileges"]:
                yield role, entry["names"][0], privilege


@pytest.mark.parametrize("role", USES)
def test_a_role_does_all_it_is_for(secure_es, role):
    works(secure_es, role, mappings.roles()[role])


@pytest.mark.slow
@pytest.mark.parametrize(("role", "where", "privilege"), [*_with_one_less()])
def test_no_privilege_of_a_role_is_more_than_it_needs(secure_es, role, where, privilege):
    rights = deepcopy(mappings.roles()[role])
    held = {"cluster": rights["cluster"]}
    held |= {entry["names"][0]: entry["privileges"] for entry in rights["indices"]}
    held[where].remove(privilege)
    if where != "cluster":
        held[where].append(NOTHING)

    with pytest.raises((PolarisError, ApiError, AssertionError)):
        works(secure_es, role, rights)
