"""A bulk endpoint that takes and keeps what it is sent, unless it was told to answer otherwise.

Speaks HTTP over a real socket, and answers in the shapes of Elasticsearch 9.4. Asked for a mapping,
it says that a live generation of this program is there.
"""

import json
import socket
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import mappings
from polaris_search.store.elasticsearch.generations.meta import new_meta

_MADE = mappings.tables()
LIVE = json.dumps(
    {
        "polaris-tables-v1-x": {
            "aliases": {"polaris-tables": {"is_write_index": True}},
            "mappings": {**_MADE["mappings"], "_meta": new_meta()},
            "settings": {"index": _MADE["settings"]},
        }
    }
).encode()
PRODUCT = {"X-Elastic-Product": "Elasticsearch", "content-type": "application/json"}
REJECTED = {"type": "es_rejected_execution_exception", "reason": "rejected"}


class Reset(Exception):
    """Ends a connection without an answer."""


Item = tuple[int, dict[str, str] | None]
Reply = Callable[["BulkServer", dict[str, bytes]], tuple[int, dict[str, str], bytes]]
"""From the documents of a request, by `_id`, to status, headers and body; may raise Reset."""


class BulkServer:
    """The server; `kept` holds the documents by `_id`, `requests` the ids of each request."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.requests: list[list[str]] = []
        self.replies: deque[Reply] = deque()
        self.otherwise: Reply = take
        self.resets_in_mid_body = 0
        self.lock = threading.Lock()
        self.server = ThreadingHTTPServer(
            ("127.0.0.1", 0), type("Handler", (_Handler,), {"bulk": self})
        )
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        self._thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self._thread.start()

    def reply(self, *replies: Reply) -> None:
        """Answer the next requests so, one each."""
        self.replies += replies

    def breaks_in_mid_body(self) -> bool:
        with self.lock:
            self.resets_in_mid_body -= 1
            return self.resets_in_mid_body >= 0

    def next_reply(self) -> Reply:
        with self.lock:
            return self.replies.popleft() if self.replies else self.otherwise

    def keep(self, documents: dict[str, bytes]) -> None:
        with self.lock:
            self.kept |= documents

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        self._thread.join()


@contextmanager
def bulk_server() -> Iterator[BulkServer]:
    server = BulkServer()
    try:
        yield server
    finally:
        server.close()


def take(server: BulkServer, documents: dict[str, bytes]) -> tuple[int, dict[str, str], bytes]:
    """Take everything."""
    server.keep(documents)
    return _items([(201, None)] * len(documents))


def refuse(status: int, error: dict[str, str], only: Callable[[str], bool] | None = None) -> Reply:
    """Refuse the documents, or only some of them, and take the others."""

    def reply(server: BulkServer, documents: dict[str, bytes]) -> tuple[int, dict[str, str], bytes]:
        refused = {one for one in documents if only is None or only(one)}
        server.keep({one: body for one, body in documents.items() if one not in refused})
        return _items([(status, error) if one in refused else (201, None) for one in documents])

    return reply


def fail(status: int, kind: str | None) -> Reply:
    """Answer for the whole request: as the server, or as a proxy before it where `kind` is None."""

    def reply(server: BulkServer, documents: dict[str, bytes]) -> tuple[int, dict[str, str], bytes]:
        if kind is None:
            return status, {"content-type": "text/html"}, b"<html>nginx</html>"
        body = {"error": {"type": kind, "reason": "r", "root_cause": []}, "status": status}
        return status, PRODUCT, json.dumps(body).encode()

    return reply


def reset_after_taking(server: BulkServer, documents: dict[str, bytes]) -> tuple[int, dict, bytes]:
    """Take everything and break the connection, so that the sender cannot know."""
    server.keep(documents)
    raise Reset


def reset(server: BulkServer, documents: dict[str, bytes]) -> tuple[int, dict, bytes]:
    """Take nothing and break the connection."""
    raise Reset


def _items(items: list[Item]) -> tuple[int, dict[str, str], bytes]:
    shown = [
        {"index": {"status": status} | ({"error": error} if error else {})}
        for status, error in items
    ]
    errors = any(error for _, error in items)
    return 200, PRODUCT, json.dumps({"errors": errors, "items": shown}).encode()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    bulk: BulkServer

    def do_GET(self) -> None:
        self._answer(200, PRODUCT, LIVE)

    def do_PUT(self) -> None:
        if self.bulk.breaks_in_mid_body():
            self.rfile.read(1000)
            self._break()
            return
        lines = self.rfile.read(int(self.headers["content-length"])).splitlines()
        ids = [json.loads(line)["index"]["_id"] for line in lines[::2]]
        with self.bulk.lock:
            self.bulk.requests.append(ids)
        try:
            documents = dict(zip(ids, lines[1::2], strict=True))
            status, headers, body = self.bulk.next_reply()(self.bulk, documents)
        except Reset:
            self._break()
            return
        self._answer(status, headers, body)

    do_POST = do_PUT

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _break(self) -> None:
        linger = struct.pack("ii", 1, 0)  # a reset in place of an orderly end
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        return
