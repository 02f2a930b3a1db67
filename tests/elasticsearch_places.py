"""Elasticsearch generations as other processes and machines see them, for the tests of them."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from elasticsearch import Elasticsearch

from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.bulk.chunks import BulkLimits
from polaris_search.store.elasticsearch.generations.leases import Leases, LeaseTimes
from polaris_search.store.elasticsearch.generations.of_alias import ElasticsearchGenerations
from polaris_search.store.elasticsearch.generations.place import Place
from polaris_search.store.elasticsearch.server.connection import Connection, connect
from polaris_search.store.elasticsearch.server.node import QuietNode
from polaris_search.store.holder import Holder, this_process

SILENT = LeaseTimes(renew_s=3600.0)
"""Renewed by nobody while a test runs, so that the test alone says when there is a sign of life."""

NO_SUCH_PROCESS = 2**22 + 1  # above what Linux ever gives to one


@dataclass
class Machine:
    """A machine of which no other can see whether its processes run, with a clock of its own.

    Sleeping moves its clock on and then calls `meanwhile`.
    """

    name: str
    seconds: float = 0.0
    heard: list[str] = field(default_factory=list)
    meanwhile: Callable[[], None] = lambda: None

    def holder(self) -> Holder:
        return Holder(self.name, f"{self.name}/boot", 7, "1", "2026-11-30T02:00:00Z")

    def clock(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        self.seconds += seconds
        self.meanwhile()

    def leases(self, connection, index: str, times: LeaseTimes = SILENT) -> Leases:
        return Leases(connection, index, self.holder, self.clock, self.sleep, times)

    def generations(self, place: Place) -> ElasticsearchGenerations:
        leases = self.leases(place.connection, f"{place.alias}-leases")
        return ElasticsearchGenerations(place, leases)


@contextmanager
def place_at(es_url: str, alias: str, shards: int = 1) -> Iterator[Place]:
    """A connection of its own to the alias, such as another process has."""
    connection = connect(read_settings({"POLARIS_STORE": es_url}))
    yield Place(connection, alias, BulkLimits(), shards, 30.0)
    connection.close()


def generations_of_the_dead(place: Place) -> ElasticsearchGenerations:
    """Generations whose holder, a process of this machine, is gone as soon as others look."""
    dead = replace(this_process(), pid=NO_SUCH_PROCESS)
    leases = Leases(place.connection, f"{place.alias}-leases", lambda: dead, times=SILENT)
    return ElasticsearchGenerations(place, leases)


def unsettled(store) -> list[str]:
    """The live generation's name if its last writes were not brought over, for all to see."""
    (body,) = store._connection.client.indices.get_mapping(index=store._alias).values()
    reindex = body["mappings"]["_meta"].get("reindex", {"state": "settled"})
    return [] if reindex["state"] == "settled" else [reindex["state"]]


class Killed(BaseException):
    """Ends a run as a kill does: nothing that would tidy up catches it, or gets anything done."""


class KillAfter:
    """Ends a run after so many requests that change something on the server; 0: never.

    What is only read changes nothing: to be killed after it is to be killed before.
    """

    def __init__(self, changes: int = 0) -> None:
        self.changed: list[str] = []
        self._at = changes
        self._lock = threading.Lock()
        kill = self

        class Node(QuietNode):
            def perform_request(self, method, target, *given, **named):
                with kill._lock:  # so that of two at a time the second comes too late
                    if kill.is_over:
                        raise Killed
                    response = super().perform_request(method, target, *given, **named)
                    if changes_something(method, target):
                        kill.changed.append(f"{method} {target}")
                    if kill.is_over:
                        raise Killed
                    return response

        self.node_class = Node

    @property
    def is_over(self) -> bool:
        return 0 < self._at <= len(self.changed)

    @contextmanager
    def place(self, es_url: str, alias: str) -> Iterator[Place]:
        client = Elasticsearch(es_url, node_class=self.node_class)
        connection = Connection(client, client, es_url)
        yield Place(connection, alias, BulkLimits(), 1, 30.0)
        connection.close()


def changes_something(method: str, target: str) -> bool:
    read = ("_search", "_pit", "_mget", "_refresh", "_count", "_stats")
    return method != "GET" and not any(part in target for part in read)
