"""Several servers: the least busy is asked, one in trouble is left out, none is asked too much."""

import asyncio
from dataclasses import replace

import pytest
from asking_llm import HELLO
from timed_llm import (
    DEADLINE_S,
    REPLY,
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
from polaris_search.llm.failures import ChatRefused
from polaris_search.llm.model import ChatReply


def slow(_: float) -> float:
    return 9.0


def test_requests_at_a_time_are_limited_over_all_servers_together():
    servers = [TimedServer(well), TimedServer(well)]
    model = model_on(*servers, concurrency=5)

    answers = run(ask_all(model, 100))

    assert answers == [REPLY] * 100
    assert model._meter.usage(0.0).most_at_a_time == 5
    assert all(2 <= server.most <= 3 for server in servers)


def test_the_server_with_the_fewest_requests_under_way_is_asked():
    quick, lame = TimedServer(well), TimedServer(slow)

    run(ask_all(model_on(quick, lame, concurrency=4), 100))

    # One second against nine: of four at a time two are always at the lame one.
    assert len(quick.began) / len(lame.began) == pytest.approx(9, rel=0.15)


def test_a_request_that_fails_goes_to_another_server_at_once():
    broken, sound = TimedServer(gone), TimedServer(well)

    async def one():
        began = clock()
        reply = await model_on(broken, sound).chat(HELLO)
        return reply, clock() - began

    reply, seconds = run(one())

    assert reply == REPLY
    assert (len(broken.began), len(sound.began)) == (1, 1)
    assert seconds == pytest.approx(1.01)  # no wait between


def test_a_request_does_not_go_back_to_where_it_failed_though_that_is_less_busy():
    broken, sound = TimedServer(gone), TimedServer(well)

    answers = run(ask_all(model_on(broken, sound), 3))

    assert answers == [REPLY] * 3
    # The first and the third fail at once, while the sound one is at the second.
    assert (len(broken.began), len(sound.began)) == (2, 3)


@pytest.mark.parametrize("trouble", [gone, failing, hangs, lambda _: busy(5.0)])
def test_a_server_that_is_down_is_left_out_and_nothing_is_lost(trouble):
    down, sound = TimedServer(trouble), TimedServer(well)

    answers = run(ask_all(model_on(down, sound), 400))

    assert answers == [REPLY] * 400
    assert len(down.began) <= 40


def test_a_server_that_comes_back_is_asked_again():
    back, sound = TimedServer(lambda now: gone(now) if now < 30 else 1.0), TimedServer(well)

    answers = run(ask_all(model_on(back, sound), 1_000))

    assert answers == [REPLY] * 1_000
    assert len([at for at in back.began if at > 30]) >= 200


def test_a_server_that_rests_is_left_out_alone():
    resting, sound = TimedServer(lambda now: busy(60.0) if now < 1 else 1.0), TimedServer(well)

    answers = run(ask_all(model_on(resting, sound), 100))

    assert answers == [REPLY] * 100
    assert [at for at in resting.began if 0.02 < at < 60] == []
    assert sound.ended[0] < 2


def test_servers_that_are_all_down_are_each_told():
    one = TimedServer(lambda _: ChatRefused(401, "http://one denies access (HTTP 401)."))
    two = TimedServer(lambda _: ChatRefused(404, "http://two knows no such model (HTTP 404)."))

    answers = run(ask_all(model_on(one, two, concurrency=1), 50))

    assert isinstance(answers[-1], ServiceUnreachable)
    assert "http://one denies access" in str(answers[-1])
    assert "http://two knows no such model" in str(answers[-1])


def test_requests_are_answered_in_the_order_of_their_coming():
    order = []

    class Noting(TimedServer):
        async def ask(self, request):
            order.append(request.seed)
            return await super().ask(request)

    run(ask_all(model_on(Noting(well), concurrency=3), 30))

    assert order == list(range(30))


def test_a_request_that_comes_back_is_served_before_new_ones():
    order = []

    class Stumbling(TimedServer):
        async def ask(self, request):
            order.append(request.seed)
            if order.count(0) == 1 and request.seed == 0:
                raise failing(clock())
            return await super().ask(request)

    run(ask_all(model_on(Stumbling(well), concurrency=1), 30))

    # It waits 2 s less chance's part, the others take a second each.
    assert order.index(0, 1) <= 3


def test_a_request_that_waits_in_a_long_line_is_not_late_before_its_first_attempt():
    server = TimedServer(lambda _: 30.0)

    answers = run(ask_all(model_on(server, concurrency=1), 2 * int(DEADLINE_S / 30)))

    assert all(isinstance(answer, ChatReply) for answer in answers)


def test_whoever_is_cancelled_in_the_line_holds_up_nobody():
    server = TimedServer(well)
    model = model_on(server, concurrency=1)

    async def some_cancelled():
        asked = [asyncio.ensure_future(model.chat(replace(HELLO, seed=n))) for n in range(10)]
        await asyncio.sleep(0.5)
        for n in (1, 2, 5, 9):
            asked[n].cancel()
        return await asyncio.gather(*asked, return_exceptions=True)

    answers = run(some_cancelled())

    assert [n for n, answer in enumerate(answers) if answer == REPLY] == [0, 3, 4, 6, 7, 8]
    assert len(server.began) == 6
