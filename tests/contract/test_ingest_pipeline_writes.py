"""What another program writes to the alias: found, shown and kept as what this product ingests."""

import json
from contextlib import closing
from io import BytesIO
from pathlib import Path

import pytest
from elasticsearch import BadRequestError, Elasticsearch
from foreign import send
from tables import found

import mappings
from ingest.pipeline import ingest
from ingest.readers.sources import read_sources
from ingest.steps import NoExpander
from polaris_search.lifecycle.export import export_tables
from polaris_search.lifecycle.import_records import import_records
from polaris_search.records import EnrichedTable, Provenance, RawTable, raw_to_dict
from polaris_search.store.elasticsearch.documents import document, document_id
from polaris_search.store.elasticsearch.pipeline import (
    FOREIGN_INPUT_HASH,
    ForeignWrites,
    dead_letter_index,
    foreign_writes,
    put_pipeline,
)
from polaris_search.store.embedded.store import EmbeddedStore

pytestmark = pytest.mark.es

EXAMPLES = Path(__file__).parents[2] / "examples" / "tables"
SEARCHED = (
    "name",
    "names",
    "new_words",
    "expansion",
    "context",
    "description",
    "description_terms",
)
FILTERED = ("source", "database", "schema", "format", "language", "access", "column_count")


@pytest.fixture
def client(es_url):
    with Elasticsearch(es_url) as opened:
        yield opened


@pytest.fixture
def store(elasticsearch_store):
    """A store with its first generation, which holds one table of this product's own."""
    with closing(elasticsearch_store):
        elasticsearch_store.put([EnrichedTable(RawTable("own", "zebra"), Provenance("h"))])
        yield elasticsearch_store


def row(table_id="t", **parts):
    return {"table_id": table_id, "name": "ActEmployees", "columns": ["EID", "SAL"], **parts}


def dead_letters(client, alias):
    index = dead_letter_index(alias)
    client.indices.refresh(index=index)
    hits = client.search(index=index, size=100, sort="at")["hits"]["hits"]
    return [hit["_source"] for hit in hits]


def source(client, alias, table_id):
    return client.get(index=alias, id=document_id(table_id))["_source"]


def test_tables_of_another_program_equal_those_that_this_product_ingests(
    store, client, es_alias, tmp_path
):
    raws = [item for item in read_sources([str(EXAMPLES)]) if isinstance(item, RawTable)]
    rows = [raw_to_dict(raw) for raw in raws]
    path = tmp_path / "tables.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))

    outcomes = send(client, es_alias, *rows, refresh="true")
    with closing(EmbeddedStore(tmp_path / "store")) as embedded:
        report = ingest(read_sources([str(path)]), embedded, NoExpander())
        ingested = {table.table_id: table for table in embedded.tables()}
        query = "county homicide rate"
        expected = found(embedded, query)

    assert report.stored == 139
    assert {one["status"] for one in outcomes} == {201}
    assert foreign_writes(store._connection, es_alias) == ForeignWrites(True, 0)
    sent = {table.table_id: table for table in store.tables() if table.table_id != "own"}
    assert {key: table.raw for key, table in sent.items()} == {
        key: table.raw for key, table in ingested.items()
    }
    for table_id, table in ingested.items():
        stored, own = source(client, es_alias, table_id), document(table)
        for field in (*SEARCHED, *FILTERED):
            assert stored.get(field) == own.get(field)
    assert expected
    assert sorted(found(store, query)) == sorted(expected)


def test_a_table_is_found_filtered_and_shown(store, client, es_alias):
    send(client, es_alias, row(context="payroll of all staff", database="hr", access=["hr"]))
    store.refresh()

    (table,) = store.get(["t"]).values()
    assert found(store, "payroll", filters={"database": ["hr"]}) == ["t"]
    assert found(store, "employees", filters={"access": ["hr"]}) == ["t"]
    assert table.raw.context == {"context": "payroll of all staff"}
    assert (table.provenance.input_hash, table.provenance.status) == (FOREIGN_INPUT_HASH, "none")
    assert store.states(["t"])["t"].input_hash == FOREIGN_INPUT_HASH


def test_a_bulk_with_bad_tables_succeeds_and_loses_nothing(store, client, es_alias):  # X10
    good = [row(f"t{number}") for number in range(100)]
    bad = [row("nul", name="a\0b"), row("half", name="\ud800"), {"name": "no id"}, row(["t"])]

    outcomes = send(client, es_alias, *good[:50], *bad, *good[50:], refresh="true")

    assert {one["status"] for one in outcomes} == {201}
    assert len(list(store.table_ids())) == 101
    letters = dead_letters(client, es_alias)
    assert [letter["sent"] for letter in letters] == bad
    assert [letter["reason"].partition(".")[0] for letter in letters] == [
        "The table_name holds a NUL character",
        "The table_name holds half a surrogate pair",
        "The object has no key table_id, columns",
        "table_id is not a text",
    ]
    assert foreign_writes(store._connection, es_alias) == ForeignWrites(True, len(bad))


