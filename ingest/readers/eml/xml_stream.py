"""XML as a stream of the elements that are wanted, safe to read from anybody.

A DOCTYPE is refused: it is where entities are declared, those that grow from a hundred bytes to
gigabytes and those that fetch files or addresses, and no format read here has one. So the parser
that Python ships expands nothing but XML's own five entities and opens nothing; a library that
guards it from the outside would do the same, more slowly. Held are the elements that are wanted,
one at a time.
"""

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

CHUNK_BYTES = 64 * 1024
MAX_DEPTH = 200


class XmlBroken(Exception):
    """The document cannot be read on. `problem` is a clause; `line` counts from 1."""

    def __init__(self, problem: str, remedy: str, line: int) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy
        self.line = line


def elements_at(path: Path, wanted: frozenset[str]) -> Iterator[tuple[str, Element]]:
    """Yield the root without its children, then each wanted element when it is whole.

    Places and names are local ones, such as `eml/dataset/title`, without namespaces.

    Raises:
        XmlBroken: the file is no XML from some point on, has a DOCTYPE, or is nested too deep.
        OSError: it cannot be read.
    """
    collector = _Collector(wanted)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = _refuse_doctype
    parser.StartElementHandler = collector.start
    parser.EndElementHandler = collector.end
    parser.CharacterDataHandler = collector.text
    with path.open("rb") as file:
        while True:
            chunk = file.read(CHUNK_BYTES)
            broken = _fed(parser, chunk)
            yield from collector.taken()
            if broken is not None:
                raise broken
            if not chunk:
                return


class _Refused(Exception):
    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.remedy = remedy


def _fed(parser: expat.XMLParserType, chunk: bytes) -> XmlBroken | None:
    """Parse a chunk, the last one if it is empty, and return why it is the last in any case."""
    try:
        parser.Parse(chunk, not chunk)
    except expat.ExpatError as error:
        problem = f"It is not well-formed XML ({expat.ErrorString(error.code)})"
        return XmlBroken(problem, "Correct it there, or fetch it again.", error.lineno)
    except _Refused as refusal:
        return XmlBroken(refusal.problem, refusal.remedy, parser.CurrentLineNumber)
    except ValueError as error:  # an encoding that Python does not know
        return XmlBroken(f"It cannot be decoded ({error})", "Save it as UTF-8.", 1)
    return None


def _refuse_doctype(*_: object) -> None:
    raise _Refused("It has a DOCTYPE, which could declare entities", "Remove the DOCTYPE.")


class _Collector:
    """Builds the elements that are wanted, and keeps them until they are taken."""

    def __init__(self, wanted: frozenset[str]) -> None:
        self._wanted = wanted
        self._places: list[str] = []
        self._builder: TreeBuilder | None = None
        self._builds_from = 0
        self._whole: list[tuple[str, Element]] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        local = name.rpartition(" ")[2]
        if len(self._places) >= MAX_DEPTH:
            raise _Refused("It is nested too deep", f"Flatten it to {MAX_DEPTH} levels.")
        place = f"{self._places[-1]}/{local}" if self._places else local
        self._places.append(place)
        if len(self._places) == 1:
            self._whole.append((place, Element(local, _local(attributes))))
        if self._builder is None and place in self._wanted:
            self._builder = TreeBuilder()
            self._builds_from = len(self._places)
        if self._builder is not None:
            self._builder.start(local, _local(attributes))

    def end(self, name: str) -> None:
        place = self._places.pop()
        if self._builder is None:
            return
        self._builder.end(name.rpartition(" ")[2])
        if len(self._places) < self._builds_from:
            self._whole.append((place, self._builder.close()))
            self._builder = None

    def text(self, data: str) -> None:
        if self._builder is not None:
            self._builder.data(data)

    def taken(self) -> list[tuple[str, Element]]:
        """Return what has become whole since the last time."""
        whole, self._whole = self._whole, []
        return whole


def _local(attributes: dict[str, str]) -> dict[str, str]:
    return {name.rpartition(" ")[2]: value for name, value in attributes.items()}
