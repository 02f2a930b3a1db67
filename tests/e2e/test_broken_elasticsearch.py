"""What a person sees of an Elasticsearch that is broken: one sentence, the exit code, no trace.

`doctor` says the same sentence as the command that failed.
"""

import dataclasses
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from commands import Commands
from http_server import Reply, Script, http_server, passed_on

import mappings

pytestmark = pytest.mark.es

ALIAS = "polaris-tables"
PASSWORD = "hunter2"
SEARCH = ("search", "zebra")
INGEST = ("ingest", "tables.jsonl", "--expand", "none")


@pytest.fixture
def client(own_es):
    with closing(own_es.client()) as opened:
        yield opened.options(request_timeout=60)


@pytest.fixture
def filled(own_es, client, tmp_path):
    """A server with one table behind the alias; nothing is left of it afterwards."""
    commands = Commands(tmp_path, own_es.store)
    commands.answer("ingest", commands.tables(("a", "zebra")), "--expand", "none")
    yield own_es
    remove_all(client)


def remove_all(client):
    for index in client.indices.get(index=f"{ALIAS}*", expand_wildcards="all"):
        client.indices.delete(index=index)


def seen(commands: Commands, command: tuple[str, ...], exit_code: int, **settings: str) -> str:
    """Run a command that fails and `doctor`; return the sentence that both say."""
    commands.tables(("b", "zebra"), ("c", "zebra"))
    finished = commands(*command, **settings)
    told = finished.stderr.decode()
    examined = commands.answer("doctor", exit_code=exit_code, **settings)
    found = [check["found"] for check in examined["checks"] if not check["ok"]]

    assert finished.returncode == exit_code, told
    assert finished.stdout == b""
    assert told.startswith("Error: ")
    assert told.count("\n") == 1
    assert PASSWORD not in told
    assert found == [told.removeprefix("Error: ").strip()]
    return found[0]


UNREACHABLE = {
    "http://ann:hunter2@127.0.0.1:9": "nothing answers there. Start it",
    "http://ann:hunter2@no-such-host.invalid:9200": "no computer of that name",
}


@pytest.mark.parametrize("address", UNREACHABLE)
def test_a_server_that_cannot_be_reached_exits_3(tmp_path, address):
    assert UNREACHABLE[address] in seen(Commands(tmp_path, address), SEARCH, 3)


def test_a_server_that_hangs_exits_3(filled, tmp_path):
    commands = Commands(tmp_path, filled.store)

    with filled.suspended():
        sentence = seen(commands, SEARCH, 3, POLARIS_ES_TIMEOUT_S="1")

    assert "did not answer in time" in sentence


def test_tls_without_the_ca_exits_3(secure_es, tmp_path):
    sentence = seen(Commands(tmp_path, secure_es.address), SEARCH, 3)

    assert "nobody who is trusted here. Set POLARIS_ES_CA_CERTS" in sentence


def test_plain_http_to_a_server_with_tls_exits_3(secure_es, tmp_path):
    plain = secure_es.address.replace("https:", "http:")

    assert "write https:// in POLARIS_STORE" in seen(Commands(tmp_path, plain), SEARCH, 3)


def test_a_wrong_password_exits_1(secure_es, tmp_path):
    address = secure_es.url.replace("//", f"//elastic:{PASSWORD}@")
    ca = str(secure_es.ca_certs)

    sentence = seen(Commands(tmp_path, address), SEARCH, 1, POLARIS_ES_CA_CERTS=ca)

    assert "does not know this user with this password" in sentence


def test_a_ca_file_without_a_certificate_exits_2(tmp_path):
    (tmp_path / "ca.crt").write_text("none\n")
    commands = Commands(tmp_path, "https://localhost:9200")

    sentence = seen(commands, SEARCH, 2, POLARIS_ES_CA_CERTS="ca.crt")

    assert "POLARIS_ES_CA_CERTS names ca.crt, which cannot be used" in sentence


def error(kind: str, reason: str) -> dict[str, object]:
    return {"error": {"root_cause": [], "type": kind, "reason": reason}, "status": 0}


def test_an_elasticsearch_8_exits_1_with_both_versions(tmp_path):  # X13
    def as_version_8(asked):
        if "compatible-with=9" in asked.headers.get("accept", ""):
            return Reply(400, error("media_type_header_exception", "Invalid media-type value"))
        return Reply(200, {"version": {"number": "8.13.4"}})

    with http_server(as_version_8) as server:
        sentence = seen(Commands(tmp_path, server.address), SEARCH, 1)

    assert "it has version 8.13.4, and the client here, 9." in sentence
    assert sentence.endswith("Upgrade the server.")


