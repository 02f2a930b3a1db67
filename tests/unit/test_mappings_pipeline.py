"""The ingest pipeline's file, and what its scripts repeat of the product's own limits and names."""

import mappings
from mappings import build_pipeline
from polaris_search.records import (
    DESCRIPTION_FIELDS,
    FACETS,
    MAX_TABLE_ID_CHARS,
    Description,
    EnrichedTable,
    Provenance,
    RawTable,
    table_to_dict,
)
from polaris_search.store.elasticsearch.bulk.writing import DEFAULT_LIMITS
from polaris_search.store.elasticsearch.documents import HASHED, MAX_ID_BYTES
from polaris_search.store.elasticsearch.pipeline import FOREIGN_INPUT_HASH, dead_letter_index
from polaris_search.store.elasticsearch.store import ALIAS


def script(name):
    return (build_pipeline.FOLDER / "painless" / f"{name}.painless").read_text()


def test_the_shipped_file_is_what_its_scripts_give():
    assert build_pipeline.TARGET.read_text() == build_pipeline.text()


def test_the_shipped_file_buries_beside_the_alias_of_the_product():
    buried = mappings.ingest_pipeline()["on_failure"][-1]["script"]

    assert buried["params"] == {"dead_letters": dead_letter_index(ALIAS)}


def test_the_scripts_have_the_products_limits():
    assert DEFAULT_LIMITS.document_bytes == build_pipeline.MAX_DOCUMENT_BYTES
    assert f"length > {MAX_TABLE_ID_CHARS}" in script("raw_table")
    assert f"<= {MAX_TABLE_ID_CHARS}" in script("whole_document")
    assert f"<= {MAX_ID_BYTES}" in script("document_id")
    assert f"'{HASHED}'" in script("document_id")
    assert f"'{FOREIGN_INPUT_HASH}'" in script("raw_table")


def test_the_scripts_name_every_part_of_a_record():
    table = EnrichedTable(
        RawTable("t", "n"), Provenance("h"), description=Description(*DESCRIPTION_FIELDS)
    )
    record = table_to_dict(table)
    parts = [*record, *record["raw"], *record["provenance"], *record["description"], *FACETS]

    assert [part for part in parts if f"'{part}'" not in script("whole_document")] == []


def test_each_role_has_a_description_and_rights_on_the_products_names_alone():
    names = {
        name
        for role in mappings.roles().values()
        for entry in role["indices"]
        for name in entry["names"]
    }

    assert all(role["description"] for role in mappings.roles().values())
    assert all(name.startswith(ALIAS) for name in names)
