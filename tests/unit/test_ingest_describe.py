"""The describer: what it asks, when it asks again, and what comes of a table in the end."""

import asyncio
import json
import logging
import re

import pytest
from fakes_llm import FakeLLM, reply

from ingest.describe.budget import MIN_LEFT_TOKENS
from ingest.describe.describer import DescribeSettings, LlmDescriber
from ingest.describe.opening import SMALL_MODEL, describe_settings, open_describer
from ingest.describe.prompt import fixed_part, fixed_tokens
from ingest.describe.schema import description_schema
from ingest.describe.tokens import estimated_tokens
from ingest.steps import DescribeOutcome
from polaris_search.errors import ServiceUnreachable
from polaris_search.llm.failures import ChatTroubled, PromptTooLong
from polaris_search.records import Column, Description, Expansion, RawTable
from polaris_search.settings import read_settings

DOGS = Description(
    "Dogs kept in kennels",
    "pets, animal care",
    "planning kennels",
    "hounds, puppies",
    "dog, breed, owner",
    "One row for each dog",
)
TABLE = RawTable("t1", "dg_knl", (Column("brd"), Column("ownr")))
ENGLISH = Expansion("dog kennel", ("breed", "owner"))


def as_json(description=DOGS, **changes) -> str:
    fields = {name: getattr(description, name) for name in description.__slots__}
    return json.dumps(fields | changes)


