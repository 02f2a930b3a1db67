"""What one generation holds and another lacks: the tables one by one, or how many."""

from collections.abc import Iterator

from polaris_search.records import EnrichedTable, table_from_json
from polaris_search.store.embedded.changes import newest
from polaris_search.store.embedded.database import Database
from polaris_search.store.embedded.generations import read_generation
from polaris_search.store.embedded.rows import TABLES_PER_PAGE

_LACKED = """FROM tables AS held WHERE generation = ? AND NOT EXISTS
    (SELECT 1 FROM tables WHERE generation = ? AND table_id = held.table_id)"""
_UNCHANGED = """NOT EXISTS (SELECT 1 FROM changes
    WHERE follower = ? AND table_id = held.table_id AND number > ?)"""
_PAGE = f"""SELECT table_id, record {_LACKED} AND {_UNCHANGED}
    AND table_id > ? ORDER BY table_id LIMIT {TABLES_PER_PAGE}"""
_COUNT = f"SELECT COUNT(*) {_LACKED} AND {_UNCHANGED}"


def tables_lacked(database: Database, base: int, staged: int) -> Iterator[EnrichedTable]:
    """Yield the tables of `base` that `staged` does not have, ids ascending, a page at a time.

    As of the moment when the first one is asked for: what is logged for `staged` from then on is
    left out, so that this ends, however fast others write.

    Raises:
        GenerationGone: the base was dropped meanwhile, so that tables may be missing.
    """
    begun, last = newest(database, staged), ""
    while page := database.rows(_PAGE, (base, staged, staged, begun, last)):
        for _, record in page:
            yield table_from_json(record)
        last = page[-1][0]
    read_generation(database, base)


def missing_and_surplus(database: Database, base: int, staged: int) -> tuple[int, int]:
    """Return how many tables of `base` the other one lacks, and how many it has more.

    As of one moment. What is logged for `staged` counts as brought over: it is by the moment that
    `staged` goes live.
    """
    with database.reading():
        ((missing,),) = database.rows(_COUNT, (base, staged, staged, 0))
        ((surplus,),) = database.rows(_COUNT, (staged, base, staged, 0))
    return missing, surplus
