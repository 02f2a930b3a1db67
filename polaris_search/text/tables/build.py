"""Write or check the Unicode tables of the Python analyzers against a real Elasticsearch.

    python -m polaris_search.text.tables.build http://localhost:9200
    python -m polaris_search.text.tables.build http://localhost:9200 --check

The first writes all four, the second exits 1 if one differs. Every code point is tried, which takes
a minute or two.
"""

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from polaris_search.text.tables.server import AnalysisServer, analysis_server
from polaris_search.text.tables.word_break import OTHER, probed_classes

FOLDER = Path(__file__).parent
INDEX = "polaris-text-tables"
BASIC_PLANE = 0x10000
ANALYSIS = {
    "filter": {"parts": {"type": "word_delimiter_graph"}},
    "analyzer": {
        "words": {"type": "custom", "tokenizer": "standard"},
        "lower": {"type": "custom", "tokenizer": "keyword", "filter": ["lowercase"]},
        "ascii": {"type": "custom", "tokenizer": "keyword", "filter": ["asciifolding"]},
        "parts": {"type": "custom", "tokenizer": "keyword", "filter": ["parts"]},
    },
}

Table = dict[str, str]


def main(arguments: Sequence[str]) -> int:
    """Build every table from the server given; write or compare it; return the exit code."""
    url, check = arguments[0].rstrip("/"), "--check" in arguments[1:]
    differ = []
    with analysis_server(url, INDEX, ANALYSIS) as server:
        for name, build in TABLES.items():
            text = json.dumps(build(server), ensure_ascii=False, indent=0) + "\n"
            path = FOLDER / name
            if not check:
                path.write_text(text, encoding="utf-8")
            elif path.read_text(encoding="utf-8") != text:
                differ.append(name)
            sys.stdout.write(f"{name}: {'differs' if name in differ else 'ok'}\n")
    return 1 if differ else 0


def word_break(server: AnalysisServer) -> Table:
    """Return the code points of each word-break class as ranges."""
    code_points = _code_points(0, sys.maxunicode + 1)
    classes = probed_classes(server, "words", code_points)
    return _ranges((c, x) for c, x in zip(code_points, classes, strict=True) if x != OTHER)


def lower_case(server: AnalysisServer) -> Table:
    """Return the code points that have another lower case, each before it, as one text."""
    changed = _changed(server, "lower")
    return {"pairs": "".join(character + lower for character, lower in changed)}


def ascii_folding(server: AnalysisServer) -> Table:
    """Return for each ASCII text the characters that fold to it."""
    table: Table = {}
    for character, ascii in _changed(server, "ascii"):
        table[ascii] = table.get(ascii, "") + character
    return table


def delimiter_types(server: AnalysisServer) -> Table:
    """Return the code points of each type of word_delimiter_graph, but for delimiters."""
    code_points = _code_points(0, BASIC_PLANE)
    probes = [probe for c in code_points for probe in (f"a{chr(c)}", f"1{chr(c)}", f"{chr(c)}A")]
    wholes = [
        terms == [probe] for probe, terms in zip(probes, server.terms("parts", probes), strict=True)
    ]
    types = (
        (c, _TYPES[wholes[3 * place], wholes[3 * place + 1], wholes[3 * place + 2]])
        for place, c in enumerate(code_points)
    )
    # Java sees two surrogates in a character beyond the basic plane, and takes a surrogate for
    # anything.
    beyond = ((c, "*") for c in _code_points(BASIC_PLANE, sys.maxunicode + 1))
    return _ranges([*((c, x) for c, x in types if x != "-"), *beyond])


# By whether it stays in one part: behind a small letter, behind a digit, before a capital.
_TYPES = {
    (True, False, False): "l",
    (False, False, True): "u",
    (False, True, False): "d",
    (True, False, True): "a",
    (True, True, True): "*",
    (False, False, False): "-",
}

TABLES: dict[str, Callable[[AnalysisServer], Table]] = {
    "lower_case.json": lower_case,
    "ascii.json": ascii_folding,
    "delimiter_types.json": delimiter_types,
    "word_break.json": word_break,
}


def _code_points(start: int, stop: int) -> list[int]:
    return [c for c in range(start, stop) if not 0xD800 <= c < 0xE000]


def _changed(server: AnalysisServer, analyzer: str) -> list[tuple[str, str]]:
    characters = [chr(c) for c in _code_points(0, sys.maxunicode + 1)]
    answers = server.terms(analyzer, characters)
    return [(c, term) for c, (term,) in zip(characters, answers, strict=True) if term != c]


def _ranges(classes: Iterable[tuple[int, str]]) -> Table:
    bounds: dict[str, list[list[int]]] = {}
    for code_point, letter in classes:
        ranges = bounds.setdefault(letter, [])
        if ranges and ranges[-1][1] == code_point - 1:
            ranges[-1][1] = code_point
        else:
            ranges.append([code_point, code_point])
    return {
        letter: " ".join(f"{start:x} {end:x}" for start, end in ranges)
        for letter, ranges in sorted(bounds.items())
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
