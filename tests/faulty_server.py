"""What goes wrong between a chat client and its server, put in front of any server, by seed.

A share of the requests for text meets a fault instead of its answer; what is asked about the
server itself does not. `calls` counts what came, so that a test sees what a client did not send.
"""

import json
import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from http_server import Asked, HttpServer, Reply, http_server

Fault = Literal[
    "busy",
    "busy_with_wait",
    "denied",
    "error",
    "half_reply",
    "half_text",
    "hang",
    "no_json",
    "other_model",
    "reset",
]
MENDABLE: tuple[Fault, ...] = (
    "busy",
    "busy_with_wait",
    "error",
    "half_reply",
    "half_text",
    "hang",
    "no_json",
    "reset",
)
"""Faults that a client sees as such, and that asking again mends."""
NOT_AN_ADAPTER = "polaris-typo"

BUSY = {"error": "Model is overloaded", "error_type": "overloaded"}
FAILED = {"error": "Incomplete generation", "error_type": "incomplete_generation"}
ANSWERS: Mapping[Fault, Reply] = {
    "busy": Reply(429, BUSY, {}),
    "denied": Reply(401, {"error": "The key was revoked", "error_type": "denied"}, {}),
    "error": Reply(500, FAILED, {}),
}


class Faulty:
    """Answers as `answer` does, or not.

    Args:
        answer: the server behind.
        seed: of chance; the n-th request meets the same fault in every run.
        share: of requests that meet a fault, from 0 to 1.
        faults: those they meet, in turn.
        sound: so many requests at first meet none.
        retry_after_s: what `busy_with_wait` asks for.
    """

    def __init__(
        self,
        answer: Callable[[Asked], Reply],
        *,
        seed: int,
        share: float = 0.3,
        faults: Sequence[Fault] = MENDABLE,
        sound: int = 0,
        retry_after_s: int = 1,
    ) -> None:
        self.calls = 0
        self.met: Counter[Fault] = Counter()
        self._answer = answer
        self._chance = random.Random(seed)
        self._share = share
        self._faults = faults
        self._sound = sound
        self._retry_after_s = retry_after_s
        self._turn = threading.Lock()
        self._ended = threading.Event()

    def __call__(self, asked: Asked) -> Reply:
        if asked.method != "POST":
            return self._answer(asked)
        fault = self._next_fault()
        return self._answer(asked) if fault is None else self._faulty(fault, asked)

    def end(self) -> None:
        """Let go of the requests that hang."""
        self._ended.set()

    def _next_fault(self) -> Fault | None:
        with self._turn:
            self.calls += 1
            if self.calls <= self._sound or self._chance.random() >= self._share:
                return None
            fault = self._faults[self.met.total() % len(self._faults)]
            self.met[fault] += 1
            return fault

    def _faulty(self, fault: Fault, asked: Asked) -> Reply:
        if fault == "hang":
            self._ended.wait()
        if fault in ("hang", "reset"):
            return Reply(raw=b"", resets=True)
        if fault == "busy_with_wait":
            return Reply(429, BUSY, {"Retry-After": str(self._retry_after_s)})
        if fault in ANSWERS:
            return ANSWERS[fault]
        if fault == "other_model":
            return self._answer(_asked_of(asked, NOT_AN_ADAPTER))
        body = _bytes(self._answer(asked).body)
        if fault == "half_text":
            return Reply(200, _with_half_the_text(json.loads(body)), {})
        half = body[: len(body) // 2]
        if fault == "no_json":
            return Reply(200, half, {})
        head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
        return Reply(raw=f"{head}\r\n\r\n".encode() + half)


@contextmanager
def faulty_server(faulty: Faulty) -> Iterator[HttpServer]:
    """Serve what `faulty` answers within the block."""
    with http_server(faulty) as server:
        try:
            yield server
        finally:
            faulty.end()


def _asked_of(asked: Asked, model: str) -> Asked:
    body = json.dumps(json.loads(asked.body) | {"model": model}).encode()
    unchanged = {k: v for k, v in asked.headers.items() if k.lower() != "content-length"}
    return Asked(asked.method, asked.path, unchanged, body)


def _with_half_the_text(reply: dict[str, Any]) -> dict[str, Any]:
    (choice,) = reply["choices"]
    text = choice["message"]["content"]
    message = choice["message"] | {"content": text[: len(text) // 2]}
    return reply | {"choices": [choice | {"message": message}]}


def _bytes(body: object) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()
