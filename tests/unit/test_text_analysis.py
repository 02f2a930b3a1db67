"""Analyzers come from the mappings' JSON and give the terms worked out by hand."""

import subprocess
import sys
from collections.abc import Mapping

import pytest

import mappings
from polaris_search.text.analysis import REMEMBERED_TOKENS, analyzer_named, chain_from_json
from polaris_search.text.filters import AnalysisUnsupported, Definition

Analysis = Mapping[str, Mapping[str, Definition]]


def analysis(filters: Mapping[str, Definition] | None = None, **analyzer: object) -> Analysis:
    return {"filter": filters or {}, "analyzer": {"mine": {"type": "custom", **analyzer}}}


@pytest.mark.parametrize(
    ("analyzer", "text", "terms"),
    [
        ("words", "Customers' regions, NO_ppm", ["custom", "region", "no_ppm"]),
        ("words", "设备维修", ["设", "备", "维", "修"]),
        ("words", "İstanbul ΣΊΣΥΦΟΣ", ["istanbul", "σίσυφοσ"]),
        ("parts", "SalesRegion customerID DTPh", ["sale", "region", "custom", "id", "dtph"]),
        ("parts", "Áreas A\u0301reas \u00c5ngstr\u00f6m", ["area", "area", "angstrom"]),
        ("parts", "customer's order's_id", ["custom", "order", "id"]),
        ("parts", "👍 ☎ ok", ["👍", "ok"]),
        ("skeleton", "Location a TeeShirt", ["lctn", "t", "shrt"]),
        ("trigrams", "id éa", ["_id", "id_", "_ea", "ea_"]),
        ("joined", "Sales Regions_2024", ["salesregions2024"]),
        ("joined", "Sales-Regions", ["salesregion"]),
        ("joined", " - ", []),
        ("joined", "a" * 256, []),
        ("exact", "Dm_Test-1 Í", ["dmtest1i"]),
        ("exact", "", []),
        ("reference", "The HTTPServer id of no_one 设备", ["http", "server", "id", "on"]),
    ],
)
def test_terms_of_the_shipped_analyzers(analyzer: str, text: str, terms: list[str]) -> None:
    assert analyzer_named(analyzer)(text) == terms


def test_every_shipped_analyzer_is_supported() -> None:
    for name in mappings.tables()["settings"]["analysis"]["analyzer"]:
        assert analyzer_named(name)("x-1") in (["x", "1"], ["x1"], ["_x_", "_1_"], [])


def test_analyzer_added_in_json_needs_no_code() -> None:
    grams: Definition = {"type": "ngram", "min_gram": 2, "max_gram": 3}
    chain = chain_from_json(
        analysis({"grams": grams}, tokenizer="standard", filter=["lowercase", "grams"]), "mine"
    )

    assert chain("A\U0001d518c x") == ["a\U0001d518", "a\U0001d518c", "\U0001d518c"]


def test_empty_text_is_one_empty_token_to_the_keyword_tokenizer() -> None:
    assert chain_from_json(analysis(tokenizer="keyword"), "mine")("") == [""]


@pytest.mark.parametrize(
    ("described", "named"),
    [
        (analysis(tokenizer="standard", filter=["kstem"]), "kstem"),
        (analysis(tokenizer="icu_tokenizer"), "icu_tokenizer"),
        (analysis(tokenizer="standard", char_filter=["html_strip"]), "html_strip"),
        (
            analysis(
                {"g": {"type": "ngram", "preserve_original": True}},
                tokenizer="standard",
                filter=["g"],
            ),
            "preserve_original",
        ),
        (
            analysis({"l": {"type": "length", "min": "2"}}, tokenizer="standard", filter=["l"]),
            "'min'",
        ),
        (
            analysis(
                {"s": {"type": "stop", "stopwords": ["x"]}}, tokenizer="standard", filter=["s"]
            ),
            "stop filter",
        ),
        (analysis(tokenizer="standard", position_increment_gap=5), "position_increment_gap"),
        ({"analyzer": {"mine": {"type": "english"}}}, "english"),
        ({"analyzer": {}}, "mine"),
    ],
)
def test_unknown_component_is_refused_by_name(described: Analysis, named: str) -> None:
    with pytest.raises(AnalysisUnsupported, match=named):
        chain_from_json(described, "mine")


def test_chain_remembers_a_bounded_number_of_tokens() -> None:
    chain = chain_from_json(analysis(tokenizer="standard", filter=["lowercase"]), "mine")

    terms = chain(" ".join(f"W{number}" for number in range(REMEMBERED_TOKENS + 10)))

    assert terms[-1] == f"w{REMEMBERED_TOKENS + 9}"
    assert len(chain.remembered) <= REMEMBERED_TOKENS


def test_ascii_text_reads_no_unicode_table() -> None:
    script = (
        "import sys; from polaris_search.text import query, unicode_tables as tables\n"
        "for kind in query.KINDS: query.query_terms(kind, 'What is the SalesRegion of 7?')\n"
        "query.exact_term('a'), query.cut_query('a b'), query.holds_only_stop_words('the')\n"
        "each = tables.word_break_classes, tables.delimiter_types\n"
        "each += tables.ascii_map, tables.lower_case_map\n"
        "sys.exit(sum(table.cache_info().currsize for table in each))"
    )

    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
