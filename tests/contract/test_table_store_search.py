"""What every store of tables finds, run against the embedded one and a real Elasticsearch."""

from collections import Counter
from math import log

import numpy as np
import pytest
from tables import fill, found, table

from polaris_search.errors import UsageError
from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query

PROFILES = ["default", "paper", "paper-single"]


def test_the_exactly_named_table_comes_first(store):  # R5
    fill(
        store,
        table("a", "dm_test_total", overview="dm_test is dm_test and dm_test again"),
        table("b", "dm_test", overview="Test dm"),
    )

    assert found(store, "dm_test")[0] == "b"
    assert found(store, "DM Test")[0] == "b"


ODD_QUERIES = [
    "datasets/gov/lrsk/acts", "/foo", "a/b", "//", "something, something", "(", '"a*', "&",
    "AND OR", "NOT", "foo:bar", "\\", "[a TO b]", "{", "a^2~", "!", "-x", "", "  ", "\t\n", "💼",
    "维修", "…", "%s %d {}", "<b>x</b>", "\u200b", "\u0301", "\ufeff", "a\u3000b\u1680c", "\0",
    "a\0b", "q" * 70_000, "word " * 14_000, "a-b_c.d/" * 8_750, "维" * 70_000, "x1Y2" * 17_500,
    "💼" * 300,
    " ".join(f"word{number}" for number in range(9_000)), "ß" * 255 + " " + "㎏" * 100, "caf\udce9",
]  # fmt: skip


@pytest.mark.parametrize("profile", PROFILES)
def test_no_query_text_is_an_error(store, profile):  # R6 R7
    fill(store, table("a", "alpha", ["foo", "bar"], {"k": "a b c"}, "a word"), table("b", "beta"))

    for query in ODD_QUERIES:
        assert set(found(store, query, profile)) <= {"a", "b"}, query[:50]


@pytest.mark.parametrize("query", ["datasets/gov/lrsk/acts", "lrsk / acts", "acts/document"])
def test_slashes_in_names_and_queries_find_the_table(store, query):  # R6
    fill(
        store,
        table("datasets/gov/lrsk/acts/Document", "datasets/gov/lrsk/acts/Document"),
        table("datasets/gov/other", "datasets/gov/other"),
    )

    assert found(store, query)[0] == "datasets/gov/lrsk/acts/Document"


@pytest.mark.parametrize(
    "query", ["something, something", '"something*', "(something)", "some:thing"]
)
def test_punctuation_in_a_query_finds_what_its_words_find(store, query):  # R7
    fill(store, table("a", "something"), table("b", "some thing"), table("c", "other"))

    assert "c" not in found(store, query)
    assert found(store, query) != []


def test_a_longer_chinese_query_finds_what_a_shorter_one_finds(store):  # R8
    fill(store, table("a", "t1", context={"caption": "设备维修信息表"}), table("b", "t2"))

    for profile in ("default", "paper"):
        assert found(store, "维修", profile) == ["a"]
        assert found(store, "维修信息", profile) == ["a"]


def test_accents_are_found_as_people_type_them(store):  # R9
    composed = table("a", "t1", context={"title": "Áreas Hidrográficas de Colombia"})
    decomposed = table("b", "t2", context={"title": "A\u0301reas Hidrogra\u0301ficas de Colombia"})
    fill(store, composed, decomposed, table("c", "t3"))

    for query in ("areas hidrograficas", "Áreas Hidrográficas", "A\u0301reas", "AREAS"):
        assert sorted(found(store, query)) == ["a", "b"]


def test_common_words_that_name_something_are_found(store):  # R12
    fill(store, table("a", "assay", ["NO_ppm"]), table("b", "IT_assets"), table("c", "other"))

    assert found(store, "no") == ["a"]
    assert found(store, "IT") == ["b"]
    assert found(store, "to be") == []


def test_paper_scores_the_best_field_plus_a_tenth_of_the_others(store):  # R15
    # Texts of one word: a field's score is its idf, ln(1 + (n - df + 0.5) / (df + 0.5)).
    fill(
        store,
        table("both", "alpha", context={"year": "2024"}, overview="payroll"),
        table("other", "beta", context={"year": "2023"}, overview="sales"),
        table("bare", "gamma", context={"year": "2022"}),
    )
    in_description = log(
        1 + (2 - 1 + 0.5) / (1 + 0.5)
    )  # n = 2: an empty description does not count
    in_context = log(1 + (3 - 1 + 0.5) / (1 + 0.5))

    result = store.search(plan_query(profile_named("paper"), "payroll 2024"), 10)

    (hit,) = result.hits
    assert hit.table_id == "both"
    assert hit.score == pytest.approx(in_context + 0.1 * in_description, rel=1e-6)