def test_a_proxy_that_drops_the_product_header_exits_1(filled, tmp_path):  # X14
    real = passed_on(filled.url)

    def without_the_header(asked):
        answer = real(asked)
        kept = {k: v for k, v in answer.headers.items() if k.lower() != "x-elastic-product"}
        return dataclasses.replace(answer, headers=kept)

    with http_server(without_the_header) as proxy:
        sentence = seen(Commands(tmp_path, proxy.address), SEARCH, 1)

    assert "a proxy drops its X-Elastic-Product header" in sentence


def test_a_proxy_before_a_stopped_server_exits_3(tmp_path):
    page = Reply(502, b"<html>nginx</html>", {"content-type": "text/html"})

    with http_server(Script(page)) as proxy:
        sentence = seen(Commands(tmp_path, proxy.address), SEARCH, 3)

    assert "a proxy answers in its place" in sentence


@contextmanager
def index_setting(client, name: str, value: object) -> Iterator[None]:
    client.indices.put_settings(index=ALIAS, settings={name: value})
    try:
        yield
    finally:
        client.indices.put_settings(index=ALIAS, settings={name: None})


BLOCKS = {
    "write": "Lift the block (index.blocks in its settings)",
    "read_only": "Lift the block (index.blocks in its settings)",
    "read_only_allow_delete": "its disk is so full that it takes no more writes. Free space",
}


@pytest.mark.parametrize("block", BLOCKS)
def test_an_index_that_takes_no_writes_exits_1_at_the_next_write(filled, client, tmp_path, block):
    commands = Commands(tmp_path, filled.store)

    with index_setting(client, f"index.blocks.{block}", True):
        sentence = seen(commands, INGEST, 1)
        found = commands.answer(*SEARCH)["hits"]

    assert BLOCKS[block] in sentence
    assert [hit["table_id"] for hit in found] == ["a"]


def test_a_cluster_that_is_read_only_exits_1_at_the_next_write(filled, client, tmp_path):
    name = "cluster.blocks.read_only"
    client.cluster.put_settings(persistent={name: True})
    try:
        sentence = seen(Commands(tmp_path, filled.store), INGEST, 1)
    finally:
        client.cluster.put_settings(persistent={name: None})

    assert "the whole cluster is set to be read only" in sentence


def test_a_closed_index_exits_1(filled, client, tmp_path):
    client.indices.close(index=ALIAS)

    assert "Open it (POST /INDEX/_open)" in seen(Commands(tmp_path, filled.store), SEARCH, 1)


def test_an_alias_on_two_indices_exits_1_with_their_names(filled, client, tmp_path):
    client.indices.create(index=f"{ALIAS}-other", aliases={ALIAS: {}})

    sentence = seen(Commands(tmp_path, filled.store), SEARCH, 1)

    assert f"points at 2 indices ({ALIAS}-other, {ALIAS}-v1-" in sentence


def test_an_index_that_took_the_name_of_the_alias_exits_1_with_the_way_out(
    own_es, client, tmp_path
):
    client.indices.create(index=ALIAS)
    try:
        sentence = seen(Commands(tmp_path, own_es.store), SEARCH, 1)
    finally:
        client.indices.delete(index=ALIAS)

    assert f"delete it (DELETE /{ALIAS}), and ingest again" in sentence


def test_a_shard_that_no_node_serves_exits_3(own_es, client, tmp_path):
    body = mappings.tables()
    client.indices.create(
        index=f"{ALIAS}-v1-20260101t000000z-abcd",
        settings={**body["settings"], "index.routing.allocation.require._name": "nobody"},
        mappings=body["mappings"],
        aliases={ALIAS: {}},
        wait_for_active_shards="0",
    )
    try:
        sentence = seen(Commands(tmp_path, own_es.store), ("show", "a"), 3)
    finally:
        remove_all(client)

    assert "the index has a shard that no node serves. Start the nodes" in sentence


def test_with_debug_the_whole_trace_is_shown(tmp_path: Path):
    finished = Commands(tmp_path, "http://127.0.0.1:9")("--debug", *SEARCH)

    assert b"Traceback" in finished.stderr
    assert b"ServiceUnreachable" in finished.stderr
