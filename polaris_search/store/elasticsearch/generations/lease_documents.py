"""The documents that leases are on the server: made, renewed, read and removed, one request each.

Each write names the version that it replaces, so that of two processes only one gets through.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from elasticsearch import ConflictError, Elasticsearch, NotFoundError

from polaris_search.store.elasticsearch.generations.creation import create_once
from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.elasticsearch.server.failures import is_missing_index
from polaris_search.store.holder import Holder

SETTINGS = {"number_of_shards": 1, "auto_expand_replicas": "0-1"}
MAPPING = {
    "dynamic": "strict",
    "properties": {
        "task": {"type": "keyword"},
        "token": {"type": "keyword"},
        "renewals": {"type": "long"},
        "holder": {"type": "object", "enabled": False},
    },
}


@dataclass(frozen=True, slots=True)
class Claim:
    """What a holder writes of itself.

    Attributes:
        task: what the lease is for, in words.
        token: tells this taking of the lease from every other.
        holder: the process.
        renewals: how often it was renewed.
    """

    task: str
    token: str
    holder: Holder
    renewals: int = 0


@dataclass(frozen=True, slots=True)
class Held:
    """A lease's document as it is on the server; every write gives it another `seq_no`."""

    claim: Claim
    seq_no: int
    primary_term: int


class LeaseDocuments:
    """The leases of one index.

    With `at_once`, a server that is away is not waited for.
    """

    def __init__(self, connection: Connection, index: str) -> None:
        self._connection = connection
        self._index = index

    def ensure_index(self) -> None:
        """Create the index unless it is there."""
        create_once(self._connection, self._index, SETTINGS, MAPPING)

    def create(self, name: str, claim: Claim) -> Held | None:
        """Write a lease that nobody holds; return None where somebody does."""
        with self._connection.answering():
            try:
                answer = self._connection.client.create(
                    index=self._index, id=name, document=asdict(claim)
                )
            except ConflictError:
                return None
        return Held(claim, answer["_seq_no"], answer["_primary_term"])

    def replace(self, name: str, claim: Claim, held: Held, *, at_once: bool = False) -> Held | None:
        """Write a lease over what was read before; return None where that has changed."""
        with self._connection.answering():
            try:
                answer = self._client(at_once=at_once).index(
                    index=self._index,
                    id=name,
                    document=asdict(claim),
                    if_seq_no=held.seq_no,
                    if_primary_term=held.primary_term,
                )
            except ConflictError:
                return None
            except NotFoundError as error:
                if is_missing_index(error):
                    return None
                raise
        return Held(claim, answer["_seq_no"], answer["_primary_term"])

    def read(self, name: str, *, at_once: bool = False) -> Held | None:
        """Return a lease, None where nobody holds it."""
        with self._connection.answering():
            client = self._client(at_once=at_once).options(ignore_status=404)
            answer = client.get(index=self._index, id=name)
        if not answer.get("found"):
            return None
        return Held(_claim_of(answer["_source"]), answer["_seq_no"], answer["_primary_term"])

    def remove(self, name: str, held: Held) -> None:
        """Remove a lease unless it has changed, waiting for no server that is away."""
        with self._connection.answering():
            self._connection.at_once.options(ignore_status=(404, 409)).delete(
                index=self._index,
                id=name,
                if_seq_no=held.seq_no,
                if_primary_term=held.primary_term,
            )

    def _client(self, *, at_once: bool) -> Elasticsearch:
        return self._connection.at_once if at_once else self._connection.client


def _claim_of(source: Mapping[str, Any]) -> Claim:
    holder = Holder(**source["holder"])
    return Claim(source["task"], source["token"], holder, source["renewals"])
