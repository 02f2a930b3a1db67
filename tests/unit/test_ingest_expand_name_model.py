"""Chances of words in names, by hand: what was seen together is likelier than what was not."""

import math

import pytest

from ingest.expand.name_model import END, START, NameModel, names_in
from ingest.expand.topics import NO_TOPIC, Topics
from ingest.expand.weights import Weights, as_text, weights_of
from ingest.expand.word_index import WordIndex, holds_in_order


def model(text: str, **rarity: float) -> NameModel:
    return NameModel(names_in(text), {}, rarity, Weights())


def test_names_are_read_by_slashes_and_how_often_they_stand() -> None:
    text = "# a comment\nstart/end date, name\n2 code\n"

    assert names_in(text) == [
        [("start", "date"), ("end", "date"), ("name",)],
        [("code",), ("code",)],
    ]


def test_word_is_likelier_after_its_neighbour_than_after_another() -> None:
    names = model("order date, order date, ship date, first name")

    assert names.cost("order", "date") < names.cost("first", "date")
    assert names.cost(START, "order") < names.cost(START, "name")
    assert names.cost("date", END) < names.cost("order", END)


def test_word_of_names_is_likelier_than_one_of_english_and_that_than_one_of_neither() -> None:
    names = model("name", zebra=10.0)

    costs = [names.alone(word) for word in ("name", "zebra", "xqzt")]

    assert costs == sorted(costs)
    assert all(map(math.isfinite, costs))


def test_phrases_are_found_by_initials_with_and_without_function_words() -> None:
    names = model("date of birth, water level")

    assert names.phrases["dob"] == names.phrases["db"] == (("date", "of", "birth"),)
    assert names.phrases["wl"] == (("water", "level"),)


def test_neighbours_are_found_by_first_letter() -> None:
    names = model("order date, order day, ship date")

    assert names.after("order", "d") == ("date", "day")
    assert names.before("date", "s") == ("ship",)
    assert names.before("date", "x") == ()


@pytest.mark.parametrize(
    ("word", "short", "holds"),
    [("customer", "cstmr", True), ("customer", "csmt", False), ("customer", "customers", False)],
)
def test_letters_are_held_in_order(word: str, short: str, *, holds: bool) -> None:
    assert holds_in_order(word, short) is holds


def test_index_gives_longer_words_that_begin_alike_in_the_order_given() -> None:
    index = WordIndex(["description", "discharge", "describe", "scribe", "dscr"])

    assert index.holding("dscr") == ["description", "discharge", "describe"]
    assert index.holding("xyz") == []


def test_index_agrees_with_a_search_of_all_words() -> None:
    words = ["weight", "wright", "water", "height", "wght", "widget", "wage"]

    for short in ("wgt", "wt", "wa", "w", "hgt"):
        slow = [
            word
            for word in words
            if word[0] == short[0] and len(word) > len(short) and holds_in_order(word, short)
        ]
        assert WordIndex(words).holding(short) == slow


def test_topic_is_the_kind_of_table_that_its_words_speak_for() -> None:
    topics = Topics(names_in("home run, strike out, team id\nroom rate, hotel name\nteam id"))

    assert ("strike", "out") in topics.of(["strike", "run", "team"]).pairs
    assert topics.of(["id"]) == NO_TOPIC
    assert topics.of([]) == NO_TOPIC


def test_weights_are_read_as_they_are_written() -> None:
    weights = Weights(letter=1.25, vote=-3.0)

    assert weights_of("# a comment\n" + as_text(weights)) == weights
