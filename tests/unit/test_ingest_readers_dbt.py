"""dbt's manifest.json: which nodes are tables, what is said of them, and what is reported."""

import json
import tracemalloc

import pytest

from ingest.readers.json_documents.shape import json_shape
from ingest.readers.sources import read_sources
from ingest.rejected import Rejected
from polaris_search.errors import SourceUnreadable
from polaris_search.records import Column, RawTable

ORDERS = {
    "database": "prod",
    "schema": "shop",
    "name": "orders",
    "resource_type": "model",
    "alias": "fct_orders",
    "unique_id": "model.shop.orders",
    "config": {"enabled": True, "materialized": "table", "tags": ["nightly"], "meta": {}},
    "tags": ["finance", "nightly"],
    "description": "One row an order.",
    "columns": {
        "ord_id": {"name": "ord_id", "description": "Number of the order", "data_type": "bigint"},
        "Cust": {"name": "Cust", "description": "", "data_type": None},
    },
    "meta": {"owner": "sales", "pii": True, "empty": None},
    "raw_code": "select 1",
}
SOURCE = {
    "database": "raw",
    "schema": "erp",
    "name": "vbak",
    "resource_type": "source",
    "identifier": "VBAK",
    "source_name": "sap",
    "source_description": "The old system",
    "description": "Headers",
    "columns": {},
    "config": {"enabled": True},
    "tags": [],
    "meta": {},
}


