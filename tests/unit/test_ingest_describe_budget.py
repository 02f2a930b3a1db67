"""A model's context is shared out among prompt, table and reply, however short it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.describe.budget import MIN_LEFT_TOKENS, Budget, budget_within


def test_unknown_context_gives_what_is_wanted_and_twice_the_reply_after_a_cut():
    assert budget_within(None, fixed=400, table=1_500, reply=700) == Budget(1_500, 700, 1_400)


def test_roomy_context_gives_the_same():
    assert budget_within(8_192, fixed=400, table=1_500, reply=700) == Budget(1_500, 700, 1_400)


def test_table_gives_way_first():
    # 3,000 - 400 = 2,600; less the reply after a cut, 1,400, leaves 1,200.
    assert budget_within(3_000, fixed=400, table=1_500, reply=700) == Budget(1_200, 700, 1_400)


def test_table_keeps_a_third_of_what_is_left_and_the_second_reply_gives_way():
    # 2,048 - 400 = 1,648: a third is 549, which leaves 1,099.
    assert budget_within(2_048, fixed=400, table=1_500, reply=700) == Budget(549, 700, 1_099)


def test_even_the_first_reply_gives_way_in_a_very_short_context():
    assert budget_within(1_000, fixed=400, table=1_500, reply=700) == Budget(200, 400, 400)


@pytest.mark.parametrize("context", [0, 400, 400 + MIN_LEFT_TOKENS - 1])
def test_context_without_room_gives_no_budget(context):
    assert budget_within(context, fixed=400, table=1_500, reply=700) is None


@given(st.integers(0, 20_000), st.integers(1, 2_000), st.integers(1, 3_000), st.integers(1, 3_000))
def test_prompt_and_reply_never_exceed_the_context(context, fixed, table, reply):
    budget = budget_within(context, fixed=fixed, table=table, reply=reply)

    if budget is not None:
        assert fixed + budget.table + max(budget.reply, budget.reply_after_cut) <= context
        assert min(budget.table, budget.reply) > 0
