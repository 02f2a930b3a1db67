"""Where generations are built and how: the server, the alias, and what is asked of a new index."""

from dataclasses import dataclass

from polaris_search.store.elasticsearch.bulk.chunks import BulkLimits
from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.elasticsearch.server.patience import Patience


@dataclass(frozen=True, slots=True)
class Place:
    """An alias on a server.

    Attributes:
        connection: the server.
        alias: the name that the live generation is read and written through.
        limits: how writes are sent.
        shards: of a new index, >= 1.
        patience_s: how long a server that went away is waited for.
    """

    connection: Connection
    alias: str
    limits: BulkLimits
    shards: int
    patience_s: float

    @property
    def patience(self) -> Patience:
        """How a server that went away is waited for."""
        return Patience(self.patience_s)
