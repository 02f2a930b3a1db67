"""Every text of the real data sets, in Python and by a real Elasticsearch: a slow proof."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

import mappings
from polaris_search.text.analysis import analyzer_named
from polaris_search.text.tables.server import AnalysisServer, analysis_server

pytestmark = [pytest.mark.es, pytest.mark.slow]

ANALYSIS = mappings.tables()["settings"]["analysis"]
MAX_CELL_CHARS = 1 << 30


@pytest.fixture(scope="module")
def server(es_url: str) -> Iterator[AnalysisServer]:
    with analysis_server(es_url, "polaris-test-text-data", ANALYSIS) as running:
        yield running


@pytest.fixture(scope="module")
def texts(data_folder: Path) -> list[str]:
    csv.field_size_limit(MAX_CELL_CHARS)
    cells: dict[str, None] = {}
    for path in sorted(data_folder.glob("*/*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            cells |= dict.fromkeys(cell for row in csv.reader(file) for cell in row)
    return list(cells)


@pytest.mark.parametrize("analyzer", sorted(ANALYSIS["analyzer"]))
def test_analyzer_gives_the_terms_that_elasticsearch_gives_for_every_cell(
    server: AnalysisServer, texts: list[str], analyzer: str
) -> None:
    expected = server.terms(analyzer, texts)

    analyze = analyzer_named(analyzer)
    differing = [
        text for text, theirs in zip(texts, expected, strict=True) if analyze(text) != theirs
    ]
    assert len(texts) > 1000
    assert differing == []
