"""Which share of the tables one of several machines takes: I of N, by a stable hash of the id."""

import re
from dataclasses import dataclass
from hashlib import blake2b

from polaris_search.errors import UsageError


@dataclass(frozen=True, slots=True)
class Partition:
    """Share `number` of `count`, 1 <= number <= count. All shares together cover each id once."""

    number: int
    count: int

    def holds(self, table_id: str) -> bool:
        """Return whether the table belongs to this share; the same on every machine."""
        digest = blake2b(table_id.encode("utf-8", "surrogatepass"), digest_size=8).digest()
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
