"""What so many requests would cost: calls, tokens, and time where a speed was measured. Pure."""

from dataclasses import dataclass

from polaris_search.llm.model import Usage


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast servers did an earlier, like load, with all that ran at the same time."""

    calls_a_s: float
    completion_tokens_a_s: float


@dataclass(frozen=True, slots=True)
class Cost:
    """What is to be paid for, retries not counted.

    Attributes:
        calls: requests.
        prompt_tokens: of all requests together.
        shared_prompt_tokens: of these, those that stand in many requests alike: a server with a
            prefix cache reads them once, and some sell them cheaper.
        completion_tokens: of all replies together.
        seconds: how long it takes; None where no speed is known.
    """

    calls: int
    prompt_tokens: int
    shared_prompt_tokens: int
    completion_tokens: int
    seconds: float | None


def cost(
    calls: int,
    *,
    shared_prompt_tokens: int,
    own_prompt_tokens: int,
    completion_tokens: int,
    speed: Speed | None = None,
) -> Cost:
    """Return the cost of a load.

    Writing takes most of the time, so that the tokens of the replies tell how long it takes; where
    they are not known, the calls do.

    Args:
        calls: requests.
        shared_prompt_tokens: tokens that their prompts have in common, counted in each of them.
        own_prompt_tokens: all other tokens of their prompts.
        completion_tokens: tokens of all replies; 0 where they are not known.
        speed: of the servers, None where it was not measured.
    """
    return Cost(
        calls,
        shared_prompt_tokens + own_prompt_tokens,
        shared_prompt_tokens,
        completion_tokens,
        _seconds(calls, completion_tokens, speed) if speed else None,
    )


def speed_of(usage: Usage) -> Speed | None:
    """Return how fast what was asked so far went; None where nothing was answered."""
    answered = usage.requests - usage.failed
    if answered <= 0 or usage.busy_s <= 0:
        return None
    return Speed(answered / usage.busy_s, usage.completion_tokens / usage.busy_s)


def _seconds(calls: int, completion_tokens: int, speed: Speed) -> float:
    if completion_tokens and speed.completion_tokens_a_s:
        return completion_tokens / speed.completion_tokens_a_s
    return calls / speed.calls_a_s
