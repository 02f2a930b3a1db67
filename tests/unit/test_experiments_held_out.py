"""Which queries a ranking leaves out for the gate: a seeded share, by what is asked."""

import pytest

from polaris_search.errors import UsageError
from polaris_search.evaluate.dataset import Dataset
from polaris_search.experiments.held_out import held_out_of, judgments_hash


def dataset(texts, unjudged=()):
    """Return a data set in which every query but the unjudged is judged once."""
    judged = [(key, f"table {key}") for key in texts if key not in unjudged]
    qrels = {key: {} for key in texts} | {key: {table: 1.0} for key, table in judged}
    return Dataset("d", texts, qrels, judged=tuple(judged))


HUNDRED = {f"q{n}": f"birds of site {n}" for n in range(100)}


def test_the_share_of_the_queries_is_held_out_in_the_data_set_s_order():
    held_out = held_out_of(dataset(HUNDRED), 0.2, seed=7)

    assert len(held_out.query_ids) == 20
    assert list(held_out.query_ids) == [one for one in HUNDRED if one in held_out.query_ids]
    assert (held_out.share, held_out.seed) == (0.2, 7)


def test_the_seed_chooses_and_the_order_of_the_queries_does_not():
    backwards = dict(reversed(HUNDRED.items()))

    one = held_out_of(dataset(HUNDRED), 0.2, seed=7)
    again = held_out_of(dataset(backwards), 0.2, seed=7)
    other = held_out_of(dataset(HUNDRED), 0.2, seed=8)

    assert set(one.query_ids) == set(again.query_ids) != set(other.query_ids)


def test_more_queries_move_few_of_those_held_out():
    fewer = dict(list(HUNDRED.items())[:80])

    before = held_out_of(dataset(fewer), 0.2, seed=7).query_ids
    after = held_out_of(dataset(HUNDRED), 0.2, seed=7).query_ids

    assert len(before) == 16
    assert len(set(before) - set(after)) <= 2


def test_queries_that_ask_the_same_stand_on_one_side():
    texts = {f"q{n}": f"{'Birds ' if n % 2 else 'birds  '}of site {n // 2}" for n in range(40)}

    held_out = set(held_out_of(dataset(texts), 0.3, seed=1).query_ids)

    assert len(held_out) == 12
    assert all((f"q{n}" in held_out) == (f"q{n + 1}" in held_out) for n in range(0, 40, 2))


def test_a_query_without_a_relevant_table_is_never_held_out():
    unjudged = [f"q{n}" for n in range(90)]

    held_out = held_out_of(dataset(HUNDRED, unjudged), 0.5, seed=1)

    assert len(held_out.query_ids) == 5
    assert not set(held_out.query_ids) & set(unjudged)


def test_a_small_share_holds_out_one_query_and_no_share_none():
    assert len(held_out_of(dataset(HUNDRED), 0.001, seed=1).query_ids) == 1
    assert held_out_of(dataset(HUNDRED), 0.0, seed=1).query_ids == ()


@pytest.mark.parametrize("share", [0.9, float("nan"), 1.0, -0.1])
def test_a_share_that_is_none_or_leaves_nothing_to_rank_by_is_refused(share):
    with pytest.raises(UsageError, match="--hold-out"):
        held_out_of(dataset({"q1": "birds", "q2": "Birds"}), share, seed=1)


def test_the_hash_of_judgments_is_of_those_that_rank():
    whole = dataset(HUNDRED)
    held_out = held_out_of(whole, 0.2, seed=7)
    left = {key: text for key, text in HUNDRED.items() if key not in held_out.query_ids}

    assert judgments_hash(whole, held_out) == judgments_hash(dataset(left))
    assert judgments_hash(whole, held_out) != judgments_hash(whole)


def test_the_hash_of_judgments_tells_grades_and_texts_apart():
    judged = (("q", "t"),)
    texts = {"q": "birds"}

    hashes = {
        judgments_hash(Dataset("d", texts, {"q": {"t": 1.0}}, judged=judged)),
        judgments_hash(Dataset("d", texts, {"q": {"t": 2.0}}, judged=judged)),
        judgments_hash(Dataset("d", {"q": "nests"}, {"q": {"t": 1.0}}, judged=judged)),
    }

    assert len(hashes) == 3
