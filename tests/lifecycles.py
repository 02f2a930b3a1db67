"""Reindexes in the tests: run in one call, watched, and the tables that they are about."""

from collections.abc import Callable

from fakes import FakeClock

from polaris_search.lifecycle.reindex import reindex
from polaris_search.lifecycle.rollback import rollback
from polaris_search.lifecycle.transform import Renewal


def unheard(sentence: str) -> None:
    raise AssertionError(f"nothing had to be waited for, yet: {sentence}")


def run(store, renewal=None, **options):
    return reindex(store, renewal or Renewal(), notify=unheard, now=FakeClock(), **options)


def roll_back(store, name=None, **options):
    return rollback(store, name, notify=unheard, now=FakeClock(), **options)


class Watch:
    """Hears the steps; `at` maps one to what happens then, such as a write or a kill."""

    def __init__(self, **at: Callable[[], None]) -> None:
        self.steps: list[str] = []
        self.asked_for: list[int] = []
        self._at = at

    def reached(self, step: str) -> None:
        self.steps.append(step)
        self._at.get(step, lambda: None)()

    def copied(self, tables: int) -> None:
        pass

    def describing(self, total: int) -> None:
        self.asked_for.append(total)

    def described(self, described: int, failed: int) -> None:
        pass


class Killed(BaseException):
    """What a kill is in a test that goes on in the same process."""


def killed() -> None:
    raise Killed
