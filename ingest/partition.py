"""Which share of the tables one of several machines takes: I of N, by a stable hash of the id.

Rejected rows are shared out too, so that the reports and dead letters of all machines together hold
each of them once.
"""

import re
from dataclasses import dataclass
from hashlib import blake2b

from ingest.rejected import Rejected
from polaris_search.errors import UsageError


@dataclass(frozen=True, slots=True)
class Partition:
    """Share `number` of `count`, 1 <= number <= count. All shares together cover each id once."""

    number: int
    count: int

    def holds(self, table_id: str) -> bool:
        """Return whether the table belongs to this share; the same on every machine."""
        return self._is_mine(table_id)

    def holds_rejected(self, rejected: Rejected) -> bool:
        """Return whether a row that was not taken belongs to this share.

        A row goes where its table would go, or by its line if its id is not known; each share
        reports a whole file that it cannot read, for other machines may be able to.
        """
        if rejected.table_id is not None:
            return self._is_mine(rejected.table_id)
        return rejected.line is None or self._is_mine(f"line {rejected.line}")

    @property
    def label(self) -> str:
        """The share as part of a file's name: `share-2-of-8`."""
        return f"share-{self.number}-of-{self.count}"

    def _is_mine(self, text: str) -> bool:
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(digest, "big") % self.count == self.number - 1


def partition_of(text: str) -> Partition:
    """Return the share that `I/N` names.

    Raises:
        UsageError: `text` has another form, or I is not within 1 and N.
    """
    match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    if match and 1 <= int(match[1]) <= int(match[2]):
        return Partition(int(match[1]), int(match[2]))
    raise UsageError(f"--partition is {text!r}; I/N was expected, such as 2/8 for the second of 8.")