def manifest(nodes=None, sources=None, version="v12", **more):
    return {
        "metadata": {
            "dbt_schema_version": f"https://schemas.getdbt.com/dbt/manifest/{version}.json",
            "dbt_version": "1.9.1",
        },
        "nodes": {"model.shop.orders": ORDERS} if nodes is None else nodes,
        "sources": sources or {},
        "macros": {"macro.x": {"nodes": {"model.no": {}}}},
        "disabled": {"model.shop.off": [ORDERS]},
        "parent_map": {},
        **more,
    }


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Write files, read the manifest, and return its tables, what was rejected, the notices."""
    monkeypatch.chdir(tmp_path)

    def write_and_read(document, catalog=None, name="manifest.json", format=None):
        text = document if isinstance(document, str) else json.dumps(document)
        (tmp_path / name).write_text(text, encoding="utf-8")
        if catalog is not None:
            text = catalog if isinstance(catalog, str) else json.dumps(catalog)
            (tmp_path / "catalog.json").write_text(text)
        notices = []
        items = list(read_sources([name], format, on_notice=notices.append))
        tables = [item for item in items if isinstance(item, RawTable)]
        return tables, [item for item in items if isinstance(item, Rejected)], notices

    return write_and_read


def test_a_model_becomes_a_table_named_as_its_relation(read):
    tables, rejected, notices = read(manifest())

    assert tables == [
        RawTable(
            "model.shop.orders",
            "fct_orders",
            (Column("ord_id", "bigint", "Number of the order"), Column("Cust")),
            {
                "description": "One row an order.",
                "column_comments": "ord_id: Number of the order",
                "tags": "finance; nightly",
                "meta": "owner: sales; pii: true",
                "model": "orders",
            },
            source="manifest.json",
            database="prod",
            schema="shop",
            format="dbt",
        )
    ]
    assert (rejected, notices) == ([], [])


def test_a_source_becomes_a_table_with_what_is_said_of_its_system(read):
    (table,), _, _ = read(manifest({}, {"source.shop.sap.vbak": SOURCE}))

    assert (table.table_id, table.name) == ("source.shop.sap.vbak", "VBAK")
    assert table.context == {
        "description": "Headers",
        "model": "vbak",
        "source_name": "sap",
        "source_description": "The old system",
    }


def test_models_seeds_snapshots_and_sources_are_tables_and_all_else_is_not(read):
    kinds = [
        "model",
        "seed",
        "snapshot",
        "test",
        "analysis",
        "operation",
        "unit_test",
        "sql_operation",
    ]
    nodes = {f"{kind}.shop.x": {"name": "x", "resource_type": kind} for kind in kinds}

    tables, _, _ = read(manifest(nodes, {"source.shop.s.x": SOURCE}))

    assert [table.table_id for table in tables] == [
        "model.shop.x", "seed.shop.x", "snapshot.shop.x", "source.shop.s.x",
    ]  # fmt: skip


@pytest.mark.parametrize("config", [{"materialized": "ephemeral"}, {"enabled": False}])
def test_ephemeral_and_disabled_models_are_no_tables(read, config):
    nodes = {"model.shop.off": {**ORDERS, "config": config}, "model.shop.orders": ORDERS}

    tables, rejected, _ = read(manifest(nodes, {"source.x.y.z": {**SOURCE, "config": config}}))

    assert [table.table_id for table in tables] == ["model.shop.orders"]
    assert rejected == []


def test_tags_and_meta_of_the_configuration_count_too(read):
    config = {"tags": "daily", "meta": {"owner": "ops"}}
    node = {"name": "x", "config": config, "columns": {}}

    (table,), _, _ = read(manifest({"model.shop.x": node}))

    assert table.context == {"tags": "daily", "meta": "owner: ops"}


# catalog.json beside it


def catalog(columns, **metadata):
    entry = {"metadata": {"type": "BASE TABLE", "comment": None, **metadata}, "columns": columns}
    schema = "https://schemas.getdbt.com/dbt/catalog/v1.json"
    return {
        "metadata": {"dbt_schema_version": schema},
        "nodes": {"model.shop.orders": entry},
        "sources": {},
    }


def test_the_catalog_beside_it_gives_columns_their_order_and_types(read):
    (table,), rejected, notices = read(
        manifest(),
        catalog(
            {
                "CUST": {"type": "TEXT", "index": 2, "name": "CUST", "comment": "who ordered"},
                "ORD_ID": {"type": "NUMBER", "index": 1, "name": "ORD_ID", "comment": None},
                "NEW": {"type": "DATE", "index": 10, "name": "NEW", "comment": None},
            }
        ),
    )

    assert table.columns == (
        Column("ORD_ID", "NUMBER", "Number of the order"),
        Column("CUST", "TEXT", "who ordered"),
        Column("NEW", "DATE"),
    )
    assert (rejected, notices) == ([], [])


def test_what_is_documented_and_not_yet_built_comes_last(read):
    (table,), _, _ = read(manifest(), catalog({"a": {"type": "int", "index": 1, "name": "a"}}))

    assert [column.name for column in table.columns] == ["a", "ord_id", "Cust"]


def test_the_warehouses_comment_stands_in_for_a_missing_description(read):
    nodes = {"model.shop.orders": {**ORDERS, "description": ""}}

    (table,), _, _ = read(manifest(nodes), catalog({}, comment="from the warehouse"))

    assert table.context["description"] == "from the warehouse"


def test_a_broken_catalog_is_a_notice_and_costs_no_table(read):
    tables, rejected, notices = read(manifest(), '{"nodes": {"model.shop.orders": {"colu')

    assert [table.table_id for table in tables] == ["model.shop.orders"]
    assert rejected == []
    assert notices == [
        "manifest.json: catalog.json beside it cannot be read on: "
        "The document ends before its last bracket is closed."
    ]


# Versions


@pytest.mark.parametrize("version", ["v10", "v11", "v12"])
def test_known_versions_are_read_without_a_word(read, version):
    tables, _, notices = read(manifest(version=version))

    assert (len(tables), notices) == (1, [])


@pytest.mark.parametrize("version", ["v9", "v13", "v20"])
def test_an_unknown_version_is_read_all_the_same_and_said_so(read, version):
    tables, _, notices = read(manifest(version=version))

    assert len(tables) == 1
    assert notices == [
        f"manifest.json: The manifest is version {version[1:]}; "
        "it was read as one of versions 10 to 12."
    ]


def test_a_manifest_without_a_version_is_known_by_its_sections(read):
    document = manifest()
    del document["metadata"]

    tables, _, notices = read(document, name="anything.json")

    assert len(tables) == 1
    assert notices == [
        "anything.json: The manifest is of no stated version; "
        "it was read as one of versions 10 to 12."
    ]


def test_keys_in_any_order_and_indented_text_make_no_difference(read):
    text = json.dumps(manifest(), sort_keys=True, indent=4)

    tables, _, notices = read(text, name="state.json")

    assert [table.name for table in tables] == ["fct_orders"]
    assert notices == []


# What is broken


@pytest.mark.parametrize(
    ("node", "problem"),
    [
        ({"name": "x", "columns": "a, b"}, "columns is not an object"),
        ({"name": "x", "columns": {"a": "b"}}, "columns.a is not an object"),
        ({"name": "x", "config": []}, "config is not an object"),
        ({"name": "x", "tags": {"a": 1}}, "tags is not a list"),
        ({"name": "x", "meta": ["a"]}, "meta is not an object"),
        ({"name": "a\0b"}, "The table_name holds a NUL character"),
        ({"name": "\ud800"}, "The table_name holds half a surrogate pair"),
        ("a text", "The node is not an object"),
        (["a"], "The node is not an object"),
        (7, "The node is not an object"),
    ],
)
def test_one_bad_node_stops_no_other(read, node, problem):
    nodes = {"model.a": ORDERS, "model.bad": node, "model.z": ORDERS}

    tables, (one,), _ = read(json.dumps(manifest(nodes), indent=1))

    assert [table.table_id for table in tables] == ["model.a", "model.z"]
    assert (one.source, one.table_id) == ("manifest.json", "model.bad")
    assert one.problem == f"model.bad: {problem}"
    assert one.line > 30


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        ('{"name": "x", "columns": {,}}', "The node is not valid JSON"),
        ('{"name": nonsense}', "The node is not valid JSON"),
        ('{"name": "a\\qb"}', "The node is not valid JSON"),
        ('{"name": "x", "meta": {"a": ' + 5000 * "1" + "}}", "The node is JSON beyond reading"),
        ('{"name": ' + 5_000 * "[" + 5_000 * "]" + "}", "The node is JSON beyond reading"),
    ],
)  # fmt: skip
def test_a_node_that_is_no_json_costs_itself_alone(read, broken, problem):
    nodes = {"model.a": ORDERS, "model.bad": "HERE", "model.z": ORDERS}
    text = json.dumps(manifest(nodes)).replace('"HERE"', broken)

    tables, (one,), _ = read(text)

    assert [table.table_id for table in tables] == ["model.a", "model.z"]
    assert one.table_id == "model.bad"
    assert one.problem.startswith(f"model.bad: {problem}")


def test_brackets_without_end_cost_no_memory(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text(3000 * '{"a": [')

    tracemalloc.start()
    shape = json_shape(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert shape.at() == {"a"}
    assert peak < 3_000_000  # a place for each bracket, 3000 keys long, would be 100 MB


def test_a_byte_that_is_no_utf8_costs_its_node_alone(tmp_path):
    nodes = {"model.a": ORDERS, "model.bad": {"name": "HERE"}, "model.z": ORDERS}
    data = json.dumps(manifest(nodes)).encode().replace(b"HERE", b"caf\xe9")
    (tmp_path / "manifest.json").write_bytes(data)

    first, bad, last = read_sources([str(tmp_path / "manifest.json")])

    assert (first.table_id, last.table_id) == ("model.a", "model.z")
    assert bad.problem == "model.bad: Byte 0xe9 is not UTF-8"


def test_a_manifest_that_breaks_off_gives_what_stood_before(read):
    text = json.dumps(manifest({"model.a": ORDERS, "model.b": ORDERS}), indent=1)
    cut = text[: text.index('"model.b"') + 60]

    tables, rejected, _ = read(cut)

    assert [table.table_id for table in tables] == ["model.a"]
    (one, *_) = rejected
    assert one.problem == "The document ends before its last bracket is closed"
    assert one.line == cut[: cut.index('"model.b"')].count("\n") + 1


def test_what_is_no_manifest_is_refused_with_the_next_step(read):
    _, (one,), _ = read({"a": 1}, name="x.json", format="dbt")

    assert one.problem == "It has no nodes, so it is no dbt manifest"


def test_dbts_other_files_are_refused_when_named(read):
    with pytest.raises(SourceUnreadable, match=r"It is dbt's catalog, not its manifest\. Name the"):
        read(catalog({}), name="catalog.json")


# Folders


def test_a_target_folder_holds_one_manifest_and_nothing_else(read, tmp_path):
    read(manifest(), catalog({}))
    (tmp_path / "run_results.json").write_text(
        '{"metadata": {"dbt_schema_version": "https://schemas.getdbt.com/dbt/run-results/v6.json"}}'
    )

    (tmp_path / "run" / "shop" / "seeds").mkdir(parents=True)
    (tmp_path / "run" / "shop" / "seeds" / "x.csv").write_text("\n")

    assert [item.table_id for item in read_sources(["."])] == ["model.shop.orders"]


def test_a_projects_seeds_are_those_of_its_manifest(tmp_path):
    (tmp_path / "target").mkdir()
    (tmp_path / "seeds").mkdir()
    (tmp_path / "dbt_project.yml").write_text("name: shop\n")
    (tmp_path / "seeds" / "x.csv").write_text("a,b\n")
    (tmp_path / "target" / "manifest.json").write_text(
        json.dumps(manifest({"seed.shop.x": {"name": "x"}}))
    )

    assert [item.table_id for item in read_sources([str(tmp_path)])] == ["seed.shop.x"]
