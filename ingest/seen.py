"""Which table ids a run has met, in 16 bytes each.

They tell a second table of an id from the first, and what a source still has from what is gone.
"""

from hashlib import blake2b


class SeenIds:
    """The ids of one run.

    `sources` holds the sources that its tables belong to, None for those given without one; readers
    give every table a source. `complete` is False once
    something was rejected of which no id is known, so that tables may stand there unseen.
    """

    def __init__(self) -> None:
        self._read: set[bytes] = set()
        self._rejected: set[bytes] = set()
        self.sources: set[str | None] = set()
        self.complete = True

    def add(self, table_id: str, source: str | None) -> bool:
        """Note a table that was read; return False if its id had been read before."""
        key = _key(table_id)
        if key in self._read:
            return False
        self._read.add(key)
        self.sources.add(source)
        return True

    def add_rejected(self, table_id: str | None) -> None:
        """Note something that a source has, though it could not be read."""
        if table_id is None:
            self.complete = False
        else:
            self._rejected.add(_key(table_id))

    def __contains__(self, table_id: str) -> bool:
        key = _key(table_id)
        return key in self._read or key in self._rejected

    def __len__(self) -> int:
        return len(self._read)


def _key(table_id: str) -> bytes:
    return blake2b(table_id.encode("utf-8", "surrogatepass"), digest_size=16).digest()
