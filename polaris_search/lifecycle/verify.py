"""Whether a staged generation may go live: its definition, its tables, and that they are found.

Looks, mends what it can, and says what is wrong; never makes anything live.
"""

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.store.generations import Staged, Transform
from polaris_search.store.protocol import Refused, TableStore

SAMPLED = 50
"""As many tables are searched for by their own names."""
IDS_PER_DELETE = 500

BUILD_ANOTHER = (
    "Somebody changed it, so it cannot go live. `polaris-admin index prune` removes it if it is "
    "staged; `polaris-admin reindex` then builds another."
)

Judge = Callable[[int, int], str | None]
"""Told how many tables are missing and surplus, says why the generation must not go live."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What the look at a staged generation found.

    Attributes:
        missing: tables of the live generation that it lacks.
        surplus: tables that it has more than the live one.
        sampled: tables that were searched for.
        refused: tables that it did not take as it was mended.
        problem: why it must not go live, in sentences; None: it may.
    """

    missing: int = 0
    surplus: int = 0
    sampled: int = 0
    refused: tuple[Refused, ...] = ()
    problem: str | None = None


def verify(staged: Staged, live: TableStore, at_once: Transform, judge: Judge | None) -> Verified:
    """Return what is right and wrong with a staged generation.

    Args:
        staged: what is to go live, all caught up.
        live: the live generation.
        at_once: what becomes of a table on its way.
        judge: says whether it may differ from the live one; None: it must hold the same tables,
            and is mended once where it does not.
    """
    differs = staged.check_definition()
    if differs:
        return Verified(problem=f"{differs} {BUILD_ANOTHER}")
    refused: tuple[Refused, ...] = ()
    missing, surplus = staged.missing_or_surplus()
    if judge is None and (missing or surplus):
        refused = _mend(staged, live, at_once)
        missing, surplus = staged.missing_or_surplus()
    problem = (judge or _must_be_equal)(missing, surplus)
    if problem or refused:
        return Verified(missing, surplus, 0, refused, problem)
    sampled, lost = _not_found(staged.tables, staged.name)
    return Verified(missing, surplus, sampled, (), _lost_sentence(sampled, lost))


def _must_be_equal(missing: int, surplus: int) -> str | None:
    if not missing and not surplus:
        return None
    return (
        f"The new generation lacks {missing} tables of the live one and has {surplus} more, also "
        "after a further pass. Another program may be changing the index; stop it, then run the "
        "command again."
    )


def _mend(staged: Staged, live: TableStore, at_once: Transform) -> tuple[Refused, ...]:
    """Bring over what is missing, and remove what writers of other programs deleted unlogged."""
    refused = staged.tables.put(at_once(staged.uncopied())).refused
    surplus = ids_only_in_first(staged.tables.table_ids(), live.table_ids())
    delete_all(staged.tables, surplus)
    caught = staged.catch_up(at_once)  # what came back while it was removed
    return refused + caught.refused


def any_difference(missing: int, surplus: int) -> None:
    """A Judge for where nobody expects the same tables."""


def delete_all(store: TableStore, table_ids: Iterable[str]) -> int:
    """Remove the tables, some at a time; return how many there were."""
    rest = iter(table_ids)
    deleted = 0
    while some := list(islice(rest, IDS_PER_DELETE)):
        deleted += store.delete(some)
    return deleted


def ids_only_in_first(first: Iterable[str], second: Iterable[str]) -> Iterator[str]:
    """Yield the ids of the first that the second lacks; both ascending."""
    others = iter(second)
    other = next(others, None)
    for table_id in first:
        while other is not None and other < table_id:
            other = next(others, None)
        if other != table_id:
            yield table_id


def _not_found(tables: TableStore, seed: str) -> tuple[int, list[str]]:
    """Search for some tables by their own names; return how many, and the ids not found."""
    profile = profile_named("default")
    tables.refresh()
    sample = tables.get(_sample(tables.table_ids(), seed))
    plans = {key: plan_query(profile, table.raw.name) for key, table in sample.items()}
    asked = {key: plan for key, plan in plans.items() if not plan.asks_nothing}
    lost = [
        key for key, plan in asked.items() if not tables.search(plan, 1, {"table_id": [key]}).hits
    ]
    return len(asked), lost


def _sample(table_ids: Iterable[str], seed: str) -> list[str]:
    """Return SAMPLED of the ids, each as likely as any other; the same for the same seed."""
    chance = random.Random(seed)
    chosen: list[str] = []
    for number, table_id in enumerate(table_ids):
        if number < SAMPLED:
            chosen.append(table_id)
        elif (place := chance.randrange(number + 1)) < SAMPLED:
            chosen[place] = table_id
    return chosen


def _lost_sentence(sampled: int, lost: list[str]) -> str | None:
    if not lost:
        return None
    return (
        f"{len(lost)} of {sampled} tables are not found by their own names in the new generation "
        f"({', '.join(lost[:3])}). Report this; the live generation goes on serving."
    )
