"""Two databases of one name, such as sa/shop.db and sb/shop.db, and the ids of their tables.

The first keeps database.schema.table, as if it were alone. Of another one a table whose id is taken
by then has the whole path or address in place of the name: `sb/shop.db.main.orders`.
"""

import os
from collections.abc import Callable

from ingest.readers.address import storable
from ingest.readers.found import Found, FoundDatabase
from polaris_search.records import MAX_TABLE_ID_CHARS

FullerId = Callable[[str], str | None]


class Namesakes:
    """The databases of one run, by name."""

    def __init__(self) -> None:
        self._first: dict[str, str] = {}

    def fuller_id(self, found: Found) -> FullerId:
        """Return what gives a table of a source its second id; None where it has no other."""
        if not isinstance(found, FoundDatabase) or not found.database.name:
            return _no_other
        name, shown = found.database.name, found.database.shown
        place = os.path.realpath(shown) if os.path.exists(shown) else shown
        if self._first.setdefault(name, place) == place:
            return _no_other  # one database, perhaps named twice
        whole = storable(shown)
        return lambda table_id: (whole + table_id.removeprefix(name))[-MAX_TABLE_ID_CHARS:]


def _no_other(table_id: str) -> str | None:
    return None
