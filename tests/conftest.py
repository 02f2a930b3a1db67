"""Real services and data for the tests that need them.

POLARIS_TEST_ES_URL names an Elasticsearch (with user and password where it wants them),
POLARIS_TEST_ES_COMMAND a command that starts more of them (see tests/servers.py),
POLARIS_TEST_ES_SECURE_URL one with TLS and users (and its superuser), whose tables tests may drop,
POLARIS_TEST_ES_SECURE_CA the certificate to trust there,
POLARIS_TEST_DATA a folder of data sets, POLARIS_TEST_PG_BIN the folder of PostgreSQL's programs
where they are not on the PATH. With POLARIS_TEST_STRICT=1 a missing server fails the test instead
of skipping it.
"""

import os
import secrets
import shlex
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import pytest
from postgres_server import PostgresServer, postgres_server, programs
from secure import SecureServer
from servers import OwnServer, own_server

from polaris_search.settings import read_settings
from polaris_search.store.protocol import TableStore

if TYPE_CHECKING:
    from llama_server import LlamaServer

# Tests on real data sets are collected only where there are some, so that nothing is skipped.
collect_ignore = (
    []
    if os.environ.get("POLARIS_TEST_DATA")
    else [
        "contract/test_ranking_data_sets.py",
        "contract/test_store_parity_data.py",
        "e2e/test_evaluate_data_sets.py",
    ]
)


@pytest.fixture(scope="session")
def es_url() -> str:
    return wanted("POLARIS_TEST_ES_URL", "it must name a real Elasticsearch")


@pytest.fixture(scope="session")
def es_command() -> list[str]:
    """The command that starts a server of a test's own; see tests/servers.py."""
    return shlex.split(wanted("POLARIS_TEST_ES_COMMAND", "it must start a real Elasticsearch"))


@pytest.fixture(scope="session")
def secure_es() -> SecureServer:
    """A server with TLS and users, for tests that use the names of a real installation there."""
    address = wanted("POLARIS_TEST_ES_SECURE_URL", "it must name one with TLS and a superuser")
    ca = wanted("POLARIS_TEST_ES_SECURE_CA", "it must name the certificate to trust there")
    return SecureServer(address, Path(ca))


@pytest.fixture(scope="session")
def own_es_of_session(es_command: list[str]) -> Iterator[OwnServer]:
    with own_server(es_command, heap="512m") as server:
        yield server


@pytest.fixture
def own_es(own_es_of_session: OwnServer) -> OwnServer:
    """A server that runs, and that this test may kill, stop and set up as it likes.

    It is shared one after the other: leave no cluster settings behind, and use names of your own.
    """
    own_es_of_session.start()
    return own_es_of_session


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL of the tests' own; make a database of your own in it."""
    bin_folder = programs()
    if bin_folder is None:
        missing("pg_ctl is not found; install PostgreSQL's server, or set POLARIS_TEST_PG_BIN.")
    with postgres_server(bin_folder) as server:
        yield server


@pytest.fixture
def es_alias(es_url: str) -> Iterator[str]:
    with fresh_alias(es_url) as alias:
        yield alias


@pytest.fixture
def elasticsearch_store(es_url: str, es_alias: str) -> TableStore:
    """An empty store; whoever asks for it closes it."""
    return open_elasticsearch(es_url, es_alias)


@pytest.fixture(params=["embedded", pytest.param("elasticsearch", marks=pytest.mark.es)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[TableStore]:
    """Each of the two real stores, empty."""
    if request.param == "embedded":
        from polaris_search.store.embedded.store import EmbeddedStore

        opened = EmbeddedStore(tmp_path / "store")
    else:
        opened = request.getfixturevalue("elasticsearch_store")
    with closing(opened):
        yield opened


@pytest.fixture(params=["embedded", pytest.param("elasticsearch", marks=pytest.mark.es)])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of each of the two real stores, empty, as POLARIS_STORE wants it."""
    if request.param == "embedded":
        yield f"file:{tmp_path / 'store'}"
        return
    server: OwnServer = request.getfixturevalue("own_es")
    yield server.url
    with server.client() as client:
        for index in client.indices.get(index="polaris-*", expand_wildcards="all"):
            client.indices.delete(index=index)


@pytest.fixture(scope="module")
def embedded_and_elasticsearch(
    es_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[TableStore, TableStore]]:
    """Both stores, empty."""
    from polaris_search.store.embedded.store import EmbeddedStore

    folder = tmp_path_factory.mktemp("stores")
    with (
        fresh_alias(es_url) as alias,
        closing(EmbeddedStore(folder / "embedded")) as embedded,
        closing(open_elasticsearch(es_url, alias)) as elasticsearch,
    ):
        yield embedded, elasticsearch


@pytest.fixture(scope="session")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator["LlamaServer"]:
    """The small model on llama.cpp's own server, with one made-up adapter; see llama_server.py."""
    from llama_server import llama_server
    from made_up_adapter import ADAPTER, write_adapter

    from polaris_search.llm.local.gguf import find_gguf

    folder = tmp_path_factory.mktemp("llama")
    gguf = find_gguf(None)
    adapter = write_adapter(gguf, folder / f"{ADAPTER}.gguf", seed=1)
    with llama_server(gguf, folder / "llama.log", adapters=[adapter]) as server:
        yield server


@pytest.fixture(scope="session")
def tgi_url(llama: "LlamaServer") -> Iterator[str]:
    """The same model and adapter behind TGI's API; see tgi_server.py."""
    from made_up_adapter import ADAPTER
    from tgi_server import Tgi, tgi_server

    with tgi_server(Tgi(llama.url, {ADAPTER: 0})) as server:
        yield server.address


@pytest.fixture(scope="session")
def small_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small model as a transformers folder that can be trained on; see small_base.py."""
    from small_base import small_base_folder

    return small_base_folder(tmp_path_factory.mktemp("bases"))


@pytest.fixture(scope="session")
def tiny_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A base of two layers with random weights that reads bytes; see tiny_base.py."""
    from tiny_base import write_tiny_base

    return write_tiny_base(tmp_path_factory.mktemp("tiny") / "tiny")


@pytest.fixture(scope="session")
def data_folder() -> Path:
    return Path(os.environ["POLARIS_TEST_DATA"])


def wanted(variable: str, purpose: str) -> str:
    """Return the variable's value; where there is none, fail if strict, else skip."""
    return os.environ.get(variable) or missing(f"{variable} is not set; {purpose}.")


def missing(sentence: str) -> NoReturn:
    """Fail the test for what it lacks if strict, else skip it."""
    if os.environ.get("POLARIS_TEST_STRICT") == "1":
        pytest.fail(sentence)
    pytest.skip(sentence)


@contextmanager
def fresh_alias(es_url: str) -> Iterator[str]:
    """A name no other test uses; every index, template and pipeline of it is gone afterwards."""
    from elasticsearch import Elasticsearch

    alias = f"polaris-test-{secrets.token_hex(6)}"
    yield alias
    with Elasticsearch(es_url) as client:
        for index in client.indices.get(index=f"{alias}*", expand_wildcards="all"):
            client.indices.delete(index=index)
        for name in (alias, f"{alias}-dead-letters"):
            client.options(ignore_status=404).indices.delete_index_template(name=name)
        client.options(ignore_status=404).ingest.delete_pipeline(id=alias)


def open_elasticsearch(es_url: str, alias: str) -> TableStore:
    from polaris_search.store.elasticsearch.server.connection import connect
    from polaris_search.store.elasticsearch.store import ElasticsearchStore

    return ElasticsearchStore(connect(read_settings({"POLARIS_STORE": es_url})), alias)
