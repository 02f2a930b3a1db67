"""The cleaned description holds each new word once and nothing else."""

from polaris_search.text.analysis import analyzer_named
from polaris_search.text.cleaned import description_terms


def test_only_words_new_to_the_table_are_left_each_once_in_order() -> None:
    description = ["This dataset describes the sales regions.", "Regional buyers, buying; Buyers"]

    assert description_terms(description, ["SalesRegion"]) == ["dataset describes buyers buying"]


def test_digits_short_words_and_stop_words_are_left_out() -> None:
    assert description_terms(["in 2024 covid19 an ox which doesn't réseau's"], []) == [
        "covid reseau"
    ]


def test_nothing_new_gives_no_text() -> None:
    assert description_terms(["Sales of regions"], ["sale", "region_2"]) == []
    assert description_terms([], ["sale"]) == []


def test_words_of_other_scripts_are_kept() -> None:
    assert description_terms(["Продажи हिन्दी"], []) == ["продажи हिन्दी"]


def test_field_analyzer_gives_exactly_the_new_stems() -> None:
    description = ["ŉatural İstanbul ﬁnance HTTPServer foo:bar ªbc Größe ΣΊΣΥΦΟΣ ab\u0301c thé's"]

    (text,) = description_terms(description, ["finance"])

    assert analyzer_named("parts")(text) == [
        term for word in text.split() for term in analyzer_named("parts")(word)
    ]
    assert len(analyzer_named("parts")(text)) == len(set(analyzer_named("parts")(text)))
    assert "financ" not in analyzer_named("parts")(text)
