"""Backup as docs/operating.md describes it, on servers of our own with a file repository."""

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from documented import requests
from foreign import send
from servers import own_server

from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.store import open_elasticsearch

pytestmark = pytest.mark.es

ROOT = Path(__file__).parents[2]
ALIAS = "polaris-tables"
LIVE = "polaris-tables-v1-20261130t020000z-ab12"  # as the page names it
PAGE = "operating.md"
GONE, WRONG = "The live index is gone", "The tables there are wrong, and the snapshot's are right"


@pytest.fixture(scope="module")
def server(es_command):
    with own_server(es_command, settings={"path.repo": "FOLDER/backups"}) as started:
        yield started


@pytest.fixture
def client(server):
    with server.client() as opened:
        yield opened


@pytest.fixture
def polaris(server, tmp_path):
    def run(*words):
        done = subprocess.run(
            [sys.executable, "-m", "polaris_search.cli.main", *map(str, words)],
            env={
                "PATH": os.environ["PATH"],
                "PYTHONPATH": str(ROOT),
                "POLARIS_STORE": server.store,
                "POLARIS_HOME": str(tmp_path / "home"),
            },
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


@pytest.fixture
def snapshot(server, client, polaris, tmp_path):
    """A snapshot of the tables a, b and c; returns the name of their index."""
    _drop_all(client)
    rows = [{"table_id": one, "name": "payroll", "columns": ["x"]} for one in "abc"]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    polaris("ingest", tmp_path / "t.jsonl", "--describe", "none")
    polaris("reindex", "--expand", "lexical")  # so that there is a kept one too
    send(client, ALIAS, {"table_id": "bad"}, refresh="true")
    (live,) = client.indices.get(index=ALIAS)
    repository, take = requests(PAGE, "Take a snapshot")
    repository.sent(client)
    taken = take.sent(client)
    assert taken["snapshot"]["state"] == "SUCCESS"
    assert sorted(taken["snapshot"]["indices"]) == sorted([f"{ALIAS}-dead-letters-v1", live])
    return live


def _drop_all(client):
    for index in client.indices.get(index=f"{ALIAS}*", expand_wildcards="all"):
        client.indices.delete(index=index)
    client.options(ignore_status=404).snapshot.delete(repository="polaris-backup", snapshot="*")


def held(server):
    with closing(open_elasticsearch(read_settings({"POLARIS_STORE": server.store}))) as store:
        return {table.table_id: table for table in store.tables()}


def found(polaris, query):
    return json.loads(polaris("search", query, "--json"))["hits"]


def test_a_lost_index_comes_back_live_with_every_record(server, client, polaris, snapshot):
    before, hits = held(server), found(polaris, "payroll")
    client.indices.delete(index=snapshot)

    (restore,) = requests(PAGE, GONE)
    restore.sent(client)

    assert list(client.indices.get(index=ALIAS)) == [snapshot]
    assert held(server) == before
    assert found(polaris, "payroll") == hits
    assert len(hits) == 3


def test_a_restored_index_takes_writes_deletes_and_reindexes(server, client, polaris, snapshot):
    client.indices.delete(index=snapshot)
    (restore,) = requests(PAGE, GONE)
    restore.sent(client)

    (outcome,) = send(client, ALIAS, {"table_id": "d", "name": "n", "columns": []})
    polaris("delete", "a")
    polaris("reindex")
    polaris("index", "prune", "--keep", "0")

    assert outcome["status"] == 201
    assert sorted(held(server)) == ["b", "c", "d"]
    assert client.count(index=ALIAS)["count"] == 3


def test_another_cluster_gets_the_tables_live_and_whole(es_command, server, client, snapshot):
    before = held(server)
    repository, _ = requests(PAGE, "Take a snapshot")
    (restore,) = requests(PAGE, GONE)
    shared = str(server.folder / "backups")

    with own_server(es_command, settings={"path.repo": shared}) as other, other.client() as there:
        repository.sent(there, {'"location": "polaris"': '"location": "polaris", "readonly": true'})
        restore.sent(there)

        assert held(other) == before
        with (
            closing(open_elasticsearch(read_settings({"POLARIS_STORE": other.store}))) as store,
            store.generations.stage("as they are", print) as staged,
        ):
            staged.tables.put(staged.uncopied())
            staged.go_live()
            staged.settle(iter)
        outcomes = send(
            there, ALIAS, {"table_id": "d", "name": "n", "columns": []}, {"table_id": "bad"}
        )
        assert [one["status"] for one in outcomes] == [201, 201]


def test_a_snapshot_restored_beside_the_live_index_changes_nothing_yet(
    server, client, polaris, snapshot
):
    send(client, ALIAS, {"table_id": "d", "name": "n", "columns": []}, refresh="true")
    before = held(server)

    restore, *_ = requests(PAGE, WRONG)
    restore.sent(client)

    assert held(server) == before
    listed = json.loads(polaris("index", "list", "--json"))["generations"]
    assert [one["state"] for one in listed if one["name"] == f"{snapshot}restored"] == ["kept"]
    assert list(client.indices.get(index=ALIAS)) == [snapshot]


def test_all_is_as_it_was_after_the_swap_by_hand(server, client, polaris, snapshot):
    before = held(server)
    polaris("delete", "a", "b")
    send(client, ALIAS, {"table_id": "d", "name": "n", "columns": []}, refresh="true")

    restore, swap, _ = requests(PAGE, WRONG)
    restore.sent(client)
    swap.sent(client, {LIVE: snapshot})

    assert held(server) == before
    states = json.loads(polaris("index", "list", "--json"))["generations"]
    assert (states[0]["name"], states[0]["state"]) == (f"{snapshot}restored", "live")
    polaris("index", "rollback", snapshot)
    assert sorted(held(server)) == ["a", "b", "c"]  # with what is live brought over


def test_a_rollback_to_a_restored_index_keeps_the_tables_of_today(
    server, client, polaris, snapshot
):
    described = held(server)
    polaris("reindex", "--expand", "none")
    polaris("delete", "a")
    send(client, ALIAS, {"table_id": "d", "name": "n", "columns": []}, refresh="true")

    restore, *_ = requests(PAGE, WRONG)
    restore.sent(client)
    polaris("index", "rollback", f"{snapshot}restored")

    after = held(server)
    assert sorted(after) == ["b", "c", "d"]
    assert (after["b"], after["c"]) == (described["b"], described["c"])


def test_single_tables_are_copied_from_a_restored_index(server, client, polaris, snapshot):
    before = held(server)
    polaris("delete", "a", "b")

    restore, _, copy = requests(PAGE, WRONG)
    restore.sent(client)
    answer = copy.sent(client, {LIVE: snapshot, "shop.orders": "a"})

    assert (answer["created"], answer["failures"]) == (1, [])
    assert held(server) == {key: before[key] for key in ("a", "c")}


def test_an_export_comes_back_byte_for_byte(server, client, polaris, snapshot, tmp_path):
    polaris("export", tmp_path / "first.jsonl")
    _drop_all(client)

    polaris("import", tmp_path / "first.jsonl")
    polaris("export", tmp_path / "second.jsonl")

    first = (tmp_path / "first.jsonl").read_bytes()
    assert first.count(b"\n") == 3
    assert (tmp_path / "second.jsonl").read_bytes() == first
