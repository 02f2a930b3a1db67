"""Down-sampling ranks as a real Elasticsearch does, score for score."""

import random
from contextlib import contextmanager

import pytest
from data_sets import data_set
from elasticsearch import Elasticsearch
from elasticsearch.helpers import bulk
from made_up_tables import WORDS

import mappings
from ingest.readers.polaris import read_polaris
from polaris_search.experiments.runs.corpus.metadata_index import (
    ANALYZERS,
    WEIGHT,
    metadata_index,
    searched_texts,
)
from polaris_search.text.analysis import analyzer_named

pytestmark = pytest.mark.es

SIZE = 50


def made_up_catalogue(folder, count, seed):
    chance = random.Random(seed)

    def words(longest):
        return chance.choices(WORDS, k=chance.randint(0, longest))

    tables = [
        (f"t{chance.random():.9f}", words(6), {"page": " ".join(words(9)), "caption": "x 1"})
        for _ in range(count)
    ]
    data_set(folder, tables, {}, [])
    return folder / "metadata.csv"


@contextmanager
def indexed(es_url, index, catalogue):
    body = mappings.tables()
    similar = {"analyzer": "trigrams", "similarity": "grams"}
    properties = {
        "table_id": {"type": "keyword"},
        "columns": {"type": "text", **similar},
        "context": {"type": "text", "analyzer": ANALYZERS["context"]},
    }
    settings = {**body["settings"], "number_of_shards": 1}
    with Elasticsearch(es_url) as client:
        client.indices.create(index=index, settings=settings, mappings={"properties": properties})
        documents = (
            {"_index": index, "table_id": row.table.table_id, **searched_texts(row.table)}
            for row in read_polaris(catalogue)
        )
        bulk(client, documents, refresh=True)
        yield client
        client.indices.delete(index=index)


def asked(text):
    clauses = []
    for field, analyzer in ANALYZERS.items():
        terms = analyzer_named(analyzer)(text)
        each = [{"term": {field: term}} for term in terms]
        if each:
            clauses.append({"bool": {"should": each, "boost": WEIGHT}})
    return {"bool": {"should": clauses}}


def test_scores_and_order_are_those_of_the_server(es_url, es_alias, tmp_path):
    catalogue = made_up_catalogue(tmp_path / "set", 400, seed=9)
    chance = random.Random(4)
    queries = [" ".join(chance.choices(WORDS, k=chance.randint(1, 5))) for _ in range(120)]

    compared = 0
    with (
        metadata_index(catalogue) as ours,
        indexed(es_url, f"{es_alias}-columns", catalogue) as client,
    ):
        for text in queries:
            answer = client.search(
                index=f"{es_alias}-columns",
                query=asked(text),
                sort=[{"_score": "desc"}, {"table_id": "asc"}],
                size=SIZE,
            )
            theirs = [(hit["sort"][1], hit["_score"]) for hit in answer["hits"]["hits"]]
            assert ours.best(text, SIZE) == theirs
            compared += len(theirs)

    assert compared > 2000
