import numpy as np
import pytest
from bm25_fields import addend, field_index, score_of

from polaris_search.bm25.score import Fixed, Scores, Terms, best_of, sum_of
from polaris_search.bm25.top import best, documents_with_any

F = np.float32


def test_a_clause_sums_its_terms_in_double_and_casts_once(tmp_path):
    index = field_index(tmp_path, ["a b c", "a", "b c d", ""])

    scores = sum_of([Terms(index, ["a", "b", "c", "nowhere"], 0.5)], 4)

    parts = [index.scores(term, 0.5).values[0] for term in "abc"]
    assert score_of(scores, 0) == F(sum(float(part) for part in parts))
    assert score_of(scores, 3) == 0


def test_a_term_that_stands_twice_in_the_query_is_one_with_twice_the_boost(tmp_path):
    index = field_index(tmp_path, ["a b", "b"], k1=0.6, b=0.3)

    twice = sum_of([Terms(index, ["a", "a"], 0.3)], 2)
    doubled = sum_of([Terms(index, ["a"], 0.6)], 2)

    assert score_of(twice, 0) == score_of(doubled, 0) > 0


def test_best_of_adds_a_tenth_of_the_other_fields_to_the_best(tmp_path):
    one = field_index(tmp_path, ["pay roll", "pay", ""], "one")
    two = field_index(tmp_path, ["2024", "", "2024 2025"], "two")
    three = field_index(tmp_path, ["roll roll", "x", ""], "three")
    query = ["pay", "roll", "2024"]
    clauses = [Terms(index, query, 1.0) for index in (one, two, three)]

    scores = best_of(clauses, 0.1, 3)

    # Document 0 matches all three: the server adds the others in double, the tie as float32 0.1.
    parts = sorted(float(score_of(sum_of([clause], 3), 0)) for clause in clauses)
    assert score_of(scores, 0) == F(parts[2] + (parts[0] + parts[1]) * float(F(0.1)))
    assert score_of(scores, 1) == score_of(sum_of(clauses[:1], 3), 1)


def test_clauses_beside_each_other_are_cast_one_by_one_then_together(tmp_path):
    one = field_index(tmp_path, ["a b", "b"], "one")
    two = field_index(tmp_path, ["c d", "d"], "two")
    first, second = Terms(one, ["a", "b"], 0.45), Terms(two, ["c", "d"], 0.15)

    scores = sum_of([first, second, Fixed(one, "a", 1000.5)], 2)

    parts = [float(score_of(sum_of([clause], 2), 0)) for clause in (first, second)]
    assert score_of(scores, 0) == F(parts[0] + parts[1] + 1000.5)


def test_a_fixed_score_is_given_where_the_term_stands_and_nowhere_else(tmp_path):
    index = field_index(tmp_path, ["a", "b", "a"])

    scores = sum_of([Fixed(index, "a", 1000.5), Fixed(index, "none", 7.5)], 3)

    assert [score_of(scores, document) for document in range(3)] == [1000.5, 0, 1000.5]


@pytest.mark.parametrize("n_documents", [3, 5000], ids=["over all documents", "over a few"])
def test_few_and_many_documents_are_summed_alike(tmp_path, n_documents):
    others = [f"other{number}" for number in range(n_documents - 3)]
    one = field_index(tmp_path, ["p q", "q r", "p p r", *others], "one")
    two = field_index(tmp_path, ["r", "", "p", *others], "two")

    total = sum_of([Terms(one, ["p", "q"], 0.5), Terms(two, ["r"], 0.25)], n_documents)
    tied = best_of([Terms(one, ["p"], 1.0), Terms(two, ["p", "r"], 1.0)], 0.1, n_documents)

    inner = F(addend(one, "p", 0.5, 0) + addend(one, "q", 0.5, 0))
    assert score_of(total, 0) == F(float(inner) + addend(two, "r", 0.25, 0))
    assert score_of(total, 1) == F(addend(one, "q", 0.5, 1))
    low, high = sorted((addend(one, "p", 1.0, 2), addend(two, "p", 1.0, 2)))
    assert score_of(tied, 2) == F(high + low * float(F(0.1)))
    assert best(total, 10).total == 3


def test_a_query_without_known_terms_matches_nothing(tmp_path):
    index = field_index(tmp_path, ["a"])

    for scores in (best_of([Terms(index, ["x"], 1.0)], 0.1, 1), sum_of([], 1)):
        assert best(scores, 10).total == 0


# The best


def test_the_best_come_first_and_equal_scores_by_number():
    scores = Scores(None, np.array([1, 3, 0, 3, 2, 3], dtype=np.float32))

    found = best(scores, 3)

    assert found.documents.tolist() == [1, 3, 5]
    assert found.scores.tolist() == [3, 3, 3]
    assert found.total == 5


def test_all_matches_come_where_fewer_match_than_are_wanted():
    scores = Scores(np.array([4, 7, 9]), np.array([1, 2, 1], dtype=np.float32))

    assert best(scores, 10).documents.tolist() == [7, 4, 9]


@pytest.mark.parametrize("size", [1, 10, 100, 999, 5000])
def test_the_best_of_many_are_those_of_a_full_sort(size):
    random = np.random.default_rng(7)
    values = random.integers(0, 50, 3000).astype(np.float32)

    found = best(Scores(None, values), size)

    order = sorted(range(3000), key=lambda number: (-values[number], number))
    assert found.documents.tolist() == [number for number in order if values[number] > 0][:size]


def test_documents_that_may_not_be_seen_are_neither_found_nor_counted():
    scores = Scores(None, np.array([5, 4, 3, 2], dtype=np.float32))

    found = best(scores, 2, allowed=np.array([False, True, False, True]))

    assert (found.documents.tolist(), found.total) == ([1, 3], 2)


def test_documents_with_any_of_the_terms_are_marked(tmp_path):
    index = field_index(tmp_path, ["csv", "sql", "", "csv", "xml"])

    assert documents_with_any(index, ["csv", "xml", "none"]).tolist() == [1, 0, 0, 1, 1]
