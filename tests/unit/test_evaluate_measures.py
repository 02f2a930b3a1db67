"""What nDCG and recall mean here: linear gain, grades as given, every judged table in the ideal."""

from collections.abc import Mapping, Sequence
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polaris_search.errors import UsageError
from polaris_search.evaluate.asked import DEFAULT_MEASURES, MeasureUnknown, asked_measures
from polaris_search.evaluate.grades import MAX_WHOLE_GRADE, whole_grades
from polaris_search.evaluate.measures import NothingToMeasure, evaluate_run
from polaris_search.store.protocol import ScoredTable

SECOND = 1 / log2(3)  # the discount of rank 2
THIRD = 1 / log2(4)


def run_of(**ranked: str) -> dict[str, list[ScoredTable]]:
    """A run from one letter a table, all scores tied."""
    return {
        query: [ScoredTable(table, 1.0) for table in tables] for query, tables in ranked.items()
    }


def independent_ndcg(judged: Mapping[str, float], tables: Sequence[str], k: int) -> float:
    gains = [judged.get(table, 0) for table in tables[:k]]
    ideal = sorted(judged.values(), reverse=True)[:k]
    return sum(gain / log2(i + 2) for i, gain in enumerate(gains)) / sum(
        gain / log2(i + 2) for i, gain in enumerate(ideal)
    )


def test_ndcg_discounts_by_the_log_of_the_rank():
    found = evaluate_run({"q": {"a": 2, "b": 1}}, run_of(q="xba"), ["nDCG@10"])

    assert found.means["nDCG@10"] == pytest.approx((1 * SECOND + 2 * THIRD) / (2 + 1 * SECOND))


def test_gain_is_linear_in_the_grade():
    found = evaluate_run({"q": {"a": 3, "b": 1}}, run_of(q="ba"), ["nDCG@10"])

    assert found.means["nDCG@10"] == pytest.approx((1 + 3 * SECOND) / (3 + 1 * SECOND))


def test_fractional_grades_count_as_they_are():
    judged = {"q": {"a": 1.6, "b": 0.4}}

    found = evaluate_run(judged, run_of(q="ba"), ["nDCG@10", "R@1"])

    assert found.means["nDCG@10"] == pytest.approx((0.4 + 1.6 * SECOND) / (1.6 + 0.4 * SECOND))
    assert found.means["R@1"] == 1 / 2


def test_a_fraction_below_one_alone_is_a_relevant_table():
    found = evaluate_run({"q": {"a": 0.4}}, run_of(q="xa"), ["nDCG@10", "R@10", "RR"])

    assert found.means == pytest.approx({"nDCG@10": SECOND, "R@10": 1, "RR": 1 / 2})


def test_ideal_counts_judged_tables_that_were_not_found():
    found = evaluate_run({"q": {"a": 1, "never_found": 1}}, run_of(q="a"), ["nDCG@10", "R@10"])

    assert found.means["nDCG@10"] == pytest.approx(1 / (1 + SECOND))
    assert found.means["R@10"] == 1 / 2


@pytest.mark.parametrize("other", ["a", "c", "B", "zz"])
def test_tied_scores_keep_the_order_of_the_run_whatever_the_names(other):
    found = evaluate_run({"q": {"b": 1}}, {"q": [ScoredTable("b", 1.0), ScoredTable(other, 1.0)]})

    assert found.means["nDCG@10"] == 1


def test_queries_without_a_relevant_table_are_left_out_and_counted():
    judged = {"good": {"a": 1}, "only_zeros": {"a": 0}, "unjudged": {}}

    found = evaluate_run(judged, run_of(good="a", only_zeros="a", unjudged="a"), ["nDCG@10"])

    assert (found.n_queries, found.left_out) == (1, 2)
    assert list(found.per_query) == ["good"]
    assert found.means["nDCG@10"] == 1


def test_a_query_that_found_nothing_counts_zero():
    judged = {"found": {"a": 1}, "empty": {"a": 1}, "absent": {"a": 1}}

    found = evaluate_run(judged, run_of(found="a", empty=""), ["nDCG@10", "R@100"])

    assert found.means == pytest.approx({"nDCG@10": 1 / 3, "R@100": 1 / 3})
    assert found.per_query["absent"] == {"nDCG@10": 0, "R@100": 0}


def test_a_query_that_only_the_run_has_is_ignored():
    found = evaluate_run({"q": {"a": 1}}, run_of(q="a", stray="b"), ["nDCG@10"])

    assert found.means["nDCG@10"] == 1


