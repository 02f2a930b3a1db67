"""A whole search against every store: hits with reasons, and explanations that add up."""

import numpy as np
import pytest
from tables import fill, table

from polaris_search.profiles.model import profile_named
from polaris_search.search.answer import explain_hits, search_tables


@pytest.fixture
def filled(store):
    fill(
        store,
        table("hr/emp", "ActEmployees", ["EID", "SAL"], {"caption": "Payroll of 2024"}),
        table("shop/ord", "SalesOrders", ["ord_id", "SalesAmt"], {"caption": "Sales 2024"}),
        table("shop/lst", "list", ["a", "b"], {"caption": "Other"}),
    )
    return store


def test_each_hit_of_the_default_profile_is_the_sum_of_its_clauses(filled):
    profile = profile_named("default")
    answer = search_tables(filled, "sales 2024", profile)
    explained = explain_hits(filled, "sales 2024", profile, tuple(h.table_id for h in answer.hits))

    assert answer.hits[0].table_id == "shop/ord"
    for hit in answer.hits:
        parts = [part.score for part in explained[hit.table_id]]
        assert float(np.float32(sum(parts))) == pytest.approx(hit.score, rel=2e-7)


def test_each_hit_of_the_paper_profile_is_its_best_field_and_a_tenth_of_the_others(filled):
    profile = profile_named("paper")
    answer = search_tables(filled, "salesorders 2024", profile)
    explained = explain_hits(filled, "salesorders 2024", profile, ("shop/ord",))

    expansion, context = (part.score for part in explained["shop/ord"])
    best, other = max(expansion, context), min(expansion, context)

    assert answer.hits[0].score == pytest.approx(best + 0.1 * other, rel=2e-7)


def test_the_answer_counts_all_that_match_and_keeps_as_many_as_asked(filled):
    answer = search_tables(filled, "sales 2024", profile_named("paper"), size=1)

    assert (len(answer.hits), answer.total) == (1, 2)


def test_a_query_of_stop_words_alone_gives_an_empty_answer_that_says_why(filled):
    answer = search_tables(filled, "to be", profile_named("default"))

    assert answer.hits == ()
    assert "common words" in answer.notices[0]


def test_a_stop_word_that_is_a_name_is_found(filled):
    answer = search_tables(filled, "list", profile_named("default"))

    assert [hit.table_id for hit in answer.hits] == ["shop/lst"]


@pytest.mark.parametrize(
    ("query", "table_id"),
    [
        ("region", "SalesRegion"),
        ("customer id", "orders"),
        ("customerid", "orders"),
        ("dtph", "contacts"),
        ("daytime", "calls"),
        ("urine", "labs"),
        ("house prices nominal", "house_prices_nominal"),
    ],
)
def test_words_inside_identifiers_are_found_whatever_their_separators(store, query, table_id):
    # R1 and R3: PascalCase, camelCase and snake_case, in names and in columns
    fill(
        store,
        table("SalesRegion", "SalesRegion"),
        table("orders", "Orders", ["customerID", "amount"]),
        table("contacts", "Contacts", ["DTPh"]),
        table("calls", "Calls", ["daytime_phone"]),
        table("labs", "Labs", ["std_labs_albumin_urine_mgl"]),
        table("house_listing", "house_listing", ["prices", "nominal"]),
        table("house_prices_nominal", "house_prices_nominal", ["year"]),
    )

    answer = search_tables(store, query, profile_named("default"))

    assert answer.hits[0].table_id == table_id


def test_every_matched_column_is_counted(store):  # R13
    fill(store, table("t", "t", ["x_a", "x_b", "x_c", "other"]))

    (hit,) = search_tables(store, "x", profile_named("default")).hits

    assert (hit.columns.total, hit.columns.names) == (3, ("x_a", "x_b", "x_c"))
