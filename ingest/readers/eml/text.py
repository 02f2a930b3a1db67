"""The texts of an EML document's parts, each without its markup. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from xml.etree.ElementTree import Element

_INLINE = frozenset(("emphasis", "subscript", "superscript", "literalLayout", "ulink", "citetitle"))


def prose(element: Element | None) -> str:
    """Return all text within an element, blanks and line breaks as single spaces."""
    return " ".join("".join(_texts(element)).split()) if element is not None else ""


def texts_at(elements: Iterable[Element], place: str) -> str:
    """Return the texts of what stands at a place of each element, each once, joined by "; "."""
    return _once(prose(found) for element in elements for found in element.findall(place))


def attribute_labels(entity: Element) -> str:
    """Return "attribute: label" for each attribute that has a label other than its name."""
    pairs = (
        (prose(each.find("attributeName")), prose(each.find("attributeLabel")))
        for each in entity.iterfind("attributeList/attribute")
    )
    return _once(f"{name}: {label}" for name, label in pairs if label and label != name)


def units(entity: Element) -> str:
    """Return the units of an entity's attributes, each once."""
    found = (
        prose(unit)
        for kind in ("standardUnit", "customUnit")
        for unit in entity.iterfind(f"attributeList/attribute/measurementScale/*/unit/{kind}")
    )
    return _once(found)


def coverage_text(coverages: Sequence[Element]) -> str:
    """Return the places, times and species of coverages, each once, joined by "; "."""
    return _once(text for coverage in coverages for text in _coverage(coverage))


def _coverage(coverage: Element) -> Iterator[str]:
    for place in coverage.iter("geographicDescription"):
        yield prose(place)
    for time in coverage.iter("temporalCoverage"):
        yield from map(_date, time.iter("singleDateTime"))
        for period in time.iter("rangeOfDates"):
            ends = (_date(each) for each in period if each.tag in ("beginDate", "endDate"))
            yield " to ".join(dict.fromkeys(filter(None, ends)))
    for taxa in coverage.iter("taxonomicCoverage"):
        for name in ("generalTaxonomicCoverage", "taxonRankValue", "commonName"):
            yield from map(prose, taxa.iter(name))


def _date(element: Element) -> str:
    return prose(element.find("calendarDate")) or prose(
        element.find("alternativeTimeScale/timeScaleAgeEstimate")
    )


def _texts(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        gap = "" if child.tag in _INLINE else " "
        yield from (gap, *_texts(child), gap, child.tail or "")


def _once(texts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(filter(None, texts)))