def test_without_any_relevant_table_there_is_nothing_to_measure():
    with pytest.raises(NothingToMeasure, match="None of 2 queries has a relevant table"):
        evaluate_run({"q": {"a": 0}, "r": {}}, run_of(q="a"))


def test_a_lowest_relevance_keeps_its_meaning_beside_fractions():
    judged = {"q": {"a": 1.6, "b": 0.4, "c": 2}}

    found = evaluate_run(judged, run_of(q="abc"), ["R(rel=2)@2", "R(rel=1)@2", "R@2"])

    assert found.means == pytest.approx({"R(rel=2)@2": 0, "R(rel=1)@2": 1 / 2, "R@2": 2 / 3})


def test_measures_come_back_in_the_order_asked_each_once():
    asked = ["R@100", "nDCG@10", "NDCG@10", "MRR@5", "Recall@100"]

    found = evaluate_run({"q": {"a": 1}}, run_of(q="a"), asked)

    assert list(found.means) == ["R@100", "nDCG@10", "RR@5"]
    assert list(found.per_query["q"]) == ["R@100", "nDCG@10", "RR@5"]


def test_the_usual_measures_are_ndcg_and_recall_at_five_cutoffs():
    found = evaluate_run({"q": {"a": 1}}, run_of(q="a"))

    assert list(found.means) == [
        f"{base}@{k}" for base in ("nDCG", "R") for k in (5, 10, 20, 50, 100)
    ]
    assert tuple(found.means) == DEFAULT_MEASURES


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("XYZ@3", "is not known"),
        ("nDCG@ten", "is not known"),
        ("R", "needs a cut-off"),
        ("nDCG@0", "outside 1 to 10000"),
        ("Rprec@5", "takes no cut-off"),
        ("nDCG(rel=2)@5", "takes no lowest relevance"),
        ("R(rel=0)@5", "every table"),
        ("", "is not known"),
    ],
)
def test_a_measure_that_cannot_be_computed_is_named_with_the_reason(name, why):
    with pytest.raises(MeasureUnknown, match=why) as refused:
        asked_measures([name])

    assert repr(name) in str(refused.value)


def test_asking_for_no_measure_is_refused():
    with pytest.raises(UsageError, match="Name at least one"):
        evaluate_run({"q": {"a": 1}}, run_of(q="a"), [])


grades = st.sampled_from([0, 0.4, 1, 1.6, 2, 2.25, 3])


@given(
    judged=st.dictionaries(st.sampled_from("abcdefgh"), grades, min_size=1).filter(
        lambda judged: any(judged.values())
    ),
    tables=st.lists(st.sampled_from("abcdefghijk"), unique=True),
    k=st.sampled_from([1, 3, 5, 10, 100]),
)
def test_ndcg_is_the_formula(judged, tables, k):
    run = {"q": [ScoredTable(table, 0.5) for table in tables]}

    found = evaluate_run({"q": judged}, run, [f"nDCG@{k}"])

    assert found.means[f"nDCG@{k}"] == pytest.approx(independent_ndcg(judged, tables, k), abs=1e-12)


def test_fractions_become_whole_numbers_by_their_common_denominator():
    whole = whole_grades({"q": {"a": 0.4, "b": 1.6, "c": 0, "d": 0.25}})

    assert whole.factor == 20
    assert whole.qrels == {"q": {"a": 8, "b": 32, "c": 0, "d": 5}}


def test_whole_grades_stay_as_they_are():
    whole = whole_grades({"q": {"a": 2.0, "b": 0.0}, "r": {}})

    assert (whole.factor, whole.qrels) == (1, {"q": {"a": 2, "b": 0}, "r": {}})


def test_grades_too_fine_for_whole_numbers_lose_less_than_a_millionth():
    judged = {"a": 1 / 3, "b": 1.0, "c": 1e-9, "d": 0.7071067811865476}

    found = evaluate_run({"q": judged}, run_of(q="cabd"), ["nDCG@10", "R@1"])

    assert found.means["nDCG@10"] == pytest.approx(independent_ndcg(judged, "cabd", 10), abs=2e-6)
    assert found.means["R@1"] == 1 / 4
    assert max(whole_grades({"q": judged}).qrels["q"].values()) == MAX_WHOLE_GRADE


def test_huge_grades_are_scaled_down():
    judged = {"a": 3e12, "b": 1e12}

    found = evaluate_run({"q": judged}, run_of(q="ba"), ["nDCG@10"])

    assert found.means["nDCG@10"] == pytest.approx((1 + 3 * SECOND) / (3 + SECOND), abs=2e-6)
