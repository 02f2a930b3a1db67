"""Text without blanks, from a source of each kind to search in both stores: a longer query of
several characters finds what a shorter one finds.
"""

import json
import sqlite3
from contextlib import closing

import pytest
from fakes import FakeClock

from ingest.expand.lexical import LexicalExpander
from ingest.pipeline import ingest
from ingest.readers.sources import read_sources
from polaris_search.profiles.model import profile_named
from polaris_search.search.answer import search_tables

WANTED = "设备维修信息表"  # equipment repair information table
OTHERS = ("设备采购合同", "人员信息表", "天气")  # purchase of equipment, staff information, weather


def polaris(folder):
    rows = [f'{name},{name},[],"{name}"' for name in (WANTED, *OTHERS)]
    header = "table_id,table_name,column_names,table_context"
    path = folder / "metadata.csv"
    path.write_text("\n".join((header, *(row.replace("[]", '"[]"') for row in rows))) + "\n")
    return path


def information_schema(folder):
    rows = [f"s,t{n},c,int,{name}" for n, name in enumerate((WANTED, *OTHERS))]
    header = "TABLE_SCHEMA,TABLE_NAME,COLUMN_NAME,DATA_TYPE,TABLE_COMMENT"
    path = folder / "columns.csv"
    path.write_text("\n".join((header, *rows)) + "\n")
    return path


def dbt(folder):
    nodes = {f"model.x.t{n}": {"name": f"t{n}", "columns": {}, "description": name}
             for n, name in enumerate((WANTED, *OTHERS))}  # fmt: skip
    path = folder / "manifest.json"
    path.write_text(json.dumps({"metadata": {}, "nodes": nodes, "sources": {}}))
    return path


def ckan(folder):
    packages = [{"title": name, "notes": "", "resources": [{"id": f"r{n}", "name": f"r{n}"}]}
                for n, name in enumerate((WANTED, *OTHERS))]  # fmt: skip
    path = folder / "page.json"
    path.write_text(json.dumps({"success": True, "result": {"results": packages}}))
    return path


def eml(folder):
    entities = "".join(
        f"<dataTable><entityName>t{n}</entityName><entityDescription>{name}</entityDescription>"
        "</dataTable>"
        for n, name in enumerate((WANTED, *OTHERS))
    )
    path = folder / "eml.xml"
    path.write_text(f'<eml packageId="p"><dataset>{entities}</dataset></eml>')
    return path


def sqlite(folder):
    path = folder / "shop.db"
    with closing(sqlite3.connect(path)) as connection:
        for name in (WANTED, *OTHERS):
            connection.execute(f'CREATE TABLE "{name}" (a)')
        connection.commit()
    return path


@pytest.mark.parametrize("source", [polaris, information_schema, dbt, ckan, eml, sqlite])
def test_a_longer_chinese_query_finds_what_a_shorter_one_finds(store, tmp_path, source):
    path = source(tmp_path)
    ingest(read_sources([str(path)]), store, LexicalExpander(), now=FakeClock())
    (wanted, *_) = read_sources([str(path)])
    if source is sqlite:  # in the order of names
        wanted = next(item for item in read_sources([str(path)]) if item.name == WANTED)

    for profile in map(profile_named, ("default", "paper")):
        found = {
            query: [hit.table_id for hit in search_tables(store, query, profile).hits]
            for query in ("维修", "维修信息", "设备维修信息表")
        }

        assert {query: hits[0] for query, hits in found.items()} == dict.fromkeys(
            found, wanted.table_id
        )
        assert set(found["维修"]) <= set(found["维修信息"]) <= set(found["设备维修信息表"])
