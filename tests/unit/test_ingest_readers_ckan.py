"""CKAN: saved replies in every shape they come in, and what is reported of broken ones."""

import json

import pytest

from ingest.readers.sources import read_sources
from ingest.rejected import Rejected
from polaris_search.records import Column, RawTable

RESOURCE = {
    "id": "9f2c",
    "name": "stops_2024",
    "description": "All stops of the year",
    "format": "CSV",
    "url": "https://data.example.org/files/stops%202024.csv",
    "state": "active",
}
PACKAGE = {
    "id": "p1",
    "name": "bus-stops",
    "title": "Bus stops",
    "notes": "Where buses stop.",
    "organization": {"name": "transport", "title": "Transport Agency"},
    "tags": [{"name": "bus", "display_name": "Bus"}, {"name": "stop"}],
    "groups": [{"name": "mobility", "title": "Mobility"}],
    "extras": [{"key": "harvest_object_id", "value": "x"}],
    "private": False,
    "resources": [RESOURCE],
}
SHARED = {
    "title": "Bus stops",
    "notes": "Where buses stop.",
    "organization": "Transport Agency",
    "tags": "Bus; stop",
    "groups": "Mobility",
}


def reply(*packages):
    return {
        "help": "https://data.example.org/api/3/action/help_show?name=package_search",
        "success": True,
        "result": {"count": len(packages), "facets": {}, "results": list(packages)},
    }


@pytest.fixture
def read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def write_and_read(document, name="page.json", format=None):
        text = document if isinstance(document, str) else json.dumps(document)
        (tmp_path / name).write_text(text, encoding="utf-8")
        items = list(read_sources([name], format))
        tables = [item for item in items if isinstance(item, RawTable)]
        return tables, [item for item in items if isinstance(item, Rejected)]

    return write_and_read


def test_each_resource_becomes_a_table_with_the_packages_words_as_context(read):
    tables, rejected = read(reply(PACKAGE))

    assert tables == [
        RawTable(
            "9f2c",
            "stops_2024",
            context={**SHARED, "description": "All stops of the year"},
            source="page.json",
            format="csv",
        )
    ]
    assert rejected == []


@pytest.mark.parametrize(
    "document",
    [
        reply(PACKAGE),
        {"success": True, "result": PACKAGE},  # package_show
        {"success": True, "result": [PACKAGE]},  # current_package_list_with_resources
        {"count": 1, "results": [PACKAGE]},
        [PACKAGE],
        json.dumps(PACKAGE) + "\n" + json.dumps({**PACKAGE, "resources": []}) + "\n",  # ckanapi
        json.dumps(reply(PACKAGE), sort_keys=True, indent=2),
        "\ufeff" + json.dumps(reply(PACKAGE)),
    ],
)
def test_every_shape_that_packages_are_saved_in_is_known_by_itself(read, document):
    tables, rejected = read(document)

    assert [table.table_id for table in tables] == ["9f2c"]
    assert rejected == []


def test_pages_of_one_search_are_as_many_files_in_a_folder(tmp_path):
    for page in range(3):
        resource = {**RESOURCE, "id": f"r{page}"}
        (tmp_path / f"page-{page}.json").write_text(
            json.dumps(reply({**PACKAGE, "resources": [resource]}))
        )

    assert [item.table_id for item in read_sources([str(tmp_path)])] == ["r0", "r1", "r2"]


# Columns

INFO = {"label": "Stop", "notes": "its name"}
FIELD = {"name": "stp", "type": "text", "title": "Stop", "description": "its name"}


@pytest.mark.parametrize(
    "dictionary",
    [
        {"fields": [{"id": "_id", "type": "int"},
                    {"id": "stp", "type": "text", "info": INFO}]},
        {"datastore_fields": [{"id": "stp", "type": "text", "info": INFO}]},
        {"schema": {"fields": [FIELD]}},
        {"schema": json.dumps({"fields": [FIELD]})},
        {"schema": "https://example.org/schema.json",
         "columns": [{"name": "stp", "type": "text", "label": "Stop", "notes": "its name"}]},
    ],
)  # fmt: skip
def test_a_data_dictionary_gives_columns(read, dictionary):
    (table,), rejected = read(reply({**PACKAGE, "resources": [{**RESOURCE, **dictionary}]}))

    assert table.columns == (Column("stp", "text", "Stop; its name"),)
    assert table.context["column_comments"] == "stp: Stop; its name"
    assert rejected == []


# What a portal leaves out, adds or translates


@pytest.mark.parametrize(
    ("resource", "name"),
    [
        ({"name": "", "url": "https://x.org/a/b%20c.csv?d=1"}, "b c.csv"),
        ({"name": None, "url": "https://[half"}, "Bus stops"),
        ({"url": None}, "Bus stops"),
        ({"name_translated": {"en": "Stops", "fr": "Arrêts"}}, "Stops; Arrêts"),
    ],
)
def test_a_resource_without_a_name_is_called_by_its_file_or_package(read, resource, name):
    (table,), _ = read(reply({**PACKAGE, "resources": [{"id": "r", **resource}]}))

    assert table.name == name


