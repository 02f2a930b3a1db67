"""How far a reindex is: the steps it passes, each heard as soon as it is done."""

from typing import Literal, Protocol, get_args

Step = Literal["staged", "copied", "caught_up", "verified", "live", "settled"]
STEPS: tuple[Step, ...] = get_args(Step)
"""In the order in which they are reached."""


class ReindexProgress(Protocol):
    """Hears how far a reindex or a rollback is. Called only from the thread that runs it."""

    def reached(self, step: Step) -> None:
        """The step is done; what it did outlasts a kill at this very moment."""

    def copied(self, tables: int) -> None:
        """So many tables of the old generation were looked at so far."""

    def describing(self, total: int) -> None:
        """So many descriptions of the run will have been asked for by and by."""

    def described(self, described: int, failed: int) -> None:
        """So many descriptions of the run are there, and so many could not be had."""


class NoReindexProgress:
    """A ReindexProgress that nobody watches."""

    def reached(self, step: Step) -> None:
        """Ignore it."""

    def copied(self, tables: int) -> None:
        """Ignore it."""

    def describing(self, total: int) -> None:
        """Ignore it."""

    def described(self, described: int, failed: int) -> None:
        """Ignore it."""
