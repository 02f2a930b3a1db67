"""What a query asks for: its terms of each kind, what leaves it, where it is cut."""

import pytest

from polaris_search.text.analysis import analyzer_named
from polaris_search.text.query import (
    KINDS,
    cut_query,
    exact_term,
    holds_only_stop_words,
    query_terms,
    terms_kind,
)


def test_kinds_are_validated_by_name() -> None:
    assert terms_kind("joined_words") == "joined_words"
    with pytest.raises(ValueError, match="not 'bigrams'"):
        terms_kind("bigrams")


def test_words_and_parts_leave_stop_words_out_and_keep_repeats() -> None:
    text = "Show me the regions of SalesRegion and regions"

    assert query_terms("words", text) == ["region", "salesregion", "region"]
    assert query_terms("parts", text) == ["region", "sale", "region", "region"]
    assert query_terms("parts_with_stop_words", "to be NO_ppm") == ["to", "be", "no", "ppm"]


@pytest.mark.parametrize(
    "text", ["what's", "What\u2019s", "don't", "we're", "it's", "can't", "HowMany"]
)
def test_contracted_and_joined_stop_words_leave_too(text: str) -> None:
    assert query_terms("words", text + " x") == ["x"]
    assert query_terms("parts", text + " x") == ["x"]


def test_stop_words_are_compared_before_stemming() -> None:
    assert query_terms("words", "doe hase") == [
        "doe",
        "hase",
    ]  # "does" and "has" leave, these do not
    assert query_terms("words", "does has") == []


def test_accented_word_is_no_stop_word() -> None:
    assert query_terms("parts", "th\u00e9 the\u0301 the") == ["the", "the"]


def test_trigrams_leave_digits_and_stop_words_out() -> None:
    assert query_terms("trigrams", "the ID7 of réa") == ["_id", "id_", "_re", "rea", "ea_"]


def test_skeleton_prefixes_start_at_two_letters() -> None:
    assert query_terms("skeleton_prefixes", "location") == ["lc", "lct", "lctn"]
    assert (
        query_terms("skeleton_prefixes", "x tee 42 the") == []
    )  # too short, "t", a digit, a stop word


def test_joined_words_are_one_to_three_neighbours_stemmed_as_one() -> None:
    assert query_terms("joined_words", "sales of customer regions") == [
        "sale",
        "custom",
        "region",
        "salescustom",
        "customerregion",
        "salescustomerregion",
    ]


def test_joined_words_leave_out_what_no_name_is_indexed_as() -> None:
    long = "b" * 200

    assert query_terms("joined_words", f"{long} {long}") == [long, long]


@pytest.mark.parametrize(
    ("indexed", "analyzer", "kind", "query"),
    [
        ("SalesRegion", "parts", "parts", "region"),  # R1
        ("customerID", "parts", "parts", "customer id"),
        ("DTPh", "parts", "parts", "dtph"),
        ("house_prices_nominal", "parts", "parts", "house prices nominal"),  # R3
        ("house_prices_nominal", "joined", "joined_words", "house prices nominal"),
        ("std_labs_albumin_urine_mgl", "parts", "parts", "urine"),
        ("设备维修信息表", "words", "words", "维修"),  # R8
        ("设备维修信息表", "words", "words", "维修信息"),
        ("Áreas Hidrográficas de Colombia", "parts", "parts", "areas hidrograficas"),  # R9
        ("Áreas Hidrográficas de Colombia", "parts", "parts", "Áreas"),
        ("Áreas Hidrográficas de Colombia", "parts", "parts", "A\u0301reas"),
        ("NO_ppm", "parts", "parts_with_stop_words", "no"),  # R12
        ("IT_assets", "parts", "parts_with_stop_words", "IT"),
    ],
)
def test_query_terms_are_what_the_field_was_indexed_with(
    indexed: str, analyzer: str, kind: str, query: str
) -> None:
    terms = query_terms(terms_kind(kind), query)

    assert terms
    assert set(terms) & set(analyzer_named(analyzer)(indexed))


def test_exact_term_ignores_case_accents_and_separators() -> None:
    assert exact_term("DM-Test") == exact_term("dm_test") == "dmtest"
    assert exact_term("Áreas") == exact_term("A\u0301reas") == "areas"
    assert exact_term(" -/ ") is None


@pytest.mark.parametrize(
    ("text", "only"),
    [
        ("to be", True),
        ("IT", True),
        ("NO_IT what's", True),
        ("no ppm", False),
        ("the 设备", False),
        ("", False),
        ("?! & (", False),
    ],
)
def test_only_stop_words_means_words_and_nothing_but_stop_words(text: str, only: bool) -> None:
    assert holds_only_stop_words(text) is only


def test_query_is_cut_before_its_129th_distinct_word() -> None:
    words = [f"w{number}" for number in range(129)]

    fitting, notices = cut_query(" ".join(words[:128] + words[:128]))
    assert (len(fitting.split()), notices) == (256, ())

    cut, notices = cut_query(" ".join([*words[:128], "W0", *words[128:], "end"]))
    assert cut == " ".join([*words[:128], "W0"])
    assert "first 129 words" in notices[0]


def test_query_is_cut_behind_its_512th_word() -> None:
    assert cut_query("x " * 512) == ("x " * 512, ())

    cut, notices = cut_query("x " * 513)
    assert cut == ("x " * 512).strip()
    assert "first 512 words" in notices[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "\\",
        '"a*',
        "AND OR",
        "/foo",
        "a" * 70_000,
        "ﬃ" * 300,
        "\U00020000" * 300,
        "\ud800 x",
    ],
)
def test_no_text_is_an_error_and_no_term_too_long(kind: str, text: str) -> None:
    for term in query_terms(terms_kind(kind), text):
        assert 0 < len(term.encode("utf-16-le", "surrogatepass")) <= 2 * 255
        assert len(term.split()) == 1
