import pytest

from polaris_search.errors import UsageError
from polaris_search.profiles.model import BestFields
from polaris_search.profiles.plan import ExactClause, QueryPlan, TermsClause
from polaris_search.store.elasticsearch.query import search_body

PAPER = QueryPlan("paper", "payroll 2024", best_fields=BestFields(("description", "context"), 0.1))
SHOULD = QueryPlan(
    "default",
    "land use",
    should=(
        ExactClause("name.exact", "landuse", 1000.5),
        TermsClause("all.parts", ("land", "use", "land"), 0.5),
    ),
)


def test_best_fields_is_one_multi_match_over_the_text_as_typed():
    assert search_body(PAPER, 10)["query"] == {
        "multi_match": {
            "query": "payroll 2024",
            "fields": ["description", "context"],
            "type": "best_fields",
            "tie_breaker": 0.1,
        }
    }


def test_each_should_clause_keeps_its_own_sum_with_its_boost_and_repeated_terms():
    assert search_body(SHOULD, 10)["query"] == {
        "bool": {
            "should": [
                {
                    "constant_score": {
                        "filter": {"term": {"name.exact": {"value": "landuse"}}},
                        "boost": 1000.5,
                    }
                },
                {
                    "match": {
                        "all.parts": {
                            "query": "land use land",
                            "analyzer": "whitespace",
                            "boost": 0.5,
                        }
                    }
                },
            ],
            "minimum_should_match": 1,
        }
    }


@pytest.mark.parametrize("odd", ["a\u1680b", "b" * 128])
def test_terms_that_the_server_would_split_or_cut_are_asked_one_by_one(odd):
    plan = QueryPlan("default", odd, should=(TermsClause("all", (odd, "a"), 0.5),))

    (clause,) = search_body(plan, 10)["query"]["bool"]["should"]

    assert clause == {
        "bool": {
            "should": [{"term": {"all": {"value": odd}}}, {"term": {"all": {"value": "a"}}}],
            "boost": 0.5,
        }
    }


def test_filters_never_let_in_a_table_that_no_clause_matches():
    filters = {"source": ["snails", "spider"], "column_count": ["7"]}

    for plan in (PAPER, SHOULD):
        asked = search_body(plan, 10, filters)["query"]["bool"]
        assert asked["minimum_should_match"] == 1
        assert asked["filter"] == [
            {"terms": {"source": ["snails", "spider"]}},
            {"terms": {"column_count": [7]}},
        ]


def test_hits_come_by_score_then_table_id_all_counted_and_without_source():
    body = search_body(PAPER, 25)

    assert body["sort"] == [{"_score": {"order": "desc"}}, {"table_id": {"order": "asc"}}]
    assert (body["size"], body["track_total_hits"], body["_source"]) == (25, True, False)


@pytest.mark.parametrize("size", [0, -1, 10_001])
def test_a_size_that_the_server_cannot_give_is_refused_before_asking(size):
    with pytest.raises(UsageError, match=f"The size is {size}; from 1 to 10000"):
        search_body(PAPER, size)


def test_an_unknown_filter_names_the_known_ones():
    with pytest.raises(UsageError, match="No filter 'colour'. Choose one of: source, database"):
        search_body(PAPER, 10, {"colour": ["red"]})


def test_a_column_count_that_is_no_number_is_refused():
    with pytest.raises(UsageError, match="The filter column_count is 'many'"):
        search_body(PAPER, 10, {"column_count": ["many"]})


def test_half_a_surrogate_pair_in_a_query_does_not_break_the_request():
    plan = QueryPlan("paper", "caf\udce9", best_fields=BestFields(("context",), 0.1))

    assert search_body(plan, 10)["query"]["multi_match"]["query"] == "caf?"
