"""A server that is away for a while loses nothing; one that is away for good costs a bounded time.

In virtual time: what would take hours takes none.
"""

import asyncio

import pytest
from asking_llm import HELLO
from timed_llm import (
    DEADLINE_S,
    REPLY,
    TIMEOUT_S,
    TimedServer,
    ask_all,
    busy,
    failing,
    gone,
    hangs,
    model_on,
    well,
)
from virtual_time import clock, run

from polaris_search.errors import ServiceUnreachable
from polaris_search.llm.failures import ChatRefused, ChatTroubled
from polaris_search.llm.model import ChatReply
from polaris_search.llm.traffic.circuit import LIMIT, LONGEST_PAUSE_S
from polaris_search.llm.traffic.server import LONGEST_REST_S


def odd(_):
    return ChatRefused(400, "http://it refuses the request (HTTP 400): odd.")


async def timed(model, times):
    began = clock()
    answers = await ask_all(model, times)
    return answers, clock() - began


@pytest.mark.parametrize("trouble", [gone, failing, lambda _: busy(), lambda _: busy(7.0)])
@pytest.mark.parametrize("concurrency", [1, 16])
def test_a_server_that_is_ill_for_twenty_seconds_loses_no_request(trouble, concurrency):
    server = TimedServer(lambda now: trouble(now) if now < 20 else 1.0)

    answers = run(ask_all(model_on(server, concurrency=concurrency), 40))

    assert answers == [REPLY] * 40


@pytest.mark.parametrize("concurrency", [1, 4, 64])
def test_a_server_that_starts_again_in_three_minutes_loses_no_request(concurrency):
    server = TimedServer(lambda now: gone(now) if 10 < now < 190 else 1.0)

    answers = run(ask_all(model_on(server, concurrency=concurrency), 200))

    assert answers == [REPLY] * 200


def test_a_caller_that_asks_one_by_one_loses_no_request_to_a_restart_either():
    server = TimedServer(lambda now: gone(now) if 10 < now < 190 else 1.0)
    model = model_on(server)

    async def one_by_one():
        return [await model.chat(HELLO) for _ in range(30)]

    assert run(one_by_one()) == [REPLY] * 30


@pytest.mark.parametrize("trouble", [gone, failing, hangs, lambda _: busy()])
def test_a_server_that_is_ill_for_good_ends_thousands_of_requests_in_bounded_time(trouble):
    server = TimedServer(trouble)

    answers, seconds = run(timed(model_on(server), 3_000))

    assert all(isinstance(answer, ServiceUnreachable | ChatTroubled) for answer in answers)
    assert "asked no more" in str(answers[-1])
    assert "http://it" in str(answers[-1])
    # Whoever waits does so for a deadline at most; then the attempt under way has its timeout.
    assert seconds <= DEADLINE_S + TIMEOUT_S + LONGEST_PAUSE_S
    # The first opens the breaker, with what was under way; then one at a time, less and less often.
    assert len(server.began) <= LIMIT + 8 + 8


@pytest.mark.parametrize("trouble", [gone, failing, hangs])
def test_no_call_is_made_while_the_breaker_is_open_but_one_after_each_pause(trouble):
    server = TimedServer(trouble)

    run(ask_all(model_on(server, concurrency=4, deadline_s=2_000), 100))

    # Up to the opening, requests overlap; from then on each call waits for the last one's end.
    pairs = list(zip(server.ended, server.began[1:], strict=False))[LIMIT + 4 :]
    pauses = [round(began - ended, 3) for ended, began in pairs]
    assert len(pauses) >= 5
    assert all(pause >= 2.0 for pause in pauses)
    assert pauses == sorted(pauses)


def test_a_long_run_goes_on_when_the_server_is_back_after_ten_minutes():
    server = TimedServer(lambda now: gone(now) if 100 < now < 700 else 1.0)
    model = model_on(server)

    async def long_run():
        answers = []
        for _ in range(2_000):  # each as one of ingest's tables: the next begins when it ends
            answers.append((await ask_all(model, 1))[0])
            await asyncio.sleep(1)
        return answers

    answers = run(long_run())

    lost = [answer for answer in answers if answer != REPLY]
    assert all(isinstance(answer, ServiceUnreachable) for answer in lost)
    assert answers[-1] == REPLY
    # Lost: what came after a deadline's worth of waiting, up to the next trial, one a second.
    assert len(lost) <= 600 - DEADLINE_S + LONGEST_PAUSE_S + 2


def test_a_hanging_server_takes_no_request_longer_than_its_deadline():
    server = TimedServer(hangs)
    model = model_on(server)

    async def one():
        began = clock()
        with pytest.raises((ChatTroubled, ServiceUnreachable)):
            await model.chat(HELLO)
        return clock() - began

    assert run(one()) <= DEADLINE_S


