"""A connection that notes of each search how long the exchange and the server took."""

import re
import time
from typing import Any, ClassVar

from elasticsearch import Elasticsearch

from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.elasticsearch.server.node import QuietNode

TOOK = re.compile(rb'{"took":(\d+),"timed_out"')


class WatchedNode(QuietNode):
    """A node that notes the seconds of each search, and the server's `took`, in milliseconds."""

    exchanges: ClassVar[list[tuple[float, int]]] = []

    def perform_request(self, *given: Any, **named: Any) -> Any:
        began_s = time.perf_counter()
        response = super().perform_request(*given, **named)
        seconds = time.perf_counter() - began_s
        if took := TOOK.match(response.body):
            self.exchanges.append((seconds, int(took[1])))
        return response


def watched_connection(address: str) -> Connection:
    client = Elasticsearch(address, node_class=WatchedNode, request_timeout=600)
    return Connection(client, client, address)
