"""How far a pair building is: what its steps tell, and a listener that does not care."""

from typing import Protocol


class PairsProgress(Protocol):
    """Hears how far a pair building is."""

    def read(self, tables: int, total: int) -> None:
        """So many tables were read and analysed, of about so many."""

    def round_done(self, rounds: int, most: int, changed: int) -> None:
        """So many rounds were ranked of at most so many; the last changed so many winners."""

    def written(self, pairs: int, total: int) -> None:
        """So many pairs were written, of so many."""

    def verified(self, tables: int, total: int) -> None:
        """So many tables were compared with an index of their own, of so many."""


class UnwatchedPairs:
    """A PairsProgress that nobody watches."""

    def read(self, tables: int, total: int) -> None:
        """Ignore it."""

    def round_done(self, rounds: int, most: int, changed: int) -> None:
        """Ignore it."""

    def written(self, pairs: int, total: int) -> None:
        """Ignore it."""

    def verified(self, tables: int, total: int) -> None:
        """Ignore it."""


UNWATCHED = UnwatchedPairs()
