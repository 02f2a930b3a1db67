"""How long, repetitive and far from its table a text is, counted by hand."""

import pytest

from polaris_search.evaluate.gate.texts import (
    distinct_share,
    longest_repeat,
    n_words,
    unknown_share,
)


def test_words_of_all_texts_are_counted():
    assert n_words(["one two, three-four", "", "five"]) == 5


def test_forms_of_one_word_are_one_stem():
    assert distinct_share(["old river", "rivers, boat"]) == 3 / 4


def test_a_text_without_a_searched_word_repeats_nothing():
    assert distinct_share(["", "..."]) == 1.0


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["all words are different here"], 0),
        (["river, RIVER"], 1),
        (["the old river bank", "near the old river mouth"], 3),
        (["a b c a b c a b c"], 6),  # a b c a b c begins at the first word and at the fourth
        (["old river", "bank old", "river bank"], 1),  # not across the ends of texts
        ([], 0),
        ([""] * 6, 0),
    ],
)
def test_the_longest_phrase_that_stands_twice_is_found(texts, words):
    assert longest_repeat(texts) == words


def test_words_of_the_prompt_are_known_in_any_form_and_spelling():
    prompt = "name: RiverCrossings\ncolumns: boat_count, toll"

    # river, cross, boat and toll are known; ferry and money are not; "a" and "by" do not count.
    assert unknown_share(["crossing a river by boats", "ferry toll money"], prompt) == 2 / 6


def test_a_text_without_content_words_holds_no_unknown_ones():
    assert unknown_share(["of the", ""], "name: x") == 0.0
