"""Whole commands against a server with TLS and users: what each role may do, and what is said.

Every command here, whatever comes of it, is searched for the credentials that it ran with.
"""

import json
from contextlib import closing, contextmanager

import pytest
from documented import requests
from elasticsearch import AuthorizationException, Elasticsearch
from secure import TABLES, Credentials, asked, checks, command, refused

import mappings
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.server.connection import connect
from polaris_search.store.elasticsearch.store import open_elasticsearch

pytestmark = pytest.mark.es

TWO = [
    {"table_id": "hr/emp", "name": "ActEmployees", "columns": ["EID", "SAL"], "source": "erp"},
    {"table_id": "shop/ord", "name": "SalesOrders", "columns": ["ord_id"], "source": "erp"},
]
LACKS = "the user or key lacks a right (action ["
ROLES = "Use one with the role polaris-searcher to search, polaris-ingester to write, polaris-admin"


@pytest.fixture(scope="module", autouse=True)
def _roles(secure_es):
    """The roles as they ship, applied by the command that applies them."""
    secure_es.drop_tables()
    done = command(secure_es.superuser, "doctor", "--apply-roles", "--json")
    assert done.returncode == 0, done.stderr
    yield
    secure_es.drop_tables()


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Two tables, and one of them with another name."""
    folder = tmp_path_factory.mktemp("sources")
    (folder / "two.jsonl").write_text("".join(json.dumps(row) + "\n" for row in TWO))
    changed = {**TWO[0], "name": "Employees"}
    (folder / "one.jsonl").write_text(json.dumps(changed) + "\n")
    return folder


@pytest.fixture(scope="module")
def generations(secure_es, sources):
    """Two tables in a live generation, and a kept one; whoever asks for them changes neither."""
    secure_es.drop_tables()
    with secure_es.user("polaris-admin") as admin:
        for words in (["ingest", sources / "two.jsonl", "--describe", "none"], ["reindex"]):
            done = command(admin, *words)
            assert done.returncode == 0, done.stderr
    return _indices(secure_es)


@pytest.fixture(params=["user", "key"])
def asks_as(request, secure_es):
    """Return who has a role: a user with it, or a key with its rights."""

    @contextmanager
    def asking(role):
        if request.param == "user":
            with secure_es.user(role) as credentials:
                yield credentials
        else:
            with secure_es.key(mappings.roles()[role]) as credentials:
                yield credentials

    return asking


def test_a_searcher_searches_shows_and_looks_after_the_store(generations, asks_as, secure_es):
    with asks_as("polaris-searcher") as searcher:
        hits = asked(command(searcher, "search", "employees", "--json"))["hits"]
        shown = asked(command(searcher, "show", "shop/ord", "--json"))
        listed = asked(command(searcher, "index", "list", "--json"))["generations"]
        told = checks(command(searcher, "doctor", "--json"))

    assert sorted(one["name"] for one in listed) == generations
    assert hits[0]["table_id"] == "hr/emp"
    assert shown["raw"]["name"] == "SalesOrders"
    assert told["store"]["found"].startswith(f"elasticsearch unknown at {secure_es.url}: 2 tables")
    assert "sees every table" in told["access"]["found"]


@pytest.mark.parametrize(
    "words",
    [
        ["ingest", "SOURCES/two.jsonl", "--expand", "none", "--describe", "none"],
        ["ingest", "SOURCES/one.jsonl", "--describe", "none", "--sync", "--yes"],
        ["delete", "hr/emp"],
        ["reindex"],
        ["index", "rollback"],
        ["index", "prune"],
        ["evaluate", "examples/demo", "--describe", "none"],
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_a_searcher_changes_nothing(generations, asks_as, secure_es, sources, words):
    with asks_as("polaris-searcher") as searcher:
        said = refused(command(searcher, *_with(sources, words)))

    assert said.startswith(f"Error: Elasticsearch at {secure_es.url}: {LACKS}")
    assert ROLES in said
    assert _held(secure_es) == {"hr/emp": "ActEmployees", "shop/ord": "SalesOrders"}
    assert _indices(secure_es) == generations


def test_an_ingester_evaluates_on_a_scratch_index_and_leaves_none(generations, asks_as, secure_es):
    with asks_as("polaris-ingester") as ingester:
        done = command(ingester, "evaluate", "examples/demo", "--describe", "none", "--json")

    assert asked(done)["queries"] == 36
    with secure_es.client() as client:
        assert not client.indices.get(index=f"{TABLES}-scratch-*", expand_wildcards="all").body


@pytest.mark.parametrize(
    "words", [["reindex"], ["index", "rollback"], ["index", "prune"]], ids=" ".join
)
def test_an_ingester_does_not_change_generations(generations, asks_as, secure_es, words):
    with asks_as("polaris-ingester") as ingester:
        said = refused(command(ingester, *words))

    assert said.startswith(f"Error: Elasticsearch at {secure_es.url}: {LACKS}")
    assert ROLES in said
    assert _indices(secure_es) == generations


def test_an_ingester_reaches_no_kept_generation_and_no_other_index(generations, asks_as, secure_es):
    with secure_es.client() as superuser:
        (live,) = superuser.indices.get(index=TABLES)
    (kept,) = set(generations) - {live}

    with asks_as("polaris-ingester") as ingester, _client(ingester) as client:
        for forbidden in (
            lambda: client.index(index=kept, document=TWO[0]),
            lambda: client.indices.delete(index=kept),
            lambda: client.indices.put_settings(index=TABLES, settings={"blocks.write": True}),
            lambda: client.search(index="other"),
            lambda: client.ingest.delete_pipeline(id=TABLES),
        ):
            with pytest.raises(AuthorizationException, match="security_exception"):
                forbidden()


def test_other_programs_write_with_the_ingesters_role(generations, asks_as, secure_es):
    with asks_as("polaris-ingester") as ingester, _client(ingester) as client:
        row = {"table_id": "x", "name": "n", "columns": []}
        good = client.index(index=TABLES, id="any", document=row, refresh=True)
        bad = client.index(index=TABLES, document={"table_id": "y"}, refresh=True)
        told = checks(command(ingester, "doctor", "--json"))["other writers"]["found"]
        client.delete_by_query(index=bad["_index"], q="*:*")

    assert good["_id"] == "x"
    assert bad["_index"].startswith(f"{TABLES}-dead-letters")
    assert told.startswith("1 tables that other programs sent could not be taken; GET ")


def test_an_ingester_begins_with_nothing_and_keeps_tables_up(asks_as, secure_es, sources):
    secure_es.drop_tables()
    with asks_as("polaris-ingester") as ingester:
        ingest = ["ingest", "--describe", "none", "--json"]
        first = asked(command(ingester, *ingest, sources / "two.jsonl"))
        again = asked(command(ingester, *ingest, sources / "two.jsonl"))
        changed = asked(command(ingester, *ingest, sources / "one.jsonl", "--sync", "--yes"))
        deleted = asked(command(ingester, "delete", "hr/emp", "--json"))
        back = asked(command(ingester, *ingest, sources / "two.jsonl"))
        found = asked(command(ingester, "search", "employees", "--json"))
        shown = command(ingester, "show", "hr/emp")
        told = checks(command(ingester, "doctor", "--json"))

    assert (first["stored"], again["unchanged"]) == (2, 2)
    assert (changed["stored"], changed["removed"]) == (1, 1)
    assert (deleted["deleted"], back["stored"]) == (1, 2)
    assert (found["hits"][0]["table_id"], shown.returncode) == ("hr/emp", 0)
    assert "no ingest pipeline is in place" in told["other writers"]["found"]


def test_an_admin_does_all_but_manage_roles(asks_as, secure_es, sources):
    secure_es.drop_tables()
    with asks_as("polaris-admin") as admin:
        asked(command(admin, "ingest", sources / "two.jsonl", "--describe", "none", "--json"))
        asked(command(admin, "reindex", "--expand", "lexical", "--json"))
        listed = asked(command(admin, "index", "list", "--json"))["generations"]
        asked(command(admin, "index", "rollback", "--json"))
        pruned = asked(command(admin, "index", "prune", "--keep", "0", "--json"))
        asked(command(admin, "delete", "hr/emp", "--json"))
        told = checks(command(admin, "doctor", "--json"))
        said = refused(command(admin, "doctor", "--apply-roles"))

    assert [one["state"] for one in listed] == ["live", "kept"]
    assert pruned["removed"] == [listed[0]["name"]]
    assert told["store"]["found"].startswith("elasticsearch 9.")
    assert "pass through its ingest pipeline" in told["other writers"]["found"]
    assert "may not manage roles. Use one with the cluster privilege manage_security" in said
    assert _held(secure_es) == {"shop/ord": "SalesOrders"}


def test_an_admin_reaches_no_index_of_others(secure_es, asks_as):
    with asks_as("polaris-admin") as admin, _client(admin) as client:
        for forbidden in (
            lambda: client.indices.create(index="other"),
            lambda: client.search(index="other"),
            lambda: client.security.get_user(),
            lambda: client.cluster.put_settings(persistent={"action.auto_create_index": "true"}),
        ):
            with pytest.raises(AuthorizationException, match="security_exception"):
                forbidden()


def test_a_key_that_may_not_ask_for_info_ping_or_health_ingests_and_searches(secure_es, sources):
    secure_es.drop_tables()
    with secure_es.key(mappings.roles()["polaris-ingester"]) as key, _client(key) as client:
        with pytest.raises(AuthorizationException):
            client.info()
        with pytest.raises(AuthorizationException):
            client.cluster.health()
        assert not client.ping()

        asked(command(key, "ingest", sources / "two.jsonl", "--describe", "none", "--json"))

        assert asked(command(key, "search", "orders", "--json"))["total"] == 1
        with secure_es.client() as superuser:
            assert not superuser.indices.exists_index_template(name=TABLES)
            (settings,) = superuser.indices.get_settings(index=TABLES).values()
            assert "default_pipeline" not in settings["settings"]["index"]


def test_a_key_that_may_only_see_the_pipeline_attaches_the_one_put_by_hand(secure_es, sources):
    secure_es.drop_tables()
    rights = {**mappings.roles()["polaris-admin"], "cluster": ["read_pipeline"]}
    with secure_es.client() as superuser, secure_es.key(rights) as key:
        superuser.ingest.put_pipeline(id=TABLES, body=mappings.ingest_pipeline())

        asked(command(key, "ingest", sources / "two.jsonl", "--describe", "none", "--json"))

        (settings,) = superuser.indices.get_settings(index=TABLES).values()
        assert settings["settings"]["index"]["default_pipeline"] == TABLES
        refused_there = superuser.index(index=TABLES, document={"table_id": "x"})
        assert refused_there["_index"].startswith(f"{TABLES}-dead-letters")


def test_the_requests_of_the_page_on_operating_do_what_it_says(secure_es, sources):
    secure_es.drop_tables()
    roles, make_key = requests("operating.md", "Roles")
    bulk, see, remove = requests("operating.md", "Tables from other programs")
    with secure_es.user("polaris-admin") as admin:
        asked(command(admin, "ingest", sources / "two.jsonl", "--describe", "none", "--json"))
    with secure_es.client() as superuser:
        roles.sent(superuser)
        key = secure_es.with_key(make_key.sent(superuser)["encoded"])
        written = bulk.sent(superuser)
        superuser.index(index=TABLES, document={"table_id": "x"}, refresh=True)
        seen = see.sent(superuser)["hits"]["hits"]
        removed = remove.sent(superuser)["deleted"]
        superuser.indices.refresh(index=TABLES)

        assert json.loads(roles.body) == mappings.roles()["polaris-searcher"]
        assert (written["errors"], len(written["items"])) == (False, 1)
        assert [hit["_source"]["table_id"] for hit in seen] == ["x"]
        assert removed == 1
    assert asked(command(key, "search", "web shop", "--json"))["hits"][0]["table_id"] == (
        "shop.orders"
    )
    refused(command(key, "delete", "shop.orders"))
    with secure_es.client() as superuser:
        superuser.security.invalidate_api_key(name="polaris-web")


def test_roles_are_not_applied_where_there_are_none(es_url, tmp_path, secure_es):
    embedded = Credentials({"POLARIS_STORE": f"file:{tmp_path}"}, ())
    without_security = Credentials({"POLARIS_STORE": es_url}, ())

    no_server = command(embedded, "doctor", "--apply-roles")
    no_security = command(without_security, "doctor", "--apply-roles")

    assert no_server.returncode == 2
    assert "POLARIS_STORE names no Elasticsearch, and only that has roles." in no_server.stderr
    assert "runs without security, so it has no roles" in refused(no_security)


def _with(sources, words):
    return [word.replace("SOURCES", str(sources)) for word in words]


def _held(secure_es):
    with closing(open_elasticsearch(read_settings(secure_es.superuser.environment))) as store:
        return {table.table_id: table.raw.name for table in store.tables()}


def _indices(secure_es):
    with secure_es.client() as client:
        return sorted(client.indices.get(index=f"{TABLES}-v*"))


def _client(credentials) -> Elasticsearch:
    return connect(read_settings(credentials.environment)).at_once
