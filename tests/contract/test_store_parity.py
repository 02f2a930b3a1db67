"""The embedded store and a real Elasticsearch score and order made-up tables alike."""

import pytest
from made_up_tables import made_up_queries, made_up_tables
from parity import compare

pytestmark = pytest.mark.es


@pytest.fixture(scope="module")
def both(embedded_and_elasticsearch):
    ours, theirs = embedded_and_elasticsearch
    for store in (ours, theirs):
        assert store.put(made_up_tables(600, seed=7)).stored == 600
        store.refresh()
    return ours, theirs


@pytest.mark.parametrize("profile", ["paper", "paper-single", "default"])
@pytest.mark.parametrize("filters", [None, {"source": ["s1", "s2"]}], ids=["all", "filtered"])
def test_both_stores_score_and_order_alike(both, profile, filters):
    ours, theirs = both

    seen = compare(ours, theirs, profile, made_up_queries(150, seed=11), filters)

    assert seen.scores > 5000
    assert seen.is_exact, seen