def test_a_resource_without_an_id_is_known_by_its_package_and_number(read):
    tables, _ = read(reply({**PACKAGE, "resources": [{"name": "a"}, {"name": "b"}]}))

    assert [table.table_id for table in tables] == ["p1#1", "p1#2"]


def test_titles_in_several_languages_are_all_searchable(read):
    (table,), _ = read(
        reply({**PACKAGE, "title": {"en": "Bus stops", "de": "Haltestellen"}, "notes": None,
               "notes_translated": {"en": "Where", "de": "Wo"}})
    )  # fmt: skip

    assert table.context["title"] == "Bus stops; Haltestellen"
    assert table.context["notes"] == "Where; Wo"


def test_nulls_and_missing_parts_are_nothing(read):
    package = {"name": "x", "title": None, "notes": None, "organization": None, "tags": None,
               "resources": [{"id": "r", "name": None, "format": None}]}  # fmt: skip

    (table,), rejected = read(reply(package))

    assert (table.table_id, table.name, dict(table.context)) == ("r", "x", {"title": "x"})
    assert (table.format, rejected) == (None, [])


def test_what_was_deleted_is_no_table(read):
    gone = {**PACKAGE, "state": "deleted", "resources": [{"id": "a"}]}
    partly = {**PACKAGE, "resources": [{"id": "b", "state": "deleted"}, {"id": "c"}]}

    tables, rejected = read(reply(gone, partly))

    assert [table.table_id for table in tables] == ["c"]
    assert rejected == []


@pytest.mark.parametrize(
    ("private", "access"),
    [(True, ("transport",)), ("True", ("transport",)), (False, ()), ("False", ()), (None, ())],
)
def test_a_private_package_is_seen_by_its_organization_alone(read, private, access):
    (table,), _ = read(reply({**PACKAGE, "private": private}))

    assert table.access == access


def test_a_private_package_without_organization_does_not_become_public(read):
    tables, (one,) = read(reply({**PACKAGE, "private": True, "organization": None}, PACKAGE))

    assert len(tables) == 1
    assert one.problem.endswith("The package is private and has no organization")


# What is broken


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        ({**PACKAGE, "resources": {"a": 1}}, "resources is not a list"),
        ({**PACKAGE, "tags": 7}, "tags is not a list"),
        ("text", "The package is not an object"),
        ([PACKAGE], "The package is not an object"),
    ],
)
def test_one_bad_package_stops_no_other(read, bad, problem):
    after = {**PACKAGE, "resources": [{"id": "after"}]}

    tables, (one,) = read(json.dumps(reply(PACKAGE, bad, after), indent=1))

    assert [table.table_id for table in tables] == ["9f2c", "after"]
    assert one.problem == problem
    assert one.line > 30


@pytest.mark.parametrize(
    ("bad", "table_id", "problem"),
    [
        ("text", None, "The resource is not an object"),
        ({"id": "r", "name": "a\0b"}, "r", "The table_name holds a NUL character"),
        ({"id": "r", "fields": [{"type": "int"}]}, "r", "fields, item 1 has no name"),
        ({"id": "r", "fields": 7}, "r", "fields is not a list"),
        ({"id": "r", "schema": "{broken"}, "r", "schema is not valid JSON"),
    ],
)
def test_one_bad_resource_stops_no_other(read, bad, table_id, problem):
    package = {**PACKAGE, "resources": [RESOURCE, bad, {"id": "after"}]}

    tables, (one,) = read(reply(package))

    assert [table.table_id for table in tables] == ["9f2c", "after"]
    assert one.table_id == table_id
    assert one.problem.startswith(f"Package bus-stops, resource 2: {problem}")


def test_a_package_that_is_no_json_costs_itself_alone(read):
    text = json.dumps(reply(PACKAGE, "HERE", {**PACKAGE, "resources": [{"id": "after"}]}))

    tables, (one,) = read(text.replace('"HERE"', '{"name": nonsense}'))

    assert [table.table_id for table in tables] == ["9f2c", "after"]
    assert one.problem == "The package is not valid JSON (Expecting value at 10)"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "The file is empty"),
        ("not json", "It does not begin as JSON does"),
        ('{"success": false, "error": {"message": "no"}}', "It is the report of a failed request"),
        ('{"help": "", "success": true, "result": {"results": [', "The document ends before"),
    ],
)
def test_what_is_no_reply_is_reported_with_the_next_step(read, text, problem):
    tables, (one,) = read(text, format="ckan")

    assert tables == []
    assert one.problem.startswith(problem)
    assert one.remedy.endswith(".")
