"""The packed row and the rows beside it, by hand."""

import pytest

pytestmark = pytest.mark.train


def example(prompt, chosen, rejected, **more):
    return {"prompt_ids": prompt, "chosen_ids": chosen, "rejected_ids": rejected, **more}


def batch_of(*examples, max_length=None):
    from trainer.training.shared_prompt.collator import SharedPromptCollator

    return SharedPromptCollator(max_length)(examples)


def row_of(batch):
    from trainer.training.shared_prompt.packed_row import PackedRow

    return PackedRow.from_batch(batch["shared_prompt_row"])


TWO = (example([1, 2, 3], [4, 5], [6]), example([7], [8], [9, 10]))


def test_a_prompt_stands_once_and_both_replies_go_on_behind_it():
    row = row_of(batch_of(*TWO))

    assert row.input_ids.tolist() == [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]
    assert row.position_ids.tolist() == [[0, 1, 2, 3, 4, 3, 0, 1, 1, 2]]


def test_trl_sees_replies_behind_the_last_token_of_their_prompts():
    batch = batch_of(*TWO)

    assert batch["input_ids"].tolist() == [[3, 4, 5], [7, 8, 0], [3, 6, 0], [7, 9, 10]]
    assert batch["completion_mask"].tolist() == [[0, 1, 1], [0, 1, 0], [0, 1, 0], [0, 1, 1]]
    assert int(batch["attention_mask"].sum()) == 10


def test_every_token_that_trl_sees_has_its_place_in_the_row():
    batch = batch_of(*TWO)
    row = row_of(batch)

    assert row.scored_places.tolist() == [[2, 3, 4], [6, 7, 0], [2, 5, 0], [6, 8, 9]]
    seen = row.input_ids[0][row.scored_places]
    padding = batch["completion_mask"] == 0
    padding[:, 0] = False
    assert (seen[~padding] == batch["input_ids"][~padding]).all()


def test_the_end_of_a_reply_is_cut_where_prompt_and_reply_are_too_long():
    batch = batch_of(example([1, 2, 3], [4, 5, 6], [7]), max_length=5)

    assert row_of(batch).input_ids.tolist() == [[1, 2, 3, 4, 5, 7]]
    assert batch["input_ids"].tolist() == [[3, 4, 5], [3, 7, 0]]


def test_a_prompt_that_fills_the_length_leaves_no_reply():
    batch = batch_of(example([1, 2, 3], [4], [5]), max_length=2)

    assert row_of(batch).input_ids.tolist() == [[1, 2]]
    assert batch["completion_mask"].sum() == 0


def test_a_pair_without_a_prompt_is_a_row_of_replies():
    row = row_of(batch_of(example([], [4, 5], [6])))

    assert row.position_ids.tolist() == [[0, 1, 0]]
    assert row.scored_places.tolist() == [[0, 1], [2, 0]]


def test_reference_log_probabilities_come_along():
    batch = batch_of(example([1], [2], [3], ref_chosen_logps=-1.5, ref_rejected_logps=-2.5))

    assert batch["ref_chosen_logps"].tolist() == [-1.5]
    assert batch["ref_rejected_logps"].tolist() == [-2.5]


def test_examples_are_not_changed():
    pair = example([1, 2], [3, 4], [5])

    batch_of(pair, max_length=3)

    assert pair == example([1, 2], [3, 4], [5])
