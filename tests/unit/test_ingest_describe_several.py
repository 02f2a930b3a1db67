"""Several descriptions of one table out of one request, as far as a server gives them."""

import asyncio
import json
from dataclasses import replace

import pytest
from fakes_llm import FakeLLM, reply

from ingest.describe.describer import LlmDescriber
from polaris_search.errors import ServiceUnreachable
from polaris_search.llm.failures import ChatRefused, ChatTroubled, PromptTooLong
from polaris_search.records import DESCRIPTION_FIELDS, Column, RawTable

TABLE = RawTable("t1", "dg_knl", (Column("brd"), Column("ownr")))


def text_on(animal):
    return json.dumps({name: f"{animal} of {name.split('_')[0]}" for name in DESCRIPTION_FIELDS})


def replies(*texts, seeds=True):
    first, *others = [
        replace(reply(text), seed=42 + place if seeds else None) for place, text in enumerate(texts)
    ]
    return replace(first, others=tuple(others))


def samples(llm, *wanted):
    async def run():
        describer = LlmDescriber(llm)
        return [await describer.samples(TABLE, None, n) for n in wanted]

    return asyncio.run(run())


def n_asked(llm):
    return [asked.n_replies for asked in llm.asked]


def test_each_reply_that_is_a_description_tells_its_seed_and_its_request():
    llm = FakeLLM()
    llm.enqueue(replies(text_on("dog"), "no JSON", text_on("cat")))

    (found,) = samples(llm, 3)

    assert [one.description.dataset_overview for one in found] == [
        "dog of dataset",
        "cat of dataset",
    ]
    assert [(one.seed, one.request_seed, one.reply, one.n_replies) for one in found] == [
        (42, 42, 0, 3),
        (44, 42, 2, 3),
    ]
    assert n_asked(llm) == [3]


def test_a_reply_whose_own_seed_nobody_knows_is_traced_by_that_of_the_request():
    llm = FakeLLM()
    llm.enqueue(replies(text_on("dog"), text_on("cat"), seeds=False))

    (found,) = samples(llm, 2)

    assert [(one.seed, one.reply) for one in found] == [(42, 0), (42, 1)]


def test_a_server_that_gives_one_reply_is_asked_for_several_once():
    llm = FakeLLM()
    llm.enqueue(replies(text_on("dog")))

    first, second = samples(llm, 3, 3)

    assert (len(first), second) == (1, ())
    assert n_asked(llm) == [3]


@pytest.mark.parametrize("status", [400, 422])
def test_a_server_that_refuses_so_many_is_asked_for_half(status):
    llm = FakeLLM()
    llm.enqueue(
        ChatRefused(status, "Field 'n': Value must be between 1 <= value <= 4, but got 5"),
        replies(text_on("dog"), text_on("cat")),
        replies(text_on("cow"), text_on("pig")),
    )

    first, second = samples(llm, 5, 5)

    assert (len(first), len(second)) == (2, 2)
    assert n_asked(llm) == [5, 2, 2]


def test_a_server_that_refuses_any_number_is_asked_one_by_one_from_then_on():
    llm = FakeLLM()
    llm.enqueue(ChatRefused(400, "n must be 1"))

    assert samples(llm, 3, 3) == [(), ()]
    assert n_asked(llm) == [3]


@pytest.mark.parametrize(
    "failure",
    [PromptTooLong(400, "Too long."), ChatRefused(403, "No."), ChatTroubled("timeout", "Late.")],
)
def test_another_failure_says_nothing_about_how_many_a_server_gives(failure):
    llm = FakeLLM()
    llm.enqueue(failure, replies(text_on("dog"), text_on("cat"), text_on("cow")))

    first, second = samples(llm, 3, 3)

    assert (len(first), len(second)) == (0, 3)


def test_a_server_that_is_gone_ends_it():
    llm = FakeLLM()
    llm.enqueue(ServiceUnreachable("Gone."))

    with pytest.raises(ServiceUnreachable):
        samples(llm, 3)
