"""A reindex with credentials that lack a right, on a real server with users."""

from contextlib import closing

import pytest
from generations import reindex, unheard
from secure import TABLES
from tables import fill, table

from polaris_search.errors import StoreProblem
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.store import open_elasticsearch

pytestmark = pytest.mark.es

ALL_BUT_STATISTICS = [
    "read",
    "write",
    "maintenance",
    "create_index",
    "delete_index",
    "view_index_metadata",
    "indices:admin/*",
]


@pytest.fixture
def filled(secure_es):
    secure_es.drop_tables()
    settings = read_settings(secure_es.superuser.environment)
    with closing(open_elasticsearch(settings)) as store:
        fill(store, table("a", "zebra"))
    yield secure_es
    secure_es.drop_tables()


def test_a_key_that_may_not_read_statistics_is_told_which_right_it_lacks(filled):
    rights = [{"names": [f"{TABLES}*"], "privileges": ALL_BUT_STATISTICS}]
    with (
        filled.key({"cluster": [], "indices": rights}) as key,
        closing(open_elasticsearch(read_settings(key.environment))) as store,
    ):
        with pytest.raises(StoreProblem, match="privilege monitor") as told:
            reindex(store)

        assert "\n" not in str(told.value)
        assert (store.status().tables, store.status().replaced) == (1, 0)
        assert store.generations.prune(0, unheard) == ()
        assert [one.state for one in store.generations.listed()] == ["live"]


def test_index_rights_alone_are_enough_for_a_reindex(filled):
    rights = [{"names": [f"{TABLES}*"], "privileges": [*ALL_BUT_STATISTICS, "monitor"]}]
    with (
        filled.key({"cluster": [], "indices": rights}) as key,
        closing(open_elasticsearch(read_settings(key.environment))) as store,
    ):
        fill(store, table("b", "yak"))
        store.delete(["a"])

        name = reindex(store)

        assert store.status().generation == name
        assert list(store.table_ids()) == ["b"]
        assert len(store.generations.prune(0, unheard)) == 1
