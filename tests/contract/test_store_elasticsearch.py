"""What the Elasticsearch store promises beside the common contract, on a real server."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from math import log

import pytest
from elasticsearch import ApiError, Elasticsearch

import mappings
from polaris_search.errors import StoreProblem
from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.records import Column, Description, EnrichedTable, Provenance, RawTable
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.generations.definition import differences
from polaris_search.store.elasticsearch.generations.meta import new_meta
from polaris_search.store.elasticsearch.query import search_body
from polaris_search.store.elasticsearch.server.connection import connect
from polaris_search.store.elasticsearch.store import ElasticsearchStore

pytestmark = pytest.mark.es

PAPER = plan_query(profile_named("paper"), "payroll 2024")


@pytest.fixture
def client(es_url):
    with Elasticsearch(es_url) as opened:
        yield opened


@pytest.fixture
def store(elasticsearch_store):
    with closing(elasticsearch_store):
        yield elasticsearch_store


def table(table_id, **provenance):
    return EnrichedTable(RawTable(table_id, "zebra"), Provenance("h", **provenance))


def indices(client, alias):
    """The alias's generations, and an index that took the alias's own name."""
    return sorted(client.indices.get(index=[alias, f"{alias}-v*"], ignore_unavailable=True))


def n_fields(client, alias):
    (found,) = client.indices.get_mapping(index=alias).values()
    return str(found["mappings"]).count("'type'")


def test_the_first_write_creates_one_versioned_index_behind_the_alias(store, client, es_alias):
    store.put([table("a")])

    (index,) = indices(client, es_alias)
    (found,) = client.indices.get(index=es_alias).values()
    assert index.startswith(f"{es_alias}-v1-20")
    assert found["aliases"] == {es_alias: {"is_write_index": True}}
    assert found["mappings"] | {"_meta": None} == mappings.tables()["mappings"] | {"_meta": None}
    assert found["mappings"]["_meta"] == new_meta()
    assert differences(found["settings"]["index"], found["mappings"]) == []
    assert store.status().generation == index


def test_searching_before_the_first_write_creates_nothing(store, client, es_alias):
    assert store.search(PAPER, 10).total == 0
    store.refresh()

    assert indices(client, es_alias) == []


def test_stores_that_write_first_at_the_same_time_share_one_generation(
    store, client, es_url, es_alias
):
    settings = read_settings({"POLARIS_STORE": es_url})

    def write(number):
        with closing(ElasticsearchStore(connect(settings), es_alias)) as opened:
            return opened.put([table(f"t{number}")]).stored

    with ThreadPoolExecutor(6) as threads:
        stored = list(threads.map(write, range(6)))

    assert stored == [1] * 6
    assert len(indices(client, es_alias)) == 1
    assert list(store.table_ids()) == [f"t{number}" for number in range(6)]


def test_columns_and_context_never_become_fields_of_the_mapping(store, client, es_alias):  # X6
    store.put([table("a")])
    before = n_fields(client, es_alias)
    names = tuple(Column(f"sensor{number}") for number in range(5000))
    wide = RawTable("wide", "w", names, {f"key{number}": "v" for number in range(2000)})
    nested = RawTable("nested", "n", (Column(".".join("abcdefghijklmnopqrstuvwxyzabcd")),))

    report = store.put(EnrichedTable(raw, Provenance("h")) for raw in (wide, nested))

    assert report.stored == 2
    assert n_fields(client, es_alias) == before


def test_no_other_program_creates_an_index_of_these_names_by_writing(store, client, es_alias):
    store.put([table("a")])
    (index,) = indices(client, es_alias)
    client.indices.delete(index=index)

    for name in (es_alias, index):
        with pytest.raises(ApiError, match="index_not_found_exception"):
            client.index(index=name, document={"guessed": 1})
    assert indices(client, es_alias) == []


def test_an_index_deleted_under_a_running_put_is_reported_and_not_guessed_anew(
    store, client, es_alias
):
    def tables():
        yield from (table(f"a{number}") for number in range(600))
        for index in indices(client, es_alias):
            client.indices.delete(index=index)
        client.indices.delete_index_template(name=es_alias)  # so that require_alias alone protects
        yield from (table(f"b{number}") for number in range(600))

    with pytest.raises(StoreProblem, match="no index behind the alias.* Run the command again"):
        store.put(tables())

    assert indices(client, es_alias) == []


def test_tables_the_server_refuses_are_reported_and_later_chunks_are_sent(store):  # X10
    tables = [table(f"t{number:04}") for number in range(1200)]
    for number in (17, 313):
        tables[number] = table(f"t{number:04}", enriched_at="yesterday")

    report = store.put(tables)
    store.refresh()

    assert report.stored == 1198
    assert [refused.table_id for refused in report.refused] == ["t0017", "t0313"]
    assert "yesterday" in report.refused[0].reason
    assert report.refused[0].reason.endswith("Correct the table and ingest it again.")
    assert len(list(store.table_ids())) == 1198


def test_a_document_that_would_choke_the_server_is_refused_before_it_is_sent(store):
    dump = RawTable("dump", "t", context={"dump": "word " * 2_100_000})  # twice in its document

    report = store.put([table("a"), EnrichedTable(dump, Provenance("h")), table("b")])

    assert report.stored == 2
    (refused,) = report.refused
    assert refused.table_id == "dump"
    assert refused.reason.startswith("Its document has 21.0 MB, and 20 MB are possible. Shorten")


def test_a_refused_table_with_an_overlong_id_is_reported_under_its_own_id(store):
    (refused,) = store.put([table("u" * 600, enriched_at="yesterday")]).refused

    assert refused.table_id == "u" * 600


def test_a_write_block_is_explained_once_and_not_table_by_table(store, client, es_alias):
    store.put([table("a")])
    client.indices.add_block(index=indices(client, es_alias)[0], block="write")

    with pytest.raises(StoreProblem, match=r"the index is blocked .*write.* Lift the block"):
        store.put(table(f"t{number}") for number in range(1000))


def test_the_server_explains_a_paper_score_as_the_best_plus_a_tenth(store, client, es_alias):  # R15
    def described(table_id, year, overview):
        raw = RawTable(table_id, "alpha", context={"year": year})
        return EnrichedTable(
            raw, Provenance("h"), description=Description(overview, "", "", "", "", "")
        )

    store.put([described("a", "2024", "payroll"), described("b", "2023", "sales")])
    store.refresh()
    idf = log(1 + (2 - 1 + 0.5) / (1 + 0.5))  # one word in each text: a field's score is its idf

    explained = client.explain(index=es_alias, id="a", query=search_body(PAPER, 1)["query"])

    explanation = explained["explanation"]
    (hit,) = store.search(PAPER, 10).hits
    assert explanation["description"] == "max plus 0.1 times others of:"
    assert [part["value"] for part in explanation["details"]] == pytest.approx([idf, idf], rel=1e-6)
    assert hit.score == explanation["value"] == pytest.approx(1.1 * idf, rel=1e-6)
