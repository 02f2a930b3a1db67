"""The pure parts of the chat client: waits, circuit and grammar."""

from datetime import UTC, datetime

import pytest

from polaris_search.llm.traffic.circuit import Circuit, Failure
from polaris_search.llm.traffic.retries import RetryPolicy, retry_after_s
from polaris_search.llm.wire.grammar import gbnf


def test_waits_double_up_to_the_longest():
    policy = RetryPolicy(attempts=7, first_wait_s=1.0, longest_wait_s=10.0)

    waits = [policy.wait_s(n, None, lambda: 0.0) for n in range(1, 7)]

    assert waits == [1, 2, 4, 8, 10, 10]
    assert policy.wait_s(7, None, lambda: 1.0) is None


def test_attempts_are_spread_over_a_servers_restart():
    def waits(chance):
        return [RetryPolicy().wait_s(n, None, lambda: chance) for n in range(1, 9)]

    assert waits(0.0) == [2, 4, 8, 8, 8, 8, 8, None]
    # Chance takes a quarter at most: 3/4 of 46 s.
    assert waits(1.0) == [1.5, 3, 6, 6, 6, 6, 6, None]


def test_server_that_asks_for_too_long_a_rest_is_given_up():
    policy = RetryPolicy(longest_retry_after_s=60)

    assert policy.wait_s(1, 60.0, lambda: 0.0) == 60
    assert policy.wait_s(1, 61.0, lambda: 0.0) is None


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("120", 120.0),
        (" 3 ", 3.0),
        ("Mon, 30 Nov 2026 02:00:30 GMT", 30.0),
        ("Mon, 30 Nov 2026 01:00:00 GMT", 0.0),
        ("soon", None),
        ("-5", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header, seconds):
    now = datetime(2026, 11, 30, 2, 0, 0, tzinfo=UTC).timestamp()

    assert retry_after_s(header, lambda: now) == seconds


def opened_circuit(now=100.0):
    circuit = Circuit(limit=3)
    for reason in ("One.", "Two.", "Three."):
        circuit.lost(Failure(reason), now)
    return circuit


def test_circuit_opens_after_failures_on_end_and_an_answer_starts_the_count_again():
    circuit = Circuit(limit=3)

    circuit.lost(Failure("One."), 1.0)
    circuit.lost(Failure("Two."), 2.0)
    circuit.worked()
    circuit.lost(Failure("Three."), 3.0)
    circuit.lost(Failure("Four."), 4.0)
    assert circuit.admits(4.0)
    circuit.lost(Failure("Five."), 5.0)

    assert not circuit.admits(5.0)
    assert circuit.failure == Failure("Five.")
    assert circuit.failing_for_s(9.0) == 9.0 - 3.0


def test_a_failure_of_more_weight_counts_for_more():
    circuit = Circuit(limit=3)

    circuit.lost(Failure("Late.", weight=2), 1.0)
    circuit.lost(Failure("Late.", weight=2), 1.0)

    assert circuit.is_open


def test_one_request_tries_an_open_circuit_when_its_pause_is_over():
    circuit = opened_circuit(now=100.0)

    assert not circuit.admits(100.0 + 1.9)
    assert circuit.admits(100.0 + 2.0)
    assert circuit.began()
    assert not circuit.admits(100.0 + 60.0)


def test_a_trial_that_fails_doubles_the_pause_and_one_that_works_closes_the_circuit():
    circuit = opened_circuit(now=100.0)
    for n_failed in range(1, 8):
        tried = circuit.began()
        circuit.lost(Failure("Again."), 200.0, tried=tried)
        assert circuit.opens_at == 200.0 + min(60.0, 2.0 * 2**n_failed)

    circuit.began()
    assert circuit.worked()

    assert circuit.admits(200.0)
    assert not circuit.is_open
    assert circuit.failing_for_s(300.0) == 0.0


def test_what_began_before_the_circuit_opened_prolongs_nothing():
    circuit = opened_circuit(now=100.0)

    circuit.lost(Failure("Late news."), 101.0)

    assert circuit.opens_at == 102.0


def test_a_trial_that_was_given_up_lets_the_next_one_try():
    circuit = opened_circuit(now=100.0)
    tried = circuit.began()

    circuit.abandoned(tried=tried)

    assert circuit.admits(102.0)


def test_grammar_leaves_no_room_for_blanks_and_shares_equal_rules():
    text = {"type": "string", "pattern": "^[a-z]{2,5}$"}
    schema = {
        "type": "object",
        "properties": {"a": text, "b c": text, "n": {"type": "string", "pattern": "^(x|[yz])+$"}},
        "required": ["a", "b c", "n"],
        "additionalProperties": False,
    }
    # x alone is a literal, which GBNF wants quoted: such a pattern is not converted.
    assert gbnf(schema) is None

    schema["properties"]["n"] = {"type": "string", "pattern": "^([x]|[yz])+$"}

    assert gbnf(schema) == (
        r'root ::= "{" "\"a\":\"" text-0 "\"" "," '
        r'"\"b c\":\"" text-0 "\"" "," "\"n\":\"" text-1 "\"" "}"'
        "\ntext-0 ::= [a-z]{2,5}\ntext-1 ::= ([x]|[yz])+"
    )


@pytest.mark.parametrize(
    "change",
    [
        {"type": "array"},
        {"additionalProperties": True},
        {"required": []},
        {"properties": {"a": {"type": "integer"}}},
        {"properties": {"a": {"type": "string"}}},
        {"properties": {"a": {"type": "string", "pattern": "^[a-z]$", "maxLength": 3}}},
        {"properties": {"a": {"type": "string", "pattern": "^\\w+$"}}},
        {"properties": {"a": {"type": "string", "pattern": '^["]$'}}},
        {"title": "x"},
    ],
)
def test_grammar_is_refused_for_what_it_does_not_know(change):
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "pattern": "^[a-z]+$"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert gbnf(schema) is not None

    assert gbnf(schema | change) is None
