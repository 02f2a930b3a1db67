"""Which queries are judged by themselves, and which table each of them asks for."""

from polaris_search.evaluate.dataset import Dataset
from polaris_search.evaluate.gate.groups import (
    RARE_TABLES,
    RARE_WORDS,
    groups_of,
    table_of_each,
)


def dataset(queries, qrels):
    return Dataset("data", queries, {query: qrels.get(query, {}) for query in queries})


def test_a_query_asks_for_its_most_relevant_table():
    data = dataset({"q": "x"}, {"q": {"a": 0.5, "b": 2.0, "c": 0.0}})

    assert table_of_each(data, ["q"]) == {"q": "b"}


def test_among_equals_it_is_the_table_that_most_queries_ask_for_then_the_first_by_id():
    data = dataset(
        {"p": "x", "q": "y", "r": "z"},
        {"p": {"a": 1, "c": 1}, "q": {"c": 1}, "r": {"e": 1, "d": 1}},
    )

    assert table_of_each(data, ["p", "q", "r"]) == {"p": "c", "q": "c", "r": "d"}


def test_a_query_without_a_relevant_table_asks_for_none():
    data = dataset({"q": "x", "r": "y"}, {"q": {"a": 0.0}})

    assert table_of_each(data, ["q", "r"]) == {}


def test_the_third_with_the_rarest_words_is_a_group():
    queries = {f"q{n}": "river boat" for n in range(6)} | {f"r{n}": f"word{n}" for n in range(3)}
    data = dataset(queries, {query: {"a": 1} for query in queries})

    groups = groups_of(data, table_of_each(data, list(queries)))

    assert groups[RARE_WORDS] == ("r0", "r1", "r2")


def test_how_rare_a_word_is_is_counted_in_all_queries_not_only_in_those_held_out():
    queries = {f"q{n}": "ledger" for n in range(9)} | {"a": "ledger", "b": "boat", "c": "toll"}
    queries["d"] = "toll"
    data = dataset(queries, {query: {"t": 1} for query in queries})

    groups = groups_of(data, table_of_each(data, ["a", "b", "c"]))

    assert groups[RARE_WORDS] == ("b",)


def test_queries_for_seldom_asked_tables_are_a_group_ties_left_out_that_make_it_most():
    often = {f"q{n}": f"t{n // 4}" for n in range(16)}
    seldom = {"r0": "s0", "r1": "s1"}
    data = dataset(
        dict.fromkeys(often | seldom, "x"),
        {query: {table: 1} for query, table in (often | seldom).items()},
    )

    groups = groups_of(data, table_of_each(data, list(often | seldom)))

    assert groups[RARE_TABLES] == ("r0", "r1")


def test_where_all_are_alike_there_is_no_group():
    queries = {f"q{n}": "x" for n in range(9)}
    data = dataset(queries, {query: {f"t{query}": 1} for query in queries})

    assert groups_of(data, table_of_each(data, list(queries))) == {}
