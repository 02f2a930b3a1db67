"""Runs coroutines in an event loop whose time jumps: an hour of waiting takes no time at all.

Time stands still while anything can go on, and then jumps to the next thing that is waited for.
Only for code that touches nothing outside the loop, as sockets or threads are.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _JumpingSelector(selectors.SelectSelector):
    """Never waits for anything: the loop's time goes on instead."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("Nothing is left that could go on: the program would hang.")
        self.now += max(0.0, timeout)
        return super().select(0)


class _JumpingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


def run(main: Coroutine[Any, Any, T]) -> T:
    """Return what `main` returns; inside it `clock` tells the time, beginning at 0."""
    with asyncio.Runner(loop_factory=_JumpingLoop) as runner:
        return runner.run(main)


def clock() -> float:
    """Return the seconds since `run` began."""
    return asyncio.get_running_loop().time()
