"""The same parity on real data sets without descriptions: every query, the best hundred tables."""

import csv
import json

import pytest
from parity import compare

from polaris_search.records import Column, EnrichedTable, Provenance, RawTable

pytestmark = pytest.mark.es


def tables(folder):
    with (folder / "metadata.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            columns = tuple(map(Column, json.loads(row["column_names"])))
            context = json.loads(row["table_context"])
            raw = RawTable(row["table_id"], row["table_name"], columns, context)
            yield EnrichedTable(raw, Provenance("h"))


def queries(folder):
    with (folder / "queries.csv").open(encoding="utf-8", newline="") as lines:
        return [row["query"] for row in csv.DictReader(lines)]


@pytest.fixture(scope="module", params=["snails_native", "wikitables", "spider_dev"])
def loaded(request, data_folder, embedded_and_elasticsearch):
    folder = data_folder / request.param
    ours, theirs = embedded_and_elasticsearch
    with ours.scratch() as left, theirs.scratch() as right:
        for store in (left, right):
            assert store.put(tables(folder)).refused == ()
            store.refresh()
        yield left, right, queries(folder)


@pytest.mark.parametrize("profile", ["paper", "default"])
def test_both_stores_score_and_order_a_real_data_set_alike(loaded, profile):
    ours, theirs, asked = loaded

    seen = compare(ours, theirs, profile, asked)

    assert seen.scores > 1000
    assert seen.is_exact, seen
