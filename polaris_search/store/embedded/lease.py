"""The lease on changing the generations: one process at a time, and the others hear its name.

The lock is a file's and ends with its process, however that ends; who holds it stands in the
database, for people.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

from polaris_search.errors import AlreadyHeld
from polaris_search.store.embedded.database import Database
from polaris_search.store.embedded.problems import told_plainly
from polaris_search.store.embedded.process_lock import try_lock
from polaris_search.store.holder import Holder, this_process

TASK = "changing the generations"
"""What the lease is for, as people read it."""

_TAKE = "INSERT OR REPLACE INTO leases (task, holder) VALUES (?, ?)"
_LEAVE = "DELETE FROM leases WHERE task = ?"
_JUST_BEGUN = "a process that has just begun"


@contextmanager
def leased(database: Database) -> Iterator[None]:
    """Hold the lease during the block.

    Raises:
        AlreadyHeld: another process, or another thread of this one, holds it.
    """
    with told_plainly(database.folder):
        lock = try_lock(database.folder / "locks" / "generations.lock")
    if lock is None:
        raise AlreadyHeld(TASK, _holder_name(database))
    try:
        with database.writing() as connection:
            connection.execute(_TAKE, (TASK, json.dumps(asdict(this_process()))))
        try:
            yield
        finally:
            with database.writing() as connection:
                connection.execute(_LEAVE, (TASK,))
    finally:
        lock.release()


def _holder_name(database: Database) -> str:
    row = database.row("SELECT holder FROM leases WHERE task = ?", (TASK,))
    if row is None:
        return _JUST_BEGUN
    holder = Holder(**json.loads(row[0]))
    # The line of one that has ended: the one that has the lock has not yet written its own.
    return _JUST_BEGUN if holder.is_gone() else holder.name
