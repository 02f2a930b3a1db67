"""What asking took, and what more of it would cost: sums that can be done by hand."""

import pytest
from timed_llm import TimedServer, ask_all, busy, gone, model_on, well
from virtual_time import run

from polaris_search.llm.cost import Cost, Speed, cost, speed_of
from polaris_search.llm.failures import ChatRefused
from polaris_search.llm.model import ChatReply, Usage
from polaris_search.llm.usage import Latencies, Meter


def used(server: TimedServer, times: int, **client) -> Usage:
    async def asked():
        model = model_on(server, **client)
        await ask_all(model, times)
        return model.usage()

    return run(asked())


def test_requests_and_tokens_of_all_replies_are_counted():
    usage = used(TimedServer(well), 20, concurrency=4)

    # Four at a time, each of a second: five rounds.
    assert (usage.requests, usage.failed, usage.retries, usage.refused) == (20, 0, 0, 0)
    assert (usage.prompt_tokens, usage.completion_tokens) == (20 * 11, 20 * 3)
    assert usage.most_at_a_time == 4
    assert usage.busy_s == pytest.approx(5.0)
    assert usage.latency_p50_s == pytest.approx(1.0, rel=0.01)


def test_attempts_beyond_the_first_are_retries_and_those_turned_away_are_refused():
    server = TimedServer(lambda _: busy() if len(server.began) in (1, 3) else 1.0)

    usage = used(server, 1)

    # 429, answered on the second attempt: one request, one retry, one refusal.
    assert (usage.requests, usage.retries, usage.refused) == (1, 1, 1)


def test_requests_without_a_reply_have_failed():
    refusal = ChatRefused(400, "http://it refuses the request (HTTP 400): odd.")

    assert used(TimedServer(lambda _: refusal), 5).failed == 5
    assert used(TimedServer(gone), 5).failed == 5


def test_cached_prompt_tokens_are_unknown_until_a_reply_tells_them():
    meter = Meter()
    meter.answered(ChatReply("x", "stop", 100, 10, "m"), 1.0)
    assert meter.usage(0.0).cached_prompt_tokens is None

    meter.answered(ChatReply("x", "stop", 100, 10, "m", cached_prompt_tokens=0), 1.0)
    meter.answered(ChatReply("x", "stop", 100, 10, "m", cached_prompt_tokens=90), 1.0)

    assert meter.usage(0.0).cached_prompt_tokens == 90


def test_time_without_requests_is_not_busy():
    meter = Meter()
    for began, ended in ((0.0, 2.0), (10.0, 11.0)):
        meter.began(began, again=False)
        meter.ended(ended)
    meter.began(20.0, again=False)

    assert meter.usage(24.0).busy_s == 2.0 + 1.0 + 4.0


def test_quantiles_are_within_one_percent():
    latencies = Latencies()
    for thousandth in range(1, 1001):
        latencies.add(thousandth / 1000 * 60)

    assert latencies.quantile(0.5) == pytest.approx(30.0, rel=0.01)
    assert latencies.quantile(0.95) == pytest.approx(57.0, rel=0.01)
    assert Latencies().quantile(0.5) is None


def test_however_many_latencies_there_are_they_take_the_room_of_their_classes():
    latencies = Latencies()
    for n in range(20_000):
        latencies.add(0.001 * 1.0007**n)  # up to 1,200 s

    # 1.02 ** 708 is 1,200,000, from a millisecond to 1,200 s.
    assert len(latencies._counts) <= 709


def test_a_cost_is_a_sum_and_its_time_that_of_the_tokens_written():
    found = cost(
        1_000,
        shared_prompt_tokens=500_000,
        own_prompt_tokens=200_000,
        completion_tokens=300_000,
        speed=Speed(calls_a_s=2.0, completion_tokens_a_s=1_500.0),
    )

    assert found == Cost(1_000, 700_000, 500_000, 300_000, 300_000 / 1_500)


def test_a_cost_without_known_replies_takes_the_time_of_its_calls():
    found = cost(
        1_000,
        shared_prompt_tokens=0,
        own_prompt_tokens=10,
        completion_tokens=0,
        speed=Speed(calls_a_s=2.0, completion_tokens_a_s=1_500.0),
    )

    assert found.seconds == 1_000 / 2


def test_where_no_speed_was_measured_no_time_is_claimed():
    found = cost(1, shared_prompt_tokens=1, own_prompt_tokens=1, completion_tokens=1)

    assert found.seconds is None
    assert speed_of(Usage()) is None


def test_a_speed_is_what_was_answered_in_the_time_it_took():
    usage = Usage(requests=12, failed=2, completion_tokens=3_000, busy_s=20.0)

    assert speed_of(usage) == Speed(10 / 20, 3_000 / 20)
