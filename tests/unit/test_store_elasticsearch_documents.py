import hashlib
import json
from dataclasses import replace

import mappings
from polaris_search.records import (
    Column,
    Description,
    EnrichedTable,
    Expansion,
    Provenance,
    RawTable,
)
from polaris_search.store.elasticsearch.documents import (
    document,
    document_bytes,
    document_id,
    state_of,
    table_of,
)

TABLE = EnrichedTable(
    RawTable(
        table_id="erp/HR#ActEmployees",
        name="ActEmployees",
        columns=(Column("EmpNo", "int"), Column("Sal.Gross.Eur")),
        context={"a.b": "payroll", "": "2024"},
        source="erp",
        access=("hr", "audit"),
    ),
    Provenance(input_hash="abc", status="none", model="m-1", reason="no server"),
)


def test_an_id_of_512_bytes_is_its_own_document_id_and_one_byte_more_is_hashed():
    longest = "é" * 256  # 2 bytes each
    digest = hashlib.sha256((longest + "a").encode()).hexdigest()

    assert document_id(longest) == longest
    assert document_id(longest + "a") == f"sha256:{digest}"


def test_an_id_that_looks_like_a_hash_is_not_taken_for_the_table_of_that_hash():
    long = "u" * 600
    of_long = document_id(long)
    of_that = document_id(of_long)

    assert document_id("sha256:") != "sha256:"
    assert len({of_long, of_that, document_id(of_that)}) == 3


def test_a_document_has_no_field_that_the_strict_mapping_lacks():
    known = set(mappings.tables()["mappings"]["properties"])

    assert set(document(TABLE)) - known == set()


def test_facets_without_a_value_are_left_out():
    made = document(TABLE)

    assert (made["source"], made["access"], made["column_count"]) == ("erp", ["hr", "audit"], 2)
    assert "database" not in made


def test_a_table_and_its_state_come_back_whole_from_the_bytes_sent():
    source = json.loads(document_bytes(TABLE))

    assert table_of(source) == TABLE
    assert (state_of(source).input_hash, state_of(source).status) == ("abc", "none")


def test_the_bytes_sent_are_these_and_no_others():
    described = Description("Pay of staff.", "", "", "", "wages", "")
    expansion = Expansion("active employees", ("employee number", "salary gross euro"))
    table = replace(TABLE, expansion=expansion, description=described)

    assert document_bytes(table).decode() == (
        '{"name":["ActEmployees"],'
        '"names":["ActEmployees","EmpNo","Sal.Gross.Eur"],'
        '"new_words":["active","employee","number","salary","euro"],'
        '"expansion":["ActEmployees","EmpNo","Sal.Gross.Eur","active employees","employee number",'
        '"salary gross euro"],'
        '"context":["2024","payroll"],'
        '"description":["Pay of staff.","","","","wages",""],'
        '"description_terms":["pay staff wages"],'
        '"source":"erp","status":"none","input_hash":"abc","model":"m-1",'
        '"table_id":"erp/HR#ActEmployees","access":["hr","audit"],"column_count":2,'
        '"record":{"raw":{"table_id":"erp/HR#ActEmployees","name":"ActEmployees","columns":'
        '[{"name":"EmpNo","type":"int","comment":null},'
        '{"name":"Sal.Gross.Eur","type":null,"comment":null}],'
        '"context":{"a.b":"payroll","":"2024"},"access":["hr","audit"],"source":"erp",'
        '"database":null,"schema":null,"format":null,"language":null},'
        '"provenance":{"input_hash":"abc","expander":null,"model":"m-1","adapter":null,'
        '"prompt_version":null,"enriched_at":null,"status":"none","reason":"no server"},'
        '"expansion":{"name":"active employees","columns":["employee number","salary gross euro"]},'
        '"description":{"dataset_overview":"Pay of staff.","key_themes_or_topics":"",'
        '"applications_and_use_cases":"","concepts_and_synonyms":"",'
        '"keywords_and_themes":"wages","additional_context":""}}}'
    )


def test_the_bytes_are_one_line_whatever_the_texts_hold():
    table = EnrichedTable(RawTable("t", "a\nb\u2028c\r", context={"k": "x\ny"}), TABLE.provenance)

    assert b"\n" not in document_bytes(table)
    assert b"\r" not in document_bytes(table)