def test_an_attempt_is_cut_at_the_deadline_of_its_request():
    server = TimedServer(hangs)

    answers, seconds = run(timed(model_on(server, deadline_s=TIMEOUT_S / 2), 1))

    assert isinstance(answers[0], ChatTroubled)
    assert seconds == TIMEOUT_S / 2


@pytest.mark.parametrize("status", [401, 403, 404, 307])
def test_a_refusal_that_meets_every_request_is_not_waited_for(status):
    server = TimedServer(lambda _: ChatRefused(status, f"http://it says HTTP {status}."))

    answers, seconds = run(timed(model_on(server, concurrency=1), 1_000))

    assert len(server.began) == 3
    assert seconds < 1
    assert f"HTTP {status}" in str(answers[-1])
    assert isinstance(answers[-1], ServiceUnreachable)


def test_a_refusal_of_one_requests_content_is_no_reason_to_stop():
    server = TimedServer(lambda now: odd(now) if len(server.began) <= 9 else 1.0)

    answers = run(ask_all(model_on(server, concurrency=1), 10))

    assert answers[-1] == REPLY
    assert all(isinstance(answer, ChatRefused) for answer in answers[:9])


def test_a_quota_that_is_used_up_comes_to_an_end_with_the_servers_words():
    quota = ChatTroubled("overloaded", "http://it is busy (HTTP 429): You exceeded your quota.")
    server = TimedServer(lambda now: quota)

    answers, seconds = run(timed(model_on(server, concurrency=16), 500))

    assert seconds <= DEADLINE_S + LONGEST_PAUSE_S
    assert "You exceeded your quota." in str(answers[-1])


def test_a_rest_longer_than_any_request_may_take_is_not_waited_for():
    server = TimedServer(lambda now: busy(LONGEST_REST_S + 1))

    answers, seconds = run(timed(model_on(server, concurrency=1), 100))

    assert seconds < 1
    assert len(server.began) == 1
    assert all(isinstance(answer, ServiceUnreachable | ChatTroubled) for answer in answers)


def test_a_rest_that_the_server_asks_for_is_kept_by_every_request():
    server = TimedServer(lambda now: busy(30.0) if now < 1 else 1.0)

    answers = run(ask_all(model_on(server, concurrency=8), 50))

    assert answers == [REPLY] * 50
    assert [at for at in server.began if 0.01 < at < 30] == []


def test_a_request_that_fails_alone_is_given_up_alone():
    class Poisoned(TimedServer):
        async def ask(self, request):
            if request.seed == 3:
                self.began.append(clock())
                raise failing(clock())
            return await super().ask(request)

    answers = run(ask_all(model_on(Poisoned(well)), 200))

    assert [n for n, answer in enumerate(answers) if answer != REPLY] == [3]
    assert isinstance(answers[3], ChatTroubled)


def test_a_request_that_is_cancelled_leaves_no_trace():
    server = TimedServer(lambda now: hangs(now) if now < 10 else 1.0)
    model = model_on(server, concurrency=2)

    async def cancelled():
        asking = [asyncio.ensure_future(ask_all(model, 1)) for _ in range(6)]
        await asyncio.sleep(5)
        for one in asking:
            one.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        await asyncio.sleep(10)
        return await ask_all(model, 20)

    assert run(cancelled()) == [REPLY] * 20
    assert server.under_way == 0


def test_a_trial_that_is_cancelled_lets_the_next_request_try():
    server = TimedServer(
        lambda now: gone(now) if len(server.began) <= LIMIT else hangs(now) if now < 60 else 1.0
    )
    model = model_on(server, concurrency=1)

    async def cancelled_while_it_tries():
        trying = asyncio.ensure_future(model.chat(HELLO))
        await asyncio.sleep(59)
        trying.cancel()
        await asyncio.gather(trying, return_exceptions=True)
        await asyncio.sleep(1)
        return await model.chat(HELLO)

    assert run(cancelled_while_it_tries()) == REPLY
    assert len(server.began) == LIMIT + 2


def test_replies_stay_with_their_requests_whatever_fails():
    class Telling(TimedServer):
        async def ask(self, request):
            reply = await super().ask(request)
            return ChatReply(f"seed {request.seed}", "stop", 1, 1, reply.model)

    def a_third_fails(now):
        return (
            [failing, hangs, lambda _: busy(2.0), gone][len(server.began) % 4](now)
            if (len(server.began) * 7 % 10 < 3)
            else 1.0
        )

    server = Telling(a_third_fails)

    answers = run(ask_all(model_on(server), 300))

    assert [answer.text for answer in answers if isinstance(answer, ChatReply)] == [
        f"seed {n}" for n, answer in enumerate(answers) if isinstance(answer, ChatReply)
    ]
    assert sum(isinstance(answer, ChatReply) for answer in answers) >= 295