ODD_LETTERS = {
    "an empty key": {"": 1},
    "keys with dots": {".a": 1, "a..b": 2, "..": 3, " ": 4},
    "a number beyond 64 bits": '{"name": 1000000000000000000000000000000}',
    "a number beyond all": '{"name": 1e400}',
    "deep nesting": '{"name":' + '{"a":' * 500 + "1" + "}" * 501,
    "half surrogate pairs": '{"table_id": "\\udfff", "x": {"\\ud800": "a\\ud800b"}}',
    "a key that begins with a line": {"_foo": 1, "_source": 2, "_ingest": 3},
    "a long id": {"table_id": "x" * 40_000},
}


@pytest.mark.parametrize("sent", ODD_LETTERS.values(), ids=ODD_LETTERS)
def test_whatever_is_sent_is_kept_as_it_was(store, client, es_alias, sent):
    (outcome,) = send(client, es_alias, sent)

    expected = json.loads(sent) if isinstance(sent, str) else sent
    (letter,) = dead_letters(client, es_alias)
    assert outcome["status"] == 201
    if sent != ODD_LETTERS["a number beyond all"]:  # the server itself reads it as infinite
        assert letter["sent"] == expected


def test_a_context_nested_to_the_servers_limit_is_taken(store, client, es_alias):
    deep = "[" * 900 + "1" + "]" * 900
    sent = f'{{"table_id": "deep", "name": "n", "columns": [], "context": {{"a": {deep}}}}}'

    (outcome,) = send(client, es_alias, sent)

    assert outcome["status"] == 201
    assert store.get(["deep"])["deep"].raw.context == {"a": deep}


@pytest.mark.parametrize("given", ["t", "other", None])
@pytest.mark.parametrize("verb", ["index", "create"])
def test_a_table_has_one_document_whatever_id_and_routing_it_is_sent_with(
    store, client, es_alias, verb, given
):
    action = {"routing": "r", **({"_id": given} if given else {})}

    (first,) = send(client, es_alias, (action, row()), verb=verb)
    (again,) = send(client, es_alias, (action, row(database="hr")), verb=verb)

    assert (first["_id"], first["status"]) == ("t", 201)
    assert (again["_id"], again["status"]) == ("t", 200 if verb == "index" else 409)
    assert sorted(store.table_ids()) == ["own", "t"]
    assert store.get(["t"])["t"].raw.database == (None if verb == "create" else "hr")


@pytest.mark.parametrize("table_id", ["é" * 256, "é" * 300, "sha256:abc", "http://x/y?z#1 2"])
def test_an_odd_id_has_the_document_that_this_product_gives_it(store, client, es_alias, table_id):
    send(client, es_alias, row(table_id))
    store.put([EnrichedTable(RawTable(table_id, "second"), Provenance("h"))])

    assert sorted(store.table_ids()) == sorted(["own", table_id])
    assert store.get([table_id])[table_id].raw.name == "second"
    assert store.delete([table_id]) == 1


def test_an_optimistic_writer_is_told_that_another_was_there_first(store, client, es_alias):
    (first,) = send(client, es_alias, ({"_id": "t"}, row()))
    seen = {"_id": "t", "if_seq_no": first["_seq_no"], "if_primary_term": first["_primary_term"]}

    outcomes = send(client, es_alias, (seen, row(database="a")), (seen, row(database="b")))

    assert [one["status"] for one in outcomes] == [200, 409]


def test_a_bad_table_of_an_optimistic_writer_is_buried(store, client, es_alias):
    seen = {"_id": "t", "if_seq_no": 5, "if_primary_term": 1}
    dated = {"_id": "t", "version": 5, "version_type": "external"}

    outcomes = send(client, es_alias, (seen, row(name=[])), (dated, row(name=[])))

    assert [one["status"] for one in outcomes] == [201, 201]
    assert len(dead_letters(client, es_alias)) == 2


def test_writers_that_demand_the_alias_have_their_bad_tables_buried(store, client, es_alias):
    outcomes = send(client, es_alias, row(), row(name=[]), require_alias="true")

    assert [one["status"] for one in outcomes] == [201, 201]
    assert len(dead_letters(client, es_alias)) == 1


def test_a_dead_letter_index_that_was_deleted_comes_back_with_its_mapping(store, client, es_alias):
    index = dead_letter_index(es_alias)
    (behind,) = client.indices.get(index=index)
    client.indices.delete(index=behind)

    send(client, es_alias, row(name=[]))

    assert put_pipeline(store._connection, es_alias)
    assert len(dead_letters(client, es_alias)) == 1
    (mapping,) = client.indices.get_mapping(index=index).values()
    assert mapping["mappings"] == mappings.dead_letters()["mappings"]


