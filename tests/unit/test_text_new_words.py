"""What an expansion adds to its name, for names of any length, in bounded memory."""

import pytest

from polaris_search.text import new_words as module
from polaris_search.text.analysis import analyzer_named
from polaris_search.text.new_words import MAX_REMEMBERED_CHARS, new_words

WORDS, PARTS = analyzer_named("words"), analyzer_named("parts")


@pytest.mark.parametrize(
    ("expansion", "given", "analyzer", "added"),
    [
        ("customer number", "cust_no", WORDS, "customer number"),
        ("customer number", "customer_no", WORDS, "customer number"),  # one word as written
        ("customer number", "customer_no", PARTS, "number"),
        ("customers number", "customer no", WORDS, "number"),  # the same stem
        ("", "no", WORDS, ""),
    ],
)
def test_only_words_whose_terms_the_name_has_not_are_added(expansion, given, analyzer, added):
    assert new_words(expansion, given, analyzer) == added


def test_long_names_are_read_alike_and_not_remembered():
    given = "cust " * MAX_REMEMBERED_CHARS
    before = module._remembered.cache_info().currsize

    assert new_words("customer cust", given, WORDS) == "customer"

    assert module._remembered.cache_info().currsize == before


def test_short_names_are_remembered():
    new_words("customer", "a_name_of_this_test", WORDS)
    hits = module._remembered.cache_info().hits

    new_words("customer", "a_name_of_this_test", WORDS)

    assert module._remembered.cache_info().hits == hits + 1
