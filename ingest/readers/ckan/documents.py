"""Reads saved replies of CKAN's package_search: each resource of each package becomes a table.

Also taken: a reply of package_show, a list of packages, and packages as JSON lines (`ckanapi dump
datasets`). Several pages of one search are as many files. Held is one package at a time.
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from ingest.readers.ckan.package import tables_of_package
from ingest.readers.json_documents.member import JsonBroken
from ingest.readers.json_documents.places import members_of
from ingest.readers.json_documents.shape import CKAN_LISTS, LIST, ckan_list, json_shape
from ingest.readers.row import ReadItem, empty_source
from ingest.rejected import Rejected

_REMEDY = "Save the whole reply of https://HOST/api/3/action/package_search."


def read_ckan(path: Path) -> Iterator[ReadItem]:
    """Yield the tables of a file in its order."""
    source = str(path)
    shape = json_shape(path)
    if shape is None:
        is_empty = path.stat().st_size == 0
        problem = "It does not begin as JSON does"
        yield empty_source(source) if is_empty else Rejected(source, 1, problem, _REMEDY)
        return
    if "error" in shape.at() and not shape.at("result"):
        yield Rejected(source, 1, "It is the report of a failed request", _REMEDY)
        return
    place = ckan_list(shape)
    try:
        for member in members_of(path, (*CKAN_LISTS[0], LIST) if place is None else place):
            read = partial(member.value, "The package")
            yield from tables_of_package(source, member.line, read)
    except JsonBroken as error:
        yield Rejected(source, error.line, error.problem, error.remedy)
