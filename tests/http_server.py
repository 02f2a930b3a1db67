"""A server over real sockets that answers what a test wants, or passes on what a real one answers.

Stands for what no Elasticsearch can be made to do: older versions, proxies with a will of their
own, answers that break off.
"""

import http.client
import json
import os
import socket
import ssl
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

PRODUCT = {"X-Elastic-Product": "Elasticsearch"}


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    """An answer; of one that is `raw`, these bytes are sent as they are, and the line is cut.

    A line that is cut ends politely, or where it `resets` as that of a killed server does.
    """

    status: int = 200
    body: object = b""
    headers: Mapping[str, str] = field(default_factory=lambda: PRODUCT)
    raw: bytes | None = None
    resets: bool = False


CUT_OFF = Reply(raw=b"")


class HttpServer:
    """Answers as `answer` says; `asked` holds what was asked."""

    def __init__(self, answer: Callable[[Asked], Reply], tls: ssl.SSLContext | None = None) -> None:
        self.asked: list[Asked] = []
        self._server = _Quiet(("127.0.0.1", 0), _handler(self.asked, answer))
        self._server.daemon_threads = True
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.port: int = self._server.server_port
        self.address = f"{'https' if tls else 'http'}://localhost:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def http_server(
    answer: Callable[[Asked], Reply], tls: ssl.SSLContext | None = None
) -> Iterator[HttpServer]:
    server = HttpServer(answer, tls)
    try:
        yield server
    finally:
        server.close()


class Script:
    """Answers with what was enqueued, one each; then with the last of it for ever."""

    def __init__(self, *replies: Reply) -> None:
        self._replies = deque(replies)

    def enqueue(
        self, status: int, body: object, headers: Mapping[str, str] = PRODUCT, times: int = 1
    ) -> None:
        self._replies += [Reply(status, body, headers)] * times

    def __call__(self, asked: Asked) -> Reply:
        return self._replies.popleft() if len(self._replies) > 1 else self._replies[0]


def passed_on(server: str, timeout_s: float = 30) -> Callable[[Asked], Reply]:
    """Return what answers as the server at this http:// address does."""
    host = urlsplit(server).netloc.rpartition("@")[2]

    def answer(asked: Asked) -> Reply:
        connection = http.client.HTTPConnection(host, timeout=timeout_s)
        try:
            unchanged = {k: v for k, v in asked.headers.items() if k.lower() != "host"}
            connection.request(asked.method, asked.path, asked.body or None, unchanged)
            got = connection.getresponse()
            headers = {k: v for k, v in got.headers.items() if k.lower() not in _OWN_HEADERS}
            return Reply(got.status, got.read(), headers)
        finally:
            connection.close()

    return answer


_OWN_HEADERS = ("content-length", "transfer-encoding", "connection")


class _Quiet(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that hang up, as those do that distrust a certificate."""


def _handler(seen: list[Asked], answer: Callable[[Asked], Reply]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            asked = Asked(self.command, self.path, dict(self.headers), body)
            seen.append(asked)
            self._send(answer(asked))

        do_HEAD = do_POST = do_PUT = do_DELETE = do_GET

        def _send(self, reply: Reply) -> None:
            if reply.raw is not None:
                self.wfile.write(reply.raw)
                self.close_connection = True
                _cut(self.connection, resets=reply.resets)
                return
            data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
            self.send_response_only(reply.status)
            for name, value in {"content-type": "application/json", **reply.headers}.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def log_message(self, *_: object) -> None:
            return

    return Handler


def _cut(connection: socket.socket, *, resets: bool) -> None:
    if resets:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(connection.detach())  # close() would wait for the files made of it
