import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from training_pairs import pair_of, write_pairs

from trainer.training.data.origin import read_origin
from trainer.training.data.split import groups_of, held_out_of

KEYS = st.lists(st.frozensets(st.integers(0, 12).map(str), max_size=3), max_size=30)


def test_pairs_that_share_a_query_are_of_one_group_also_by_way_of_others():
    groups = groups_of([{"a"}, {"b"}, {"c"}, {"a", "c"}, set()])

    assert groups == [[0, 2, 3], [1], [4]]


@given(KEYS, st.floats(0, 0.9), st.integers(0, 5))
def test_no_query_stands_on_both_sides_of_a_split(keys, share, seed):
    held = held_out_of(groups_of(keys), share, seed)

    inside = {key for place in held for key in keys[place]}
    outside = {key for place, own in enumerate(keys) if place not in held for key in own}
    assert not inside & outside


@given(KEYS)
def test_every_place_is_in_exactly_one_group(keys):
    places = [place for group in groups_of(keys) for place in group]

    assert sorted(places) == list(range(len(keys)))


def test_about_the_share_is_held_out_and_another_seed_holds_out_others():
    groups = [[place] for place in range(100)]

    held = [held_out_of(groups, 0.1, seed) for seed in (1, 1, 2)]

    assert [len(one) for one in held] == [10, 10, 10]
    assert held[0] == held[1] != held[2]


def test_at_least_one_group_is_held_out_where_there_are_two():
    assert len(held_out_of([[0], [1]], 0.1, 0)) == 1


def test_nothing_is_held_out_where_all_pairs_hang_together_or_nothing_was_asked_for():
    assert held_out_of([[0, 1, 2]], 0.1, 0) == frozenset()
    assert held_out_of([[0], [1]], 0.0, 0) == frozenset()
    assert held_out_of([], 0.1, 0) == frozenset()


def test_a_group_that_is_too_large_is_left_to_the_training_where_small_ones_fit():
    large = list(range(50))

    held = held_out_of([large, [50], [51], [52], [53], [54]], 0.1, 0)

    assert held == {50, 51, 52, 53, 54}


@pytest.fixture
def pairs(tmp_path):
    return write_pairs(tmp_path / "pairs.jsonl", map(pair_of, range(2)))


def record(pairs, document):
    pairs.with_name("pairs.jsonl.record.json").write_text(json.dumps(document))


def test_the_record_beside_the_pairs_says_which_queries_ranked_each(pairs):
    record(pairs, {"judgments_hash": "j", "pairs": [{"queries": ["q1"]}, {"queries": [2, "q1"]}]})

    origin = read_origin(pairs, 2)

    assert origin.judgments_hash == "j"
    assert origin.queries == (frozenset({"q1"}), frozenset({"2", "q1"}))
    assert origin.notice is None


@pytest.mark.parametrize(
    ("document", "notice"),
    [
        (None, "There is no pairs.jsonl.record.json"),
        ({"pairs": [{"queries": ["q1"]}]}, "not the record of these pairs"),
        ([], "not the record of these pairs"),
        ({"pairs": [{"queries": ["q1"]}, {}]}, "does not say which queries"),
    ],
)
def test_a_record_that_is_missing_or_of_other_pairs_is_told_and_not_used(pairs, document, notice):
    if document is not None:
        record(pairs, document)

    origin = read_origin(pairs, 2)

    assert origin.queries is None
    assert notice in origin.notice
