"""Reads Ecological Metadata Language, 2.0 to 2.2: each entity of a data set becomes a table.

Entities are dataTable, otherEntity, spatialRaster, spatialVector, storedProcedure and view. The
table_id is packageId#entityName, the name the entity's. Definitions of attributes are the comments
of columns; title, abstract, keywords and coverage of the data set become context. The schema puts
what describes the data set before its entities, so held is that, and one entity at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element

from ingest.readers.address import storable
from ingest.readers.comments import column_comments, filled
from ingest.readers.eml.text import attribute_labels, coverage_text, prose, texts_at, units
from ingest.readers.eml.xml_stream import XmlBroken, elements_at
from ingest.readers.row import ReadItem, placed_items
from ingest.rejected import Rejected
from polaris_search.errors import TableInvalid
from polaris_search.records import Column, RawTable

ENTITIES = (
    "dataTable",
    "otherEntity",
    "spatialRaster",
    "spatialVector",
    "storedProcedure",
    "view",
)
_WANTED = frozenset(
    f"eml/dataset/{name}"
    for name in (*ENTITIES, "title", "abstract", "keywordSet", "coverage", "language")
)


@dataclass(slots=True)
class _Dataset:
    """What was read so far of one file, for the entities still to come."""

    source: str
    package_id: str = ""
    parts: dict[str, list[Element]] = field(default_factory=dict)
    columns_by_id: dict[str, tuple[Column, ...]] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)
    n_entities: int = 0


def read_eml(path: Path) -> Iterator[ReadItem]:
    """Yield the entities of a file in its order; last those that refer to what comes later."""
    dataset = _Dataset(str(path))
    later: list[tuple[int, Element]] = []
    try:
        for place, element in elements_at(path, _WANTED):
            name = place.rpartition("/")[2]
            if "/" not in place:
                if name != "eml":
                    yield _no_eml(dataset.source, name)
                    return
                dataset.package_id = element.get("packageId", "").strip() or storable(path.stem)
            elif name not in ENTITIES:
                dataset.parts.setdefault(name, []).append(element)
            else:
                dataset.n_entities += 1
                if _refers_to_later(element, dataset):
                    later.append((dataset.n_entities, element))
                else:
                    yield from _items(element, dataset, dataset.n_entities)
    except XmlBroken as error:
        yield Rejected(dataset.source, error.line, error.problem, error.remedy)
    for number, element in later:
        yield from _items(element, dataset, number)


def _no_eml(source: str, root: str) -> Rejected:
    remedy = "Name a document in Ecological Metadata Language."
    return Rejected(source, 1, f"Its root is {root}, not eml", remedy)


def _refers_to_later(entity: Element, dataset: _Dataset) -> bool:
    reference = (entity.findtext("attributeList/references") or "").strip()
    return bool(reference) and reference not in dataset.columns_by_id


def _items(entity: Element, dataset: _Dataset, number: int) -> Iterator[ReadItem]:
    name = prose(entity.find("entityName")) or prose(entity.find("physical/objectName"))
    table_id = _own_id(f"{dataset.package_id}#{name or number}", dataset.ids)

    def make() -> RawTable:
        columns = _columns(entity, dataset)
        return RawTable(
            table_id=table_id,
            name=name,
            columns=columns,
            context=filled(_context(entity, columns, dataset)),
            format="eml",
            language=texts_at(dataset.parts.get("language", []), ".") or None,
        )

    place = f"{entity.tag} {number} ({name})"
    yield from placed_items(make, dataset.source, place, table_id)


def _own_id(table_id: str, taken: set[str]) -> str:
    """Return the id, with a number where the data set has two entities of one name."""
    own, number = table_id, 1
    while own in taken:
        number += 1
        own = f"{table_id}#{number}"
    taken.add(own)
    return own


def _columns(entity: Element, dataset: _Dataset) -> tuple[Column, ...]:
    attributes = entity.find("attributeList")
    if attributes is None:
        return ()
    reference = (attributes.findtext("references") or "").strip()
    if reference:
        if reference not in dataset.columns_by_id:
            raise TableInvalid(
                f"Its attributes are those of {reference!r}, which the document has not",
                "Give the entity attributes of its own.",
            )
        return dataset.columns_by_id[reference]
    columns = tuple(map(_column, attributes.findall("attribute")))
    if attributes.get("id"):
        dataset.columns_by_id[attributes.get("id", "")] = columns
    return columns


def _column(attribute: Element) -> Column:
    scale = next(iter(attribute.find("measurementScale") or ()), None)
    kind = prose(attribute.find("storageType")) or (scale.tag if scale is not None else "")
    return Column(
        name=prose(attribute.find("attributeName")),
        type=kind or None,
        comment=prose(attribute.find("attributeDefinition")) or None,
    )


def _context(entity: Element, columns: tuple[Column, ...], dataset: _Dataset) -> dict[str, str]:
    file_name = prose(entity.find("physical/objectName"))
    coverages = [*dataset.parts.get("coverage", []), *entity.findall("coverage")]
    return {
        "title": texts_at(dataset.parts.get("title", []), "."),
        "abstract": texts_at(dataset.parts.get("abstract", []), "."),
        "keywords": texts_at(dataset.parts.get("keywordSet", []), "keyword"),
        "coverage": coverage_text(coverages),
        "description": prose(entity.find("entityDescription")),
        "column_comments": column_comments(columns),
        "column_labels": attribute_labels(entity),
        "units": units(entity),
        "file": file_name if file_name != prose(entity.find("entityName")) else "",
    }
