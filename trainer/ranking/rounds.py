"""Ranks again with every table's best candidate so far in the default corpus, until nothing moves.

The paper does one round with random members and leaves further ones open as too slow (section 3.3).
A round here is a few array operations, so that it can go on until no winner changes. All tables
change at once, so a run can come back to where it was: then it stops and says so.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from trainer.ranking.clauses import IntArray
from trainer.ranking.ranker import Means

Ended = Literal["one round", "converged", "cycle", "rounds"]
"""Why it ended: one was asked for; no winner changed; the same members came up before; the most
rounds were done."""


@dataclass(frozen=True, slots=True)
class Winners:
    """The best and the worst candidate of a table, by place, and what lies between their means.

    Of equal ones the first is the best, the last the worst.
    """

    best: int
    worst: int
    margin: float


@dataclass(frozen=True, slots=True)
class Round:
    """One round.

    Attributes:
        means: each gold table's.
        winners: each gold table's.
        changed: how many best candidates are others than the round before; all in the first.
        mean_margin: over the gold tables with at least two candidates; 0 if there is none.
    """

    means: Means
    winners: tuple[Winners, ...]
    changed: int
    mean_margin: float


@dataclass(frozen=True, slots=True)
class Ranking:
    """The last round with the members of C0 it was of, a line on each, and why it was the last."""

    last: Round
    members: IntArray
    changed: tuple[int, ...]
    mean_margins: tuple[float, ...]
    ended: Ended


def ranked(
    means_of: Callable[[IntArray], Means],
    members: IntArray,
    first: IntArray,
    gold: IntArray,
    most_rounds: int = 1,
    on_round: Callable[[int, int], None] = lambda number, changed: None,
) -> Ranking:
    """Return the ranking after up to `most_rounds` rounds.

    Args:
        means_of: the means, given the members of C0.
        members: the version of each table that stands in C0 at first.
        first: the first version of each table.
        gold: the tables that are ranked.
        most_rounds: >= 1.
        on_round: hears the number of each round, and how many winners it changed.
    """
    rounds: list[Round] = []
    seen = {members.tobytes()}
    while True:
        latest = _round(means_of(members), rounds[-1] if rounds else None)
        rounds.append(latest)
        on_round(len(rounds), latest.changed)
        following = _with_winners(members, first, gold, latest.winners)
        ended = _ended(rounds, most_rounds, known=following.tobytes() in seen)
        if ended:
            return Ranking(
                latest,
                members,
                tuple(one.changed for one in rounds),
                tuple(one.mean_margin for one in rounds),
                ended,
            )
        members = following
        seen.add(members.tobytes())


def winners_of(means: Sequence[float]) -> Winners:
    """Return the winners among a table's candidates, of which there must be one."""
    order = by_mean(means)
    return Winners(order[0], order[-1], means[order[0]] - means[order[-1]])


def by_mean(means: Sequence[float]) -> list[int]:
    """Return the places of the candidates, the best first; of equal ones the first comes first."""
    return sorted(range(len(means)), key=lambda place: (-means[place], place))


def _round(means: Means, before: Round | None) -> Round:
    winners = tuple(map(winners_of, means))
    changed = len(winners)
    if before:
        pairs = zip(winners, before.winners, strict=True)
        changed = sum(now.best != then.best for now, then in pairs)
    margins = [one.margin for one, of in zip(winners, means, strict=True) if len(of) > 1]
    return Round(means, winners, changed, sum(margins) / len(margins) if margins else 0.0)


def _with_winners(
    members: IntArray, first: IntArray, gold: IntArray, winners: Sequence[Winners]
) -> IntArray:
    changed = members.copy()
    changed[gold] = first[gold] + np.array([one.best for one in winners], dtype=np.int64)
    return changed


def _ended(rounds: Sequence[Round], most_rounds: int, *, known: bool) -> Ended | None:
    if len(rounds) > 1 and rounds[-1].changed == 0:
        return "converged"
    if len(rounds) >= most_rounds:
        return "one round" if most_rounds == 1 else "rounds"
    # After the first round, members may be those it began with: then the next changes nothing.
    return "cycle" if known and len(rounds) > 1 else None
