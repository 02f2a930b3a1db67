"""One CKAN package (dataset) in, one table per resource out. Pure.

The table_id is the resource's id, the name its name. Title, notes, organization, groups and tags of
the package become context, as does the resource's own description. Columns come from a data
dictionary where the resource carries one: `fields` or `datastore_fields` as the DataStore gives
them, or a Table Schema in `schema`. A private package is seen by its organization's group alone.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from ingest.readers.comments import column_comments, filled
from ingest.readers.json_documents.values import (
    first_text,
    joined,
    list_of,
    object_of,
    readable_text,
)
from ingest.readers.row import ReadItem, placed_items
from ingest.readers.values import parse_json
from ingest.rejected import Rejected
from polaris_search.errors import TableInvalid
from polaris_search.records import Column, RawTable


def tables_of_package(
    source: str, line: int | None, read: Callable[[], object]
) -> Iterator[ReadItem]:
    """Yield the table of each resource of the package that `read` returns.

    Args:
        source: the file or portal that it comes from.
        line: where it starts there, None of a portal.
        read: raises TableInvalid where there is none.
    """
    try:
        package = object_of(read(), "The package")
        if package.get("state") == "deleted":
            return
        resources = list_of(package.get("resources"), "resources")
        shared = _shared_context(package)
    except TableInvalid as error:
        yield Rejected(source, line, error.problem, error.remedy)
        return
    for number, resource in enumerate(resources, start=1):
        place = f"Package {package_name(package)}, resource {number}"
        make = partial(_table, package, shared, resource, number)
        yield from placed_items(make, source, place, resource_id(resource), line)


def resource_id(resource: object) -> str | None:
    """Return the id of a resource, None for one without."""
    found = resource.get("id") if isinstance(resource, dict) else None
    return found if isinstance(found, str) and found.strip() else None


def package_name(package: Mapping[str, object]) -> str:
    """Return how a package is called in a report, whatever state it is in."""
    for key in ("name", "id", "title"):
        found = package.get(key)
        if isinstance(found, str) and found.strip():
            return found
    return "no name"


def _shared_context(package: Mapping[str, object]) -> Mapping[str, str]:
    organization = package.get("organization")
    publisher = organization if isinstance(organization, dict) else {}
    return {
        "title": _in_all_languages(package, "title") or first_text(package, "name"),
        "notes": _in_all_languages(package, "notes"),
        "organization": first_text(publisher, "title", "display_name", "name"),
        "tags": joined(list_of(package.get("tags"), "tags"), "tags", "display_name", "name"),
        "groups": joined(list_of(package.get("groups"), "groups"), "groups", "title", "name"),
    }


def _in_all_languages(record: Mapping[str, object], key: str) -> str:
    """Return the text at a key, with its translations where the portal keeps some."""
    values: list[object] = []
    for found in (record.get(key), record.get(f"{key}_translated")):
        values += found.values() if isinstance(found, dict) else [found]
    return joined(values, key)


def _table(
    package: Mapping[str, object], shared: Mapping[str, str], value: object, number: int
) -> RawTable | None:
    resource = object_of(value, "The resource")
    if resource.get("state") == "deleted":
        return None
    columns = _columns(resource)
    own_id = first_text(resource, "id") or f"{first_text(package, 'id', 'name')}#{number}"
    described = _in_all_languages(resource, "description")
    return RawTable(
        table_id=own_id,
        name=_in_all_languages(resource, "name") or _file_name(resource) or shared["title"],
        columns=columns,
        context=filled(
            {**shared, "description": described, "column_comments": column_comments(columns)}
        ),
        format=first_text(resource, "format").lower().lstrip(".") or None,
        access=_groups(package),
    )


def _groups(package: Mapping[str, object]) -> tuple[str, ...]:
    if str(package.get("private") or "false").lower() == "false":  # some portals write texts
        return ()
    organization = object_of(package.get("organization"), "organization")
    name = first_text(organization, "name", "id") or first_text(package, "owner_org")
    if not name:
        raise TableInvalid(
            "The package is private and has no organization", "Name the one that may see it."
        )
    return (name,)


def _file_name(resource: Mapping[str, object]) -> str:
    url = first_text(resource, "url")
    try:
        return PurePosixPath(unquote(urlsplit(url).path)).name
    except ValueError:  # an address with half a bracket
        return ""


def _columns(resource: Mapping[str, object]) -> tuple[Column, ...]:
    for key in ("fields", "datastore_fields", "schema", "datastore_info", "columns"):
        found = _fields(resource.get(key), key)
        if found:
            return tuple(_column(field, f"{key}, item {n}") for n, field in enumerate(found, 1))
    return ()


def _fields(value: object, where: str) -> list[object]:
    if isinstance(value, str):
        if not value.lstrip().startswith(("{", "[")):  # a Table Schema elsewhere, by its address
            return []
        value = parse_json(value, where)
    if isinstance(value, dict):
        value = value.get("fields")
    found = list_of(value, where)
    # Every row of a DataStore table has this number; it is nobody's column.
    return [each for each in found if not (isinstance(each, dict) and each.get("id") == "_id")]


def _column(value: object, where: str) -> Column:
    if not isinstance(value, dict):
        return Column(readable_text(value, where))
    info = object_of(value.get("info"), f"{where}, info")
    name = first_text(value, "id", "name", "title")
    if not name:
        raise TableInvalid(f"{where} has no name", 'Write {"id": ..., "type": ...}.')
    label = first_text(info, "label") or first_text(value, "label", "title")
    notes = first_text(info, "notes") or first_text(value, "description", "notes")
    comment = "; ".join(dict.fromkeys(part for part in (label, notes) if part and part != name))
    kind = first_text(info, "type_override") or first_text(value, "type")
    return Column(name, kind or None, comment or None)
