"""Real services and data for the tests that need them.

POLARIS_TEST_ES_URL names an Elasticsearch (with user and password where it wants them),
POLARIS_TEST_ES_COMMAND a command that starts more of them (see tests/servers.py),
POLARIS_TEST_ES_SECURE_URL one with TLS and users (and its superuser), whose tables tests may drop,
POLARIS_TEST_ES_SECURE_CA the certificate to trust there,
POLARIS_TEST_DATA a folder of data sets. With POLARIS_TEST_STRICT=1 a missing server fails the
test instead of skipping it.
"""

import os
import secrets
import shlex
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from secure import SecureServer
from servers import OwnServer, own_server

from polaris_search.settings import read_settings
from polaris_search.store.protocol import TableStore

# Tests on real data sets are collected only where there are some, so that nothing is skipped.
collect_ignore = (
    []
    if os.environ.get("POLARIS_TEST_DATA")
    else ["contract/test_store_parity_data.py", "e2e/test_evaluate_data_sets.py"]
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
def data_folder() -> Path:
    return Path(os.environ["POLARIS_TEST_DATA"])


def wanted(variable: str, purpose: str) -> str:
    """Return the variable's value; where there is none, fail if strict, else skip."""
    value = os.environ.get(variable)
    if not value:
        missing = f"{variable} is not set; {purpose}."
        if os.environ.get("POLARIS_TEST_STRICT") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    return value


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
