"""Real services and data for the tests that need them.

POLARIS_TEST_ES_URL names an Elasticsearch (with user and password where it wants them),
POLARIS_TEST_DATA a folder of data sets. With POLARIS_TEST_STRICT=1 a missing server fails the
test instead of skipping it.
"""

import os
import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

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
    url = os.environ.get("POLARIS_TEST_ES_URL")
    if not url:
        missing = "POLARIS_TEST_ES_URL is not set; it must name a real Elasticsearch."
        if os.environ.get("POLARIS_TEST_STRICT") == "1":
            pytest.fail(missing)
        pytest.skip(missing)
    return url


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


@contextmanager
def fresh_alias(es_url: str) -> Iterator[str]:
    """A name no other test uses; every index and template of that name is gone afterwards."""
    from elasticsearch import Elasticsearch

    alias = f"polaris-test-{secrets.token_hex(6)}"
    yield alias
    with Elasticsearch(es_url) as client:
        for index in client.indices.get(index=f"{alias}*", expand_wildcards="all"):
            client.indices.delete(index=index)
        client.options(ignore_status=404).indices.delete_index_template(name=alias)


def open_elasticsearch(es_url: str, alias: str) -> TableStore:
    from polaris_search.store.elasticsearch.connection import connect
    from polaris_search.store.elasticsearch.store import ElasticsearchStore

    return ElasticsearchStore(connect(read_settings({"POLARIS_STORE": es_url})), alias)
