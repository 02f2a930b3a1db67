"""How many requests at a time: the pace finds what a server has room for, and follows it.

The servers are simulated, so that what they have room for is known.
"""

from statistics import median

import pytest
from simulated_llm import Simulated, simulated

from polaris_search.llm.traffic.pace import FIRST_LEVEL, Pace

MOST = 64


def batching(slots: int) -> float:
    """Tokens a second of one core that works on several at a time: twice as fast with five."""
    return 25.0 * slots**0.44


def full_speed(server: Simulated, replies: int, seed: int = 0) -> float:
    """Tokens a second of a load generator that knows the slots."""
    fixed = Pace(server.slots, least=server.slots)
    return simulated(server, fixed, replies, seed=seed).speed()


@pytest.mark.parametrize("slots", [3, 4, 8, 16, 40])
@pytest.mark.parametrize("spread", [0.1, 0.5])
@pytest.mark.parametrize("seed", range(3))
def test_the_level_comes_within_a_quarter_or_two_of_the_slots(slots, spread, seed):
    replies = max(600, 60 * slots)

    trace = simulated(Simulated(slots), Pace(MOST), replies, seed=seed, spread=spread)

    found = median(trace.levels(since=replies // 2))
    assert 0.75 * slots <= found <= max(1.25 * slots, slots + 2)


@pytest.mark.parametrize("slots", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_a_server_of_one_or_two_slots_is_not_asked_for_many_at_a_time(slots, seed):
    trace = simulated(Simulated(slots), Pace(MOST), 600, seed=seed)

    assert median(trace.levels(since=300)) <= 6


@pytest.mark.parametrize("slots", [1, 2, 4, 6, 8])
@pytest.mark.parametrize("speed", [lambda n: 10.0 * n, batching])
@pytest.mark.parametrize("seed", range(3))
def test_a_server_is_kept_at_95_percent_of_its_speed_from_the_first_request(slots, speed, seed):
    server = Simulated(slots, speed)

    trace = simulated(server, Pace(MOST), 400, seed=seed)

    assert trace.speed() >= 0.95 * full_speed(server, 400, seed)


@pytest.mark.parametrize("slots", [16, 40])
@pytest.mark.parametrize("seed", range(3))
def test_a_large_server_is_kept_at_95_percent_of_its_speed_once_it_is_found_out(slots, seed):
    trace = simulated(Simulated(slots), Pace(MOST), 60 * slots, seed=seed)

    found_out = 8 * slots
    assert trace.speed(since=found_out) >= 0.95 * full_speed(Simulated(slots), 60 * slots, seed)


def test_it_starts_small_and_doubles_while_that_pays():
    trace = simulated(Simulated(40), Pace(MOST), 200)

    assert trace.levels()[0] == FIRST_LEVEL == 4
    climbed = list(dict.fromkeys(trace.levels()))
    assert climbed[:4] == [4, 8, 16, 32]


@pytest.mark.parametrize(("before", "after"), [(4, 16), (16, 4), (32, 12)])
@pytest.mark.parametrize("seed", range(3))
def test_it_follows_a_server_that_gets_more_or_less_room(before, after, seed):
    def change(server, n):
        if n == 800:
            server.slots = after

    trace = simulated(Simulated(before), Pace(MOST), 3_200, seed=seed, change=change)

    assert 0.7 * before <= median(trace.levels()[500:800]) <= 1.3 * before + 1
    assert 0.7 * after <= median(trace.levels(since=2_400)) <= 1.3 * after + 1
    assert trace.speed(since=2_400) >= 0.93 * full_speed(Simulated(after), 800, seed)


@pytest.mark.parametrize("slots", [4, 16])
def test_a_server_that_counts_no_tokens_is_paced_by_its_requests(slots):
    trace = simulated(Simulated(slots), Pace(MOST), 60 * slots, tells_tokens=False)

    assert trace.speed(since=10 * slots) >= 0.93 * full_speed(Simulated(slots), 60 * slots)


def test_never_more_than_the_most_nor_fewer_than_the_least():
    pace = Pace(6, least=3)

    trace = simulated(Simulated(40, room=5), pace, 500)

    assert min(trace.levels()) >= 3
    assert max(trace.levels()) <= 6


def test_a_pace_without_leeway_never_moves():
    trace = simulated(Simulated(2), Pace(4, least=4), 200)

    assert set(trace.levels()) == {4}


def test_a_refusal_halves_the_level_at_once():
    pace = Pace(MOST, first=32)
    begun = pace.began()

    assert pace.refused(begun)

    assert (pace.level, pace.outstanding) == (16, 0)


def test_refusals_of_requests_that_began_before_the_halving_do_not_halve_again():
    pace = Pace(MOST, first=32)
    together = [pace.began() for _ in range(32)]

    news = [pace.refused(begun) for begun in together]

    assert news == [True] + [False] * 31
    assert pace.level == 16


@pytest.mark.parametrize("room", [6, 20])
def test_a_server_that_refuses_beyond_its_room_is_used_well_with_few_refusals(room):
    server = Simulated(40, room=room)

    trace = simulated(server, Pace(MOST), 2_000)

    assert trace.refused <= 0.05 * 2_000
    assert trace.speed(since=500) >= 0.75 * 10.0 * room


def test_replies_that_take_no_time_are_no_reason_to_fail():
    pace = Pace(MOST)

    for _ in range(500):
        several = [pace.began() for _ in range(pace.level)]
        for begun in several:
            pace.finished(begun, 0.0, 1)

    assert 1 <= pace.level <= MOST


def test_no_demand_moves_nothing():
    pace = Pace(MOST)

    for _ in range(500):
        pace.finished(pace.began(), 1.0, 100)

    assert pace.level == FIRST_LEVEL


def test_a_server_that_was_away_is_found_out_anew():
    pace = Pace(MOST, first=4)
    simulated(Simulated(16), pace, 500)
    assert pace.level > 8

    pace.start_again()

    assert pace.level == 4
