"""Shows how far the stages of a long command are: a bar each on a terminal, else a line at times.

A stage is a name, a count that grows, and the total where it is known. All goes to stderr.
"""

import time
from collections.abc import Callable
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn

from polaris_search.cli.output import tell
from polaris_search.cli.pace import Clock, Pace, said_of

LINE_EVERY_S = 30.0
"""Where no terminal is, a log is: a line each half minute tells that it is going on."""


class Stages(Protocol):
    """Shows stages; the first call for a stage makes it begin."""

    def show(self, stage: str, text: str, done: int, total: int | None) -> None:
        """Show a stage, by a text that may change, at a count, of a total where that is known."""

    def doing(self, what: str) -> None:
        """Show a stage that counts nothing."""

    def start(self) -> None:
        """Begin to show."""

    def stop(self) -> None:
        """Clear away what should not stay."""


def stages_on(console: Console, clock: Clock = time.monotonic) -> Stages:
    """Return what shows stages on a console as it can."""
    return Bars(console, clock) if console.is_terminal else Lines(clock=clock)


class Silence:
    """Shows nothing: a program reads the answer, and nobody the way to it."""

    def show(self, stage: str, text: str, done: int, total: int | None) -> None:
        """Do nothing."""

    def doing(self, what: str) -> None:
        """Do nothing."""

    def start(self) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing."""


class Bars:
    """A bar for each stage, redrawn in place, gone at the end."""

    def __init__(self, console: Console, clock: Clock = time.monotonic) -> None:
        self._clock = clock
        self._paces: dict[str, Pace] = {}
        self._tasks: dict[str, TaskID] = {}
        self._bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[pace]}", markup=False),
            console=console,
            transient=True,
        )

    def show(self, stage: str, text: str, done: int, total: int | None) -> None:
        """Move the stage's bar; see Stages."""
        if stage not in self._tasks:
            self._tasks[stage] = self._bars.add_task(text, total=total, pace="")
            self._paces[stage] = Pace(self._clock, done)
        pace = self._paces[stage]
        pace.at(done)
        self._bars.update(
            self._tasks[stage],
            completed=done,
            total=total,
            description=text,
            pace=said_of(pace.rate, pace.left_s(total)),
        )

    def doing(self, what: str) -> None:
        """Show a bar without an end."""
        self.show(what, what, 0, None)

    def start(self) -> None:
        """Begin to draw."""
        self._bars.start()

    def stop(self) -> None:
        """Take the bars away."""
        self._bars.stop()


class Lines:
    """A line whenever LINE_EVERY_S have passed since the last one; a short command says nothing."""

    def __init__(self, say: Callable[[str], None] = tell, clock: Clock = time.monotonic) -> None:
        self._say = say
        self._clock = clock
        self._paces: dict[str, Pace] = {}
        self._said_at_s = clock()

    def show(self, stage: str, text: str, done: int, total: int | None) -> None:
        """Say how far the stage is, if it is time to; see Stages."""
        pace = self._paces.setdefault(stage, Pace(self._clock, done))
        pace.at(done)
        if not self._is_time():
            return
        count = f"{done:,}" if total is None else f"{done:,} of {total:,}"
        words = said_of(pace.rate, pace.left_s(total))
        self._say(f"{text}: {count}, {words}." if words else f"{text}: {count}.")

    def doing(self, what: str) -> None:
        """Say what is being done, if it is time to."""
        if self._is_time():
            self._say(f"{what} ...")

    def start(self) -> None:
        """Do nothing: the first line is not due yet."""

    def stop(self) -> None:
        """Do nothing: what was said stays."""

    def _is_time(self) -> bool:
        now_s = self._clock()
        if now_s - self._said_at_s < LINE_EVERY_S:
            return False
        self._said_at_s = now_s
        return True
