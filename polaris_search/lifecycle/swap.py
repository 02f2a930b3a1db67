"""A staged generation takes the place of the live one: caught up, verified, live, settled.

What `reindex` and `rollback` share. Where something is wrong the live generation stays, and the
staged one is kept for a later run to go on with.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from polaris_search.lifecycle.progress import ReindexProgress
from polaris_search.lifecycle.verify import Judge, Verified, verify
from polaris_search.store.generations import CaughtUp, Staged, Transform
from polaris_search.store.protocol import Refused, TableStore

MAX_PASSES = 5
ASKING_PASSES = 2
"""Passes that may ask a model: each takes so long that more has changed by its end."""
LITTLE = 100
"""After a pass that brings no more tables than this, the rest is brought over by the last one."""


@dataclass(frozen=True, slots=True)
class Swap:
    """What became of a staged generation.

    Attributes:
        live: whether it is the live one now.
        passes: how often it was caught up with the live one.
        caught_up: what these passes brought over, and what came after it had gone live.
        verified: what the look at it found.
        refused: tables that it did not take.
        problem: what is wrong, in sentences; None: nothing.
    """

    live: bool
    passes: int
    caught_up: CaughtUp
    verified: Verified
    refused: tuple[Refused, ...] = ()
    problem: str | None = None


def not_swapped(refused: tuple[Refused, ...]) -> Swap:
    """Return what becomes of a staged generation that did not take every table."""
    return Swap(False, 0, CaughtUp(0, 0), Verified(), refused)


@dataclass(frozen=True, slots=True)
class SwapSteps:
    """What a swap works with.

    Attributes:
        live: the store, whose live generation is to be replaced.
        again: what becomes of tables that changed meanwhile; may ask a model.
        at_once: the same without asking.
        judge: whether the new generation may differ from the live one; None: it must not.
        progress: hears each step.
    """

    live: TableStore
    again: Transform
    at_once: Transform
    judge: Judge | None
    progress: ReindexProgress


def swap_in(staged: Staged, steps: SwapSteps) -> Swap:
    """Make the staged generation the live one, unless something is wrong with it.

    Raises:
        StoreProblem: another generation than its base went live meanwhile.
        HolderLost: another process took over.
    """
    done = _catch_up(staged, steps)
    if done[-1].refused:
        return Swap(False, len(done), _sum(done), Verified(), done[-1].refused)
    steps.progress.reached("caught_up")
    verified = verify(staged, steps.live, steps.at_once, steps.judge)
    if verified.problem or verified.refused:
        return Swap(False, len(done), _sum(done), verified, verified.refused, verified.problem)
    # What was written while it was verified would else be out of sight until the end of settle.
    done.append(staged.catch_up(steps.at_once))
    if done[-1].refused:
        return Swap(False, len(done), _sum(done), verified, done[-1].refused)
    steps.progress.reached("verified")
    staged.go_live()
    steps.progress.reached("live")
    last = staged.settle(steps.at_once)
    steps.live.refresh()
    steps.progress.reached("settled")
    return Swap(True, len(done), _sum([*done, last]), verified, last.refused)


def _catch_up(staged: Staged, steps: SwapSteps) -> list[CaughtUp]:
    """Catch up until a pass brings little or is refused something; return what each brought."""
    done: list[CaughtUp] = []
    while len(done) < MAX_PASSES:
        done.append(staged.catch_up(steps.again if len(done) < ASKING_PASSES else steps.at_once))
        if done[-1].refused or done[-1].written + done[-1].deleted <= LITTLE:
            break
    return done


def _sum(passes: Sequence[CaughtUp]) -> CaughtUp:
    return CaughtUp(
        written=sum(one.written for one in passes),
        deleted=sum(one.deleted for one in passes),
        refused=tuple(refused for one in passes for refused in one.refused),
    )