def test_dead_letters_can_be_searched_by_reason_and_table(store, client, es_alias):
    send(client, es_alias, row("a", name=[]), row("b", columns="x"), refresh="true")
    index = dead_letter_index(es_alias)

    by_table = client.search(index=index, query={"term": {"table_id": "b"}})["hits"]["hits"]
    by_reason = client.search(index=index, query={"match": {"reason": "columns"}})["hits"]["hits"]

    assert [hit["_source"]["reason"] for hit in by_table] == [
        'columns is not a list. Write a JSON list, such as ["id", "name"].'
    ]
    assert [hit["_source"]["table_id"] for hit in by_reason] == ["b"]


def test_a_copy_by_reindex_of_another_index_of_this_product_changes_nothing(
    store, client, es_alias
):
    tables = [
        EnrichedTable(RawTable(table_id, " two  words "), Provenance("h", status="failed"))
        for table_id in ("a", "sha256:b", "é" * 300, "own")
    ]
    store.put(tables)
    store.refresh()
    (live,) = client.indices.get(index=es_alias)
    before = {hit["_id"]: hit["_source"] for hit in _all(client, es_alias)}
    copied_to = f"{es_alias}-copy"
    body = mappings.tables()
    client.indices.create(
        index=copied_to,
        mappings=body["mappings"],
        settings={**body["settings"], "index.default_pipeline": es_alias},
    )

    answer = client.reindex(source={"index": live}, dest={"index": copied_to}, refresh=True)

    assert answer["failures"] == []
    assert {hit["_id"]: hit["_source"] for hit in _all(client, copied_to)} == before


def _all(client, index):
    return client.search(index=index, size=100)["hits"]["hits"]


def test_this_products_own_writes_go_round_the_pipeline(store, client, es_alias):
    client.ingest.put_pipeline(
        id=es_alias, processors=[{"fail": {"message": "every write through the pipeline"}}]
    )

    report = store.put([EnrichedTable(RawTable("b", " untrimmed "), Provenance("h"))])

    assert report.stored == 1
    assert store.get(["b"])["b"].raw.name == " untrimmed "
    (outcome,) = send(client, es_alias, row())
    assert "every write through the pipeline" in outcome["error"]["reason"]


def test_the_pipeline_is_put_again_whole_wherever_it_was_changed(store, client, es_alias):
    client.ingest.put_pipeline(id=es_alias, processors=[])

    assert put_pipeline(store._connection, es_alias)

    found = client.ingest.get_pipeline(id=es_alias)[es_alias]
    assert found["processors"] == mappings.ingest_pipeline()["processors"]


def test_a_generation_without_the_pipeline_refuses_what_is_no_document(store, client, es_alias):
    client.indices.put_settings(index=es_alias, settings={"index.default_pipeline": None})

    with pytest.raises(BadRequestError, match="strict_dynamic_mapping_exception"):
        client.index(index=es_alias, document=row(columns=["a"]))

    assert foreign_writes(store._connection, es_alias).normalised is False


def test_tables_of_another_program_outlive_a_reindex(store, client, es_alias):
    send(client, es_alias, row("a", columns=[{"name": "c", "type": "int"}]), row("b"))
    before = list(store.tables())

    with store.generations.stage("as they are", print) as staged:
        staged.tables.put(staged.uncopied())
        send(client, es_alias, row("c"), row("b", database="hr"))
        staged.catch_up(iter)
        assert staged.missing_or_surplus() == (0, 0)
        staged.go_live()
        staged.settle(iter)

    after = {table.table_id: table for table in store.tables()}
    assert sorted(after) == ["a", "b", "c", "own"]
    assert after["a"] == before[0]
    assert after["b"].raw.database == "hr"
    (outcome,) = send(client, es_alias, row("d", name=[]))
    assert outcome["_index"].startswith(dead_letter_index(es_alias))


def test_tables_of_another_program_are_exported_and_imported_as_they_are(
    store, client, es_alias, tmp_path
):
    send(client, es_alias, row("a", name="Re\u0301sume\u0301 "), row("b", context={"k": [1, 2]}))
    exported = BytesIO()

    assert export_tables(store, exported.write) == 3
    with closing(EmbeddedStore(tmp_path / "store")) as embedded:
        imported = import_records(embedded, [("export", BytesIO(exported.getvalue()))])
        held = list(embedded.tables())

    assert (imported.imported, imported.rejected) == (3, 0)
    assert held == list(store.tables())
    assert [table.raw.name for table in held] == ["Résumé", "ActEmployees", "zebra"]


def test_an_ingest_of_the_same_tables_replaces_them(store, client, es_alias, tmp_path):
    send(client, es_alias, row(source="erp"), refresh="true")
    path = tmp_path / "tables.jsonl"
    path.write_text(json.dumps(row(source="erp")) + "\n")

    report = ingest(read_sources([str(path)]), store, NoExpander())

    assert (report.stored, report.unchanged) == (1, 0)
    assert store.states(["t"])["t"].input_hash != FOREIGN_INPUT_HASH
