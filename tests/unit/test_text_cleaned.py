"""The cleaned description holds each new word once and nothing else."""

import random

import pytest

from polaris_search.text.analysis import analyzer_named, chain_named
from polaris_search.text.casing import lower_cased
from polaris_search.text.cleaned import MIN_LETTERS, description_terms
from polaris_search.text.delimiters import holds_only_letters
from polaris_search.text.stop_words import is_stop_word

PIECES = (
    *("sales", "Sales", "REGION", "region_2", "HTTPServer", "the", "of", "a", "covid19", "doesn't"),
    *(" ", "  ", "\n", "\t", "\x0b", "\x1c", "\u00a0", "\u2003", "\u2028", "_", "-", ".", ":", "'"),
    *("\u0301", "\u200d", "\u00ad", "é", "ß", "ﬁ", "ª", "Σ", "ς", "İ", "設備", "ひ", "カ", "한국"),
    *("ก", "\U0001f600", "\U0001f1e6", "\U0001f3fd", "क्", "x" * 70, "y" * 300),
)


def by_the_definition(description, evidence):
    """Return what `description_terms` must, found token by token and remembering nothing."""
    chain = chain_named("parts")
    known = {term for text in evidence for term in chain(text)}
    words = []
    for token in (token for text in description for token in chain.tokens(text)):
        for word in () if is_stop_word(lower_cased(token)) else chain.surface(token):
            kept = len(word) >= MIN_LETTERS and holds_only_letters(word) and not is_stop_word(word)
            stems = list(chain.terms(word))
            if kept and chain(word) == stems and known.isdisjoint(stems):
                known.update(stems)
                words.append(word)
    return [" ".join(words)] if words else []


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


@pytest.mark.parametrize("seed", range(20))
def test_whatever_is_remembered_the_words_are_those_of_the_definition(seed: int) -> None:
    draw = random.Random(seed)

    def text() -> str:
        return "".join(draw.choices(PIECES, k=draw.randint(0, 30)))

    for _ in range(50):
        description, evidence = [text(), text()], [text()]
        expected = by_the_definition(description, evidence)
        assert description_terms(description, evidence) == expected, (description, evidence)