def word_of(number: int) -> str:
    """Return a word for each number; no three share a beginning of letters and digits."""
    letters = "abcdefghijklmnopqrst"
    return "".join(letters[number // 20**place % 20] for place in range(4))


def describe(llm: FakeLLM, table=TABLE, expansion=ENGLISH, **settings) -> DescribeOutcome:
    async def run():
        return await LlmDescriber(llm, DescribeSettings(**settings)).describe(table, expansion)

    return asyncio.run(run())


def test_table_is_described_in_one_call():
    llm = FakeLLM()
    llm.enqueue(reply(as_json(), prompt_tokens=300, completion_tokens=80))

    outcome = describe(llm)

    assert outcome == DescribeOutcome(DOGS, None, 300, 80, seed=42, temperature=0.5)
    (asked,) = llm.asked
    assert (asked.temperature, asked.top_p, asked.top_k, asked.seed) == (0.5, 0.9, 50, 42)
    assert "dog kennel" in asked.messages[-1].content


def test_names_are_shown_as_given_where_they_are_not_expanded():
    llm = FakeLLM()

    describe(llm, expansion=None)

    assert "name: dg_knl\ncolumns: brd, ownr" in llm.asked[0].messages[-1].content


def test_cut_reply_is_asked_for_again_with_more_room():
    llm = FakeLLM()
    llm.enqueue(reply(as_json()[:50], "length", 300, 160), reply(as_json(), "stop", 300, 200))

    outcome = describe(llm, max_tokens=160)

    assert outcome == DescribeOutcome(DOGS, None, 300 + 300, 160 + 200, seed=42, temperature=0.5)
    assert [asked.max_tokens for asked in llm.asked] == [160, 2 * 160]
    assert [asked.seed for asked in llm.asked] == [42, 42]


def test_reply_that_is_cut_twice_fails_and_nothing_of_it_is_kept():
    llm = FakeLLM()
    llm.enqueue(*[reply(as_json()[:50], "length", completion_tokens=160)] * 2)

    outcome = describe(llm, max_tokens=160)

    assert outcome.description is None
    assert outcome.reason.startswith("cut_off: ")
    assert "POLARIS_LLM_MAX_TOKENS" in outcome.reason
    assert len(llm.asked) == 2


def test_unusable_reply_is_asked_for_again_with_another_seed():
    llm = FakeLLM()
    llm.enqueue(reply("I cannot."), reply(as_json()))

    outcome = describe(llm)

    assert outcome.description == DOGS
    assert [asked.seed for asked in llm.asked] == [42, 43]


def test_reply_that_is_cut_and_then_unusable_has_one_more_chance():
    llm = FakeLLM()
    llm.enqueue(reply("{", "length"), reply("No."), reply(as_json()))

    outcome = describe(llm, max_tokens=160)

    assert outcome.description == DOGS
    assert [(asked.max_tokens, asked.seed) for asked in llm.asked] == [
        (160, 42),
        (320, 42),
        (320, 43),
    ]


def test_table_is_given_up_with_the_reason_after_three_unusable_replies():
    llm = FakeLLM()
    llm.enqueue(*[reply(as_json(keywords_and_themes="see http://x.example"))] * 3)

    outcome = describe(llm)

    assert outcome.description is None
    assert outcome.reason == "link: A field holds a link: 'http://x.example'."
    assert outcome.completion_tokens == 3 * 20
    assert [(asked.seed, asked.temperature) for asked in llm.asked] == [
        (seed, 0.5) for seed in (42, 43, 44)
    ]


def test_prompt_that_is_too_long_is_asked_again_with_half_of_the_table():
    table = RawTable("wide", "w", tuple(Column(word_of(n)) for n in range(9000)))
    llm = FakeLLM()
    llm.enqueue(PromptTooLong(400, "Too long."), PromptTooLong(400, "Too long."), reply(as_json()))

    outcome = describe(llm, table, None, table_tokens=1600)

    sizes = [len(asked.messages[-1].content) for asked in llm.asked]
    assert outcome.description == DOGS
    assert sizes[1] < 0.6 * sizes[0]
    assert sizes[2] < 0.6 * sizes[1]


def test_prompt_that_stays_too_long_fails_the_table_only():
    llm = FakeLLM()
    llm.enqueue(*[PromptTooLong(400, "The prompt is too long.")] * 3)

    assert describe(llm).reason == "The prompt is too long."


def test_failing_server_is_a_reason_and_tokens_spent_are_counted():
    llm = FakeLLM()
    llm.enqueue(reply("No.", completion_tokens=2), ChatTroubled("server_error", "It failed."))

    assert describe(llm) == DescribeOutcome(None, "It failed.", 100, 2)


def test_server_that_is_not_there_is_said_by_the_error():
    llm = FakeLLM()
    llm.enqueue(ServiceUnreachable("Not there."))

    with pytest.raises(ServiceUnreachable):
        describe(llm)


def test_wide_table_is_shown_in_groups_within_the_budget():
    table = RawTable("wide", "readings", tuple(Column(f"sensor {n:04}") for n in range(5000)))
    llm = FakeLLM()
    llm.enqueue(reply(as_json()))

    outcome = describe(llm, table, None, table_tokens=300)

    shown = llm.asked[0].messages[-1].content
    assert "columns: sensor 0000 to sensor 4999 (5,000 columns)" in shown
    assert outcome.notices == ("The model was shown columns in groups.",)


def test_columns_of_a_wide_table_that_share_nothing_are_counted_where_they_are_not_shown():
    table = RawTable("wide", "w", tuple(Column(word_of(n)) for n in range(5000)))
    llm = FakeLLM()
    llm.enqueue(reply(as_json()))

    outcome = describe(llm, table, None, table_tokens=300)

    shown = llm.asked[0].messages[-1].content
    (columns,) = re.findall("columns: (.*)", shown)
    left_out = 5000 - columns.count(",") + f"{5000:,}".count(",") - 1
    assert columns.endswith(f" and {left_out:,} more columns")
    assert estimated_tokens(shown) <= 300
    assert outcome.notices == (f"The model was not shown {left_out:,} more columns.",)


def test_table_leaves_room_for_prompt_and_reply_in_a_small_context():
    table = RawTable("wide", "readings", tuple(Column(word_of(n)) for n in range(5000)))
    llm = FakeLLM(context_tokens=fixed_tokens() + 2 * 160 + 200)

    describe(llm, table, None, max_tokens=160, table_tokens=1500)

    assert estimated_tokens(llm.asked[0].messages[-1].content) <= 200


def test_reply_and_its_texts_are_shorter_where_the_context_is_very_short():
    llm = FakeLLM(context_tokens=fixed_tokens() + 240)

    describe(llm, max_tokens=700)

    (asked,) = llm.asked
    # a third of 240 is the table's
    assert asked.max_tokens == 240 - 80
    assert asked.schema == description_schema(240 - 80)


def test_context_without_room_fails_the_table_and_says_what_is_needed():
    llm = FakeLLM(context_tokens=256)

    outcome = describe(llm)

    assert llm.asked == []
    assert outcome.reason == (
        "The model's context of 256 tokens is too short for a description. "
        f"Serve it with at least {fixed_tokens() + MIN_LEFT_TOKENS:,}."
    )


@pytest.mark.parametrize(
    ("texts", "fault"),
    [
        (["dogs and more dogs"] * 6, "near_equal_fields"),
        (["dog dog dog dog dog", "dog cat cat", "ox", "dog", "dog cat", "dog"], "repeats_words"),
        (["dogs 1", "cats 2", "1 ox", "2 oxen", "3 geese", "4 hens"], "digits"),
    ],
)
def test_poor_text_is_asked_for_again_with_other_seeds_and_warmer_then_given_up(texts, fault):
    poor = reply(json.dumps(dict(zip(DOGS.__slots__, texts, strict=True))))
    mended, given_up = FakeLLM(), FakeLLM()
    mended.enqueue(poor, poor, reply(as_json()))
    given_up.enqueue(*[poor] * 6)

    assert describe(mended).description == DOGS
    outcome = describe(given_up)

    assert outcome.description is None
    assert outcome.reason.startswith(f"{fault}: ")
    assert [(asked.seed, asked.temperature) for asked in given_up.asked] == [
        (42, 0.5),
        *((seed, 0.5 + 0.4) for seed in (43, 44, 45, 46, 47)),
    ]


def test_estimate_tells_what_the_describer_then_asks():
    llm = FakeLLM()
    describer = LlmDescriber(llm)

    estimate = describer.estimate(TABLE, ENGLISH)
    asyncio.run(describer.describe(TABLE, ENGLISH))

    sent = sum(estimated_tokens(turn.content) for turn in llm.asked[0].messages)
    assert (estimate.tables, estimate.calls) == (1, len(llm.asked))
    assert estimate.shared_tokens == fixed_tokens()
    assert sent < estimate.shared_tokens + estimate.prompt_tokens < 1.2 * sent
    assert describer.prompt_use.prompts == 1
    assert describer.prompt_use.shared_share == pytest.approx(
        estimate.shared_tokens / (estimate.shared_tokens + estimate.prompt_tokens), abs=0.01
    )


def test_model_is_told_once_what_every_prompt_begins_with():
    llm = FakeLLM()

    async def run():
        describer = LlmDescriber(llm)
        await asyncio.gather(*(describer.describe(TABLE, ENGLISH) for _ in range(5)))
        await describer.close()

    asyncio.run(run())

    assert llm.begun == [fixed_part()]
    assert all(asked.messages[: len(fixed_part())] == fixed_part() for asked in llm.asked)
    assert llm.closed


def test_version_changes_with_all_that_shapes_a_description():
    versions = {
        LlmDescriber(FakeLLM()).version,
        LlmDescriber(FakeLLM("other")).version,
        LlmDescriber(FakeLLM(adapter="night-1")).version,
        LlmDescriber(FakeLLM(), DescribeSettings(seed=43)).version,
        LlmDescriber(FakeLLM(), DescribeSettings(max_tokens=160)).version,
    }

    assert len(versions) == 5
    assert LlmDescriber(FakeLLM()).version in versions


def test_prompt_version_is_pinned():
    # A new prompt makes every description stale: change this on purpose only.
    assert LlmDescriber(FakeLLM()).prompt_version == "b5ebce529f37"


def test_small_local_model_is_given_little_room_and_another_as_much_as_is_set():
    small = read_settings({"POLARIS_LLM_KIND": "local"})
    own = read_settings({"POLARIS_LLM_KIND": "local", "POLARIS_LOCAL_MODEL": "/models/big.gguf"})

    assert describe_settings(small) == SMALL_MODEL
    assert describe_settings(own).max_tokens == 700


def test_no_describer_is_opened_where_no_model_is_set():
    assert open_describer(read_settings({})) is None


def test_describing_logs_no_table_text(caplog):
    llm = FakeLLM()

    with caplog.at_level(logging.DEBUG):
        describe(llm)

    assert "dog kennel" not in caplog.text
