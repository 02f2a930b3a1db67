"""Parquet: the schema alone, whatever wrote it; a table in many parts is one table."""

import json
import subprocess
import sys

import pyarrow
import pyarrow.parquet
import pytest

from ingest.readers.sources import read_sources
from ingest.rejected import Rejected
from polaris_search.records import Column, RawTable


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Return a function that writes an empty Parquet file of a schema."""
    monkeypatch.chdir(tmp_path)

    def write_file(name, *fields, metadata=None, rows=0):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        schema = pyarrow.schema(list(fields) or [pyarrow.field("a", "int64")], metadata=metadata)
        pyarrow.parquet.write_table(schema.empty_table(), path)
        return path

    return write_file


def read(*sources, format=None):
    items = list(read_sources(sources, format))
    tables = [item for item in items if isinstance(item, RawTable)]
    return tables, [item for item in items if isinstance(item, Rejected)]


def names(table):
    return [column.name for column in table.columns]


def test_a_file_becomes_a_table_by_its_schema(write):
    write(
        "data/orders.parquet",
        pyarrow.field("id", pyarrow.int64(), metadata={"comment": "its number"}),
        pyarrow.field("at", pyarrow.timestamp("us", "UTC"), metadata={"description": "when"}),
        pyarrow.field("kind", pyarrow.dictionary(pyarrow.int8(), pyarrow.string())),
        metadata={"title": "Orders", "dc.description": "All that was sold", "writer.version": "7"},
    )

    tables, rejected = read("data")

    assert tables == [
        RawTable(
            "data/orders.parquet",
            "orders",
            (
                Column("id", "int64", "its number"),
                Column("at", "timestamp[us, tz=UTC]", "when"),
                Column("kind", "string"),
            ),
            {
                "title": "Orders",
                "description": "All that was sold",
                "column_comments": "id: its number; at: when",
            },
            source="data",
            format="parquet",
        )
    ]
    assert rejected == []


def test_nested_fields_have_dotted_names(write):
    point = pyarrow.struct([("lat", pyarrow.float64()), ("lon", pyarrow.float64())])
    stop = pyarrow.struct([("at", pyarrow.date32()), ("p", point)])
    write(
        "t.parquet",
        pyarrow.field("home", point),
        pyarrow.field("stops", pyarrow.list_(stop)),
        pyarrow.field("tags", pyarrow.list_(pyarrow.string())),
        pyarrow.field("more", pyarrow.map_(pyarrow.string(), point)),
        pyarrow.field("told", point, metadata={"comment": "has its own"}),
    )  # fmt: skip

    ((table,), _) = read("t.parquet")

    assert names(table) == [
        "home.lat", "home.lon", "stops.at", "stops.p.lat", "stops.p.lon", "tags",
        "more.lat", "more.lon", "told", "told.lat", "told.lon",
    ]  # fmt: skip


def test_pandas_index_is_no_column_and_its_attributes_are_context(write):
    pandas = {
        "index_columns": ["__index_level_0__"],
        "columns": [
            {"name": "a", "field_name": "a"},
            {"name": None, "field_name": "__index_level_0__"},
        ],
        "attributes": {"description": "made by pandas", "n": 3},
    }
    write("t.parquet", pyarrow.field("a", "int64"), pyarrow.field("__index_level_0__", "int64"),
          metadata={"pandas": json.dumps(pandas)})  # fmt: skip

    ((table,), _) = read("t.parquet")

    assert names(table) == ["a"]
    assert table.context == {"description": "made by pandas"}


def test_sparks_own_comments_are_found_in_nested_fields_too(write):
    point = {
        "type": "struct",
        "fields": [{"name": "x", "type": "int", "metadata": {"comment": "east"}}],
    }
    spark = {"type": "struct", "fields": [
        {"name": "a", "type": "int", "metadata": {"comment": "first"}},
        {"name": "ps", "type": {"type": "array", "elementType": point}, "metadata": {}},
    ]}  # fmt: skip
    write(
        "t.parquet",
        pyarrow.field("a", "int32"),
        pyarrow.field("ps", pyarrow.list_(pyarrow.struct([("x", pyarrow.int32())]))),
        metadata={"org.apache.spark.sql.parquet.row.metadata": json.dumps(spark)},
    )

    ((table,), _) = read("t.parquet")

    assert table.columns == (Column("a", "int32", "first"), Column("ps.x", "int32", "east"))


@pytest.mark.parametrize("value", ["{broken", "[]", '{"columns": 7, "fields": 7}', b"\xff"])
def test_metadata_that_is_not_as_it_should_be_is_nothing(write, value):
    keys = ("pandas", "org.apache.spark.sql.parquet.row.metadata", "unknown")
    write("t.parquet", metadata=dict.fromkeys(keys, value))

    ((table,), rejected) = read("t.parquet")

    assert (names(table), dict(table.context), rejected) == (["a"], {}, [])


def test_rows_are_never_read(write, tmp_path):
    path = tmp_path / "t.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"a": list(range(10_000))}), path)
    data = bytearray(path.read_bytes())
    footer = int.from_bytes(data[-8:-4], "little") + 8
    data[4:-footer] = bytes(len(data) - 4 - footer)  # every row group is gone
    path.write_bytes(data)

    ((table,), rejected) = read("t.parquet")

    assert (names(table), rejected) == (["a"], [])


# Tables in parts


@pytest.mark.parametrize(
    ("files", "table_id", "name"),
    [
        (["data/orders/part-00000-x.snappy.parquet", "data/orders/part-00001-x.snappy.parquet"],
         "data/orders", "orders"),
        (["data/orders.parquet/part.0.parquet", "data/orders.parquet/part.1.parquet"],
         "data/orders.parquet", "orders"),
        (["data/orders/dt=2024-01-01/a.parquet", "data/orders/dt=2024-01-02/b.parquet"],
         "data/orders", "orders"),
        (["data/orders/_metadata", "data/orders/x.parquet", "data/orders/y.parquet"],
         "data/orders", "orders"),
        (["data/orders/data_0.parquet", "data/orders/data_1.parquet"], "data/orders", "orders"),
        (["data/orders/000000000000.parquet", "data/orders/000000000001.parquet"],
         "data/orders", "orders"),
        (["data/sets/train-00000-of-00002.parquet", "data/sets/train-00001-of-00002.parquet"],
         "data/sets/train", "train"),
        (["data/lake/data/00000-0-6f3c2d1e-x.parquet", "data/lake/metadata/.v1.parquet"],
         "data/lake", "lake"),
        (["data/orders/metadata/x.parquet.crc.parquet/part-0.parquet"],
         "data/orders/metadata/x.parquet.crc.parquet", "x.parquet.crc"),
    ],
)  # fmt: skip
def test_a_table_in_parts_is_one_table(write, files, table_id, name):
    for file in files:
        write(file)

    ((table,), rejected) = read("data")

    assert (table.table_id, table.name, rejected) == (table_id, name, [])


def test_a_folder_of_partitions_that_is_named_itself_is_one_table(write):
    for day in range(30):
        write(f"orders.parquet/year=2024/day={day}/part-0.parquet")

    ((table,), _) = read("orders.parquet")

    assert (table.table_id, table.name) == ("orders.parquet", "orders")
    assert names(table) == ["a", "year", "day"]


def test_a_folder_of_parts_is_called_by_its_name_where_it_is_named_by_a_dot(
    write, tmp_path, monkeypatch
):
    write("orders/part-0.parquet")
    monkeypatch.chdir(tmp_path / "orders")

    ((table,), _) = read(".")

    assert (table.table_id, table.name) == ("orders", "orders")


def test_shards_of_several_tables_in_one_folder_are_as_many_tables(write):
    for name in ("orders", "customers"):
        for number in range(3):
            write(f"data/{name}_part_{number}.parquet")
            write(f"data/{name}x_0_{number}_0.snappy.parquet")

    tables, _ = read("data")

    assert [table.name for table in tables] == ["customers", "customersx", "orders", "ordersx"]


def test_files_that_are_no_parts_stay_tables_of_their_own(write):
    for name in ("orders", "customers", "partners", "department-1", "data_model"):
        write(f"data/{name}.parquet")

    tables, _ = read("data")

    assert len(tables) == 5


def test_columns_that_later_parts_added_are_found(write):
    write("orders/dt=1/p.parquet", pyarrow.field("a", "int64"))
    write("orders/dt=2/p.parquet", pyarrow.field("a", "int64"))
    write("orders/dt=3/p.parquet", pyarrow.field("a", "int64"), pyarrow.field("b", "string"))

    ((table,), _) = read("orders")

    assert names(table) == ["a", "b", "dt"]


def test_what_a_writer_keeps_for_itself_is_no_table(write):
    write("orders/part-0.parquet")
    write(
        "orders/_delta_log/00000000000000000010.checkpoint.parquet", pyarrow.field("txn", "int64")
    )

    tables, _ = read("orders")

    assert [table.table_id for table in tables] == ["orders"]


def test_of_thousands_of_parts_two_are_opened(write, tmp_path):
    write("orders/dt=000/p.parquet")
    write("orders/dt=999/p.parquet")
    for number in range(1, 999):
        folder = tmp_path / "orders" / f"dt={number:03d}"
        folder.mkdir()
        (folder / "p.parquet").symlink_to("nowhere")  # reported by whoever looks

    ((table,), rejected) = read("orders")

    assert (names(table), rejected) == (["a", "dt"], [])


# What cannot be read


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "The file is empty"),
        (b"PAR1", "It is no Parquet file that can be read (Parquet file size is 4 bytes"),
        (b"PAR1" + 100 * b"x" + b"PAR1", "It is no Parquet file that can be read ("),
        (b"PARE" + 100 * b"x" + b"PARE", "Its schema is encrypted"),
        (b"words, words", "It is no Parquet file that can be read ("),
    ],
)
def test_a_damaged_file_stops_no_other(write, tmp_path, content, problem):
    write("data/z.parquet")
    (tmp_path / "data" / "a.parquet").write_bytes(content)

    ((table,), (one,)) = read("data")

    assert table.table_id == "data/z.parquet"
    assert one.source == "data/a.parquet"
    assert one.problem.startswith(problem)


def test_a_missing_package_is_a_sentence_and_other_files_are_read(write, tmp_path):
    write("data/a.parquet")
    (tmp_path / "data" / "b.csv").write_text("x\n")
    program = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from ingest.readers.sources import read_sources\n"
        "bad, good = read_sources(['data'])\n"
        "print(bad.sentence); print(good.table_id)"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.splitlines() == [
        "data/a.parquet: Reading Parquet needs the package pyarrow. "
        "Install it with: pip install 'polaris-search[parquet]'.",
        "data/b.csv",
    ]
