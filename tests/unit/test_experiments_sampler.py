"""K candidates of one table: in one request where that can be, no two alike, traced truthfully."""

import asyncio
import json
from dataclasses import replace

from fakes_llm import FakeLLM, reply

from ingest.describe.describer import DescribeSettings
from polaris_search.experiments.sampler import Sampler
from polaris_search.llm.failures import ChatRefused
from polaris_search.records import DESCRIPTION_FIELDS, Column, RawTable

TABLE = RawTable("t1", "dg_knl", (Column("brd"), Column("ownr")))
NO_SEVERAL = ChatRefused(400, "n must be 1")


def text_on(animal):
    return json.dumps(
        {name: f"{animal} of {name.split('_')[0]}" for name in DESCRIPTION_FIELDS},
        separators=(",", ":"),
    )


def several(*texts):
    first, *others = [replace(reply(text), seed=42 + n) for n, text in enumerate(texts)]
    return replace(first, others=tuple(others))


def made(llm, k):
    return asyncio.run(Sampler(llm, DescribeSettings()).candidates(TABLE, None, k))


def test_one_request_makes_all_candidates_where_the_model_gives_several_replies():
    llm = FakeLLM(adapter="night-1")
    llm.enqueue(several(text_on("dog"), text_on("cat"), text_on("cow")))

    found = made(llm, 3)

    assert [one["text"] for one in found.candidates] == list(map(text_on, ("dog", "cat", "cow")))
    assert found.candidates[1] == {
        "text": text_on("cat"),
        "seed": 43,
        "temperature": 0.5,
        "top_p": 0.9,
        "top_k": 50,
        "model": "fake-model",
        "adapter": "night-1",
        "prompt_version": found.candidates[0]["prompt_version"],
        "request_seed": 42,
        "reply": 1,
        "n_replies": 3,
    }
    assert (len(llm.asked), found.reason, found.duplicates) == (1, None, 0)


def test_what_is_unusable_or_alike_in_one_request_is_asked_for_alone():
    llm = FakeLLM()
    llm.enqueue(
        several(text_on("dog"), text_on("dog"), "no JSON"),
        reply(text_on("dog")),
        reply(text_on("cat")),
        reply(text_on("cow")),
    )

    found = made(llm, 3)

    assert [(one["text"], one["seed"]) for one in found.candidates] == [
        (text_on("dog"), 42),
        (text_on("cat"), 152),
        (text_on("cow"), 242),
    ]
    assert [asked.n_replies for asked in llm.asked] == [3, 1, 1, 1]


def test_a_candidate_tells_the_seed_and_temperature_of_the_reply_that_was_kept():
    poor = json.dumps(dict.fromkeys(DESCRIPTION_FIELDS, "dog"))
    llm = FakeLLM()
    llm.enqueue(reply("no JSON"), reply(poor), reply(text_on("dog")))

    (one,) = made(llm, 1).candidates

    assert (one["seed"], one["temperature"]) == (44, 0.5 + 0.4)
    assert "reply" not in one


def test_a_table_whose_texts_stay_alike_has_them_and_they_are_counted():
    llm = FakeLLM()
    llm.enqueue(NO_SEVERAL, *[reply(text_on("dog"))] * 5)

    found = made(llm, 2)

    assert [one["text"] for one in found.candidates] == [text_on("dog")] * 2
    assert (found.duplicates, len(llm.asked)) == (1, 1 + 1 + 4)


def test_a_candidate_that_cannot_be_had_is_missing_and_says_why():
    llm = FakeLLM()
    llm.enqueue(NO_SEVERAL, reply(text_on("dog")), *[reply("no JSON")] * 3)

    found = made(llm, 2)

    assert [one["text"] for one in found.candidates] == [text_on("dog")]
    assert found.reason.startswith("invalid_json")


def test_the_server_reads_what_prompts_begin_with_once_whatever_the_seeds():
    llm = FakeLLM()
    llm.enqueue(NO_SEVERAL, *map(reply, map(text_on, ("dog", "cat", "cow"))))

    made(llm, 3)

    assert len(llm.begun) == 1