@pytest.mark.parametrize("profile", PROFILES)
def test_ties_come_by_table_id_and_a_smaller_size_is_the_beginning(store, profile):
    ids = [f"t{number:02}" for number in range(30)]
    tables = [table(table_id, "zebra", overview="zebra") for table_id in reversed(ids)]
    fill(store, *tables, table("best", "zebra", ["zebra"], overview="zebra"))

    everything = found(store, "zebra", profile)

    assert Counter(everything) == Counter([*ids, "best"])
    assert [table_id for table_id in everything if table_id != "best"] == ids
    assert found(store, "zebra", profile, size=7) == everything[:7]


def test_total_counts_every_match_whatever_the_size(store):
    fill(store, *(table(f"t{number:02}", "zebra") for number in range(30)), table("x", "yak"))

    result = store.search(plan_query(profile_named("default"), "zebra"), 5)

    assert (len(result.hits), result.total) == (5, 30)


def test_scores_are_float32_in_their_shortest_decimal(store):
    fill(store, table("a", "zebra crossing"), table("b", "zebra"), table("c", "yak"))

    hits = store.search(plan_query(profile_named("default"), "zebra crossing"), 10).hits

    assert [float(str(np.float32(hit.score))) for hit in hits] == [hit.score for hit in hits]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_plan_that_asks_nothing_finds_nothing(store, profile):
    fill(store, table("a", "zebra", overview="zebra"))

    result = store.search(plan_query(profile_named(profile), " "), 10)

    assert (result.hits, result.total) == ((), 0)


# Filters


@pytest.fixture
def filtered(store):
    fill(
        store,
        table("a", "zebra", ["c1"], source="s1", database="d1", access=("hr",), overview="zebra"),
        table("b", "zebra", ["c1", "c2"], source="s2", database="d1", access=("hr", "it")),
        table("c", "zebra", source="s3", format="csv", language="en", schema="x"),
        table("d", "yak", source="s1", overview="yak"),
    )
    return store


@pytest.mark.parametrize("profile", ["default", "paper"])
@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"source": ["s1"]}, {"a"}),
        ({"source": ["s1", "s2"]}, {"a", "b"}),
        ({"source": ["s1", "s2"], "database": ["d1"], "access": ["it"]}, {"b"}),
        ({"access": ["hr"]}, {"a", "b"}),
        ({"column_count": ["2", "0"]}, {"b", "c"}),
        ({"format": ["csv"], "language": ["en"], "schema": ["x"]}, {"c"}),
        ({"source": ["S1"]}, set()),
        ({"source": ["nowhere"]}, set()),
        ({"source": []}, set()),
        ({}, {"a", "b", "c"}),
    ],
    ids=str,
)
def test_filters_keep_the_tables_that_pass_each_of_them(filtered, profile, filters, expected):
    result = filtered.search(plan_query(profile_named(profile), "zebra"), 10, filters)

    assert {hit.table_id for hit in result.hits} == expected
    assert result.total == len(expected)


@pytest.mark.parametrize("profile", PROFILES)
def test_a_filter_changes_no_score(filtered, profile):
    plan = plan_query(profile_named(profile), "zebra yak")
    without = {hit.table_id: hit.score for hit in filtered.search(plan, 10).hits}

    hits = filtered.search(plan, 10, {"source": ["s1"]}).hits

    assert {hit.table_id: hit.score for hit in hits} == {key: without[key] for key in ("a", "d")}


@pytest.mark.parametrize(
    ("size", "filters", "message"),
    [
        (0, {}, "The size is 0"),
        (10, {"colour": ["red"]}, "No filter 'colour'. Choose one of: source"),
        (10, {"column_count": ["many"]}, "The filter column_count is .*many"),
    ],
)
def test_a_search_that_cannot_be_meant_is_refused(filtered, size, filters, message):
    with pytest.raises(UsageError, match=message):
        filtered.search(plan_query(profile_named("paper"), "zebra"), size, filters)
