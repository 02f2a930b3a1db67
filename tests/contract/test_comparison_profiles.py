"""Profiles for comparisons: alike on both stores, in scratch generations and nowhere else."""

import json
from contextlib import closing

import pytest
from elasticsearch import Elasticsearch
from made_up_tables import made_up_queries, made_up_tables
from parity import compare
from tables import fill, table

from polaris_search.profiles.model import comparison_profiles

pytestmark = pytest.mark.es


@pytest.mark.parametrize("profile", comparison_profiles())
def test_both_scratch_generations_score_and_order_alike(embedded_and_elasticsearch, profile):
    ours, theirs = embedded_and_elasticsearch

    with ours.scratch() as left, theirs.scratch() as right:
        for store in (left, right):
            store.put(made_up_tables(400, seed=5))
            store.refresh()
        seen = compare(left, right, profile, made_up_queries(150, seed=3))

    assert seen.scores > 3000
    assert seen.is_exact, seen


def test_a_live_index_has_none_of_the_fields_and_is_current(es_url, es_alias, elasticsearch_store):
    with closing(elasticsearch_store) as store:
        fill(store, table("a", "rivers", overview="rivers"))
        status = store.status()

    with Elasticsearch(es_url) as client:
        (live,) = client.indices.get_mapping(index=es_alias).body.values()
    assert status.current
    assert "reference" not in json.dumps(live["mappings"]["properties"])
