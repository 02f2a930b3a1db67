"""A server of known speed, simulated event by event: what a pace makes of it, in no time at all.

Up to `slots` requests are worked on at a time and share the speed that so many have together; the
others wait in a line, or are refused where there is no room. Lengths of replies vary by chance.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from polaris_search.llm.traffic.pace import Pace

TOKENS = 100.0
TURNAROUND_S = 0.05
"""From a reply to the arrival of the next request."""


@dataclass
class Simulated:
    """A server.

    Attributes:
        slots: requests that it works on at a time.
        speed: tokens a second, by how many are worked on.
        room: requests that it takes, those in line included.
    """

    slots: int
    speed: Callable[[int], float] = lambda n: 10.0 * n
    room: int = 10**9


@dataclass
class Trace:
    """What happened: of each reply its time, tokens and the level then; and all refusals."""

    replies: list[tuple[float, float, int]] = field(default_factory=list)
    refused: int = 0

    def speed(self, since: int = 0) -> float:
        """Return tokens a second over all replies but the first `since`."""
        began = self.replies[since][0] if since else 0.0
        tokens = sum(tokens for _, tokens, _ in self.replies[since:])
        return tokens / (self.replies[-1][0] - began)

    def levels(self, since: int = 0) -> list[int]:
        return [level for _, _, level in self.replies[since:]]


def simulated(
    server: Simulated,
    pace: Pace,
    replies: int,
    *,
    seed: int = 0,
    spread: float = 0.3,
    tells_tokens: bool = True,
    change: Callable[[Simulated, int], None] = lambda server, n: None,
) -> Trace:
    """Ask so many times, always as many at a time as the pace allows, and return what happened.

    Args:
        server: is changed by `change`, which is told the number of each reply.
        pace: decides.
        replies: how many.
        seed: of chance.
        spread: of the replies' lengths, as a share of the mean, about.
        tells_tokens: whether the server counts tokens.
        change: changes the server on the way.
    """
    chance = random.Random(seed)
    trace, now, number = Trace(), 0.0, 0
    coming: list[tuple[float, int]] = []
    line: list[int] = []
    left: dict[int, float] = {}
    asked = {}
    while len(trace.replies) < replies:
        while pace.has_room:
            number += 1
            tokens = TOKENS * chance.lognormvariate(0.0, spread)
            asked[number] = (pace.began(), now, tokens)
            coming.append((now + TURNAROUND_S * chance.random(), number))
        coming.sort()
        each = server.speed(len(left)) / len(left) if left else 0.0
        first = min(left, key=left.__getitem__, default=0)
        ends = now + left[first] / each if left else float("inf")
        arrives = coming[0][0] if coming else float("inf")
        then = min(ends, arrives)
        left = {one: rest - (then - now) * each for one, rest in left.items()}
        now = then
        if arrives <= ends:
            one = coming.pop(0)[1]
            if len(left) + len(line) < server.room:
                line.append(one)
            else:
                trace.refused += 1
                pace.refused(asked.pop(one)[0])
        else:
            del left[first]
            begun, since, tokens = asked.pop(first)
            trace.replies.append((now, tokens, pace.level))
            pace.finished(begun, now - since, tokens if tells_tokens else 1)
            change(server, len(trace.replies))
        while line and len(left) < server.slots:
            one = line.pop(0)
            left[one] = asked[one][2]
    return trace
