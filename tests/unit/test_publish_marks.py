"""When two models are told apart by what they write, and when nothing can be told."""

import pytest

from polaris_search.llm.wire.greedy import Greedy
from trainer.publish.marks import CanaryFailed, Marks, marks_of, quick_marks, require_adapter


def marks(*texts: str, logprobs: tuple[float, ...] | None = None) -> Marks:
    return Marks(tuple(Greedy(text, "m", logprobs) for text in texts))


BASE = marks("a", "b", "c", logprobs=(-1.0, -2.0))


def test_other_words_for_one_prompt_are_enough():
    require_adapter("night-2", marks("a", "b", "x", logprobs=(-1.0, -2.0)), (BASE, BASE), None)


def test_the_same_words_tell_by_how_likely_they_are():
    require_adapter("night-2", marks("a", "b", "c", logprobs=(-1.0, -2.01)), (BASE, BASE), None)


@pytest.mark.parametrize("moved", [0.0, 0.0009])
def test_the_same_words_as_likely_are_the_base_model(moved):
    same = marks("a", "b", "c", logprobs=(-1.0, -2.0 - moved))

    with pytest.raises(CanaryFailed, match="answers 3 fixed prompts as its base model does"):
        require_adapter("night-2", same, (BASE, BASE), None)


def test_a_base_that_moves_by_itself_sets_how_far_an_adapter_has_to():
    moved = marks("a", "b", "c", logprobs=(-1.0, -2.02))  # by 0.02: ten times that is the limit
    near = marks("a", "b", "c", logprobs=(-1.0, -2.19))
    far = marks("a", "b", "c", logprobs=(-1.0, -2.21))

    with pytest.raises(CanaryFailed, match="as its base model does"):
        require_adapter("night-2", near, (BASE, moved), None)
    require_adapter("night-2", far, (BASE, moved), None)


def test_prompts_that_the_base_answers_differently_each_time_tell_nothing():
    restless = (marks("a", "b", "c"), marks("a", "y", "z"))

    with pytest.raises(CanaryFailed, match="as its base model does"):
        require_adapter("night-2", marks("a", "q", "r"), restless, None)
    require_adapter("night-2", marks("q", "b", "c"), restless, None)


def test_a_base_that_repeats_nothing_leaves_it_unknown():
    with pytest.raises(CanaryFailed, match="cannot be found out"):
        require_adapter("night-2", marks("q"), (marks("a"), marks("b")), None)


def test_the_old_adapter_is_not_taken_for_the_new_one():
    old = marks("x", "y", "z")

    with pytest.raises(CanaryFailed, match="as the adapter before it does"):
        require_adapter("night-2", old, (BASE, BASE), old)
    require_adapter("night-2", marks("x", "y", "w"), (BASE, BASE), old)


def test_every_prompt_is_asked_and_one_is_enough_to_see_a_change():
    asked = []

    def ask(prompt: str, max_tokens: int) -> Greedy:
        asked.append(prompt)
        return Greedy(prompt, None, None)

    assert len(marks_of(ask).replies) == len(set(asked)) == 3
    assert quick_marks(ask) == Marks((Greedy(asked[0], None, None),))
