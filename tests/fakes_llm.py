"""Stand-ins for language models: a ChatModel that a test scripts, and an HTTP server that does."""

import json
import random
import threading
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from polaris_search.llm.model import ChatMessage, ChatReply, ChatRequest, Usage

FAKE_WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")


def reply(text, finish_reason="stop", prompt_tokens=100, completion_tokens=20) -> ChatReply:
    return ChatReply(text, finish_reason, prompt_tokens, completion_tokens, "fake-model")


class FakeLLM:
    """A ChatModel. It gives what was enqueued, an error raised; with nothing left it makes words.

    The words depend on the request alone: they obey its schema, repeat with its seed, and are cut
    at its max_tokens, one word being one token.
    """

    def __init__(self, model="fake-model", adapter=None, context_tokens=None) -> None:
        self.model = model
        self.adapter = adapter
        self.context_tokens = context_tokens
        self.asked: list[ChatRequest] = []
        self.begun: list[tuple[ChatMessage, ...]] = []
        self.closed = False
        self._replies: deque[ChatReply | Exception] = deque()

    def enqueue(self, *replies: ChatReply | Exception) -> None:
        self._replies.extend(replies)

    async def begin_with(self, messages: Sequence[ChatMessage]) -> None:
        self.begun.append(tuple(messages))

    async def chat(self, request: ChatRequest) -> ChatReply:
        self.asked.append(request)
        if not self._replies:
            return made_up(request)
        answer = self._replies.popleft()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def usage(self) -> Usage:
        return Usage(requests=len(self.asked))

    async def close(self) -> None:
        self.closed = True


def made_up(request: ChatRequest) -> ChatReply:
    asked = [replace(request, seed=request.seed + n, n_replies=1) for n in range(request.n_replies)]
    first, *others = map(_made_up_one, asked)
    return replace(first, others=tuple(replace(one, prompt_tokens=0) for one in others))


def _made_up_one(request: ChatRequest) -> ChatReply:
    chance = random.Random(request.seed)
    if request.schema is None:
        words = [chance.choice(FAKE_WORDS) for _ in range(60)]
    else:
        pairs = {
            name: " ".join(chance.sample(FAKE_WORDS, 3)) for name in request.schema["required"]
        }
        words = json.dumps(pairs, separators=(",", ":")).split(" ")
    kept = words[: request.max_tokens]
    made = reply(
        " ".join(kept),
        "length" if len(kept) < len(words) else "stop",
        prompt_tokens=sum(len(turn.content.split()) for turn in request.messages),
        completion_tokens=len(kept),
    )
    return replace(made, seed=request.seed)


@dataclass(frozen=True)
class Answer:
    """What the HTTP server answers once. `hangs` keeps the client waiting until the server ends;
    `drops` closes the connection instead of answering."""

    status: int = 200
    body: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    hangs: bool = False
    drops: bool = False


def completion(text="Fine.", finish_reason="stop", *others: str, **more) -> Answer:
    """A good reply in OpenAI's shape; with `others`, several to one request."""
    document = {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "served-model",
        "system_fingerprint": "",
        "choices": [
            {
                "index": place,
                "finish_reason": finish_reason,
                "message": {"role": "assistant", "content": one},
            }
            for place, one in enumerate((text, *others))
        ],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14},
    }
    return Answer(body=json.dumps(document | more))


CANARY = completion('{"canary":"sings"}')
"""What a server that holds replies to a schema answers when it is looked over at its opening."""


@dataclass
class Asked:
    """One request that the server got; header names in lower case."""

    path: str
    headers: Mapping[str, str]
    body: dict


class ChatServer:
    """A real HTTP server on 127.0.0.1 that gives the answers it was handed, in their order.

    GET answers are by path, POST answers queue up; with none left it answers 500.
    """

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.gets: dict[str, Answer] = {}
        self._answers: deque[Answer] = deque()
        self._ended = threading.Event()
        self._came = threading.Condition()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def enqueue(self, *answers: Answer) -> None:
        self._answers.extend(answers)

    def start(self) -> None:
        self._thread.start()

    def wait_until_asked(self, times: int, seconds: float = 60) -> None:
        """Return once so many POST requests have come; fail after so many seconds."""
        with self._came:
            came = self._came.wait_for(lambda: len(self.asked) >= times, seconds)
        assert came, f"asked {len(self.asked)} times in {seconds} s"

    def stop(self) -> None:
        self._ended.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _handler(self):
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                self._send(server.gets.get(self.path, Answer(404, "no such path")))

            def do_POST(self):
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                with server._came:
                    server.asked.append(Asked(self.path, headers, json.loads(raw)))
                    server._came.notify_all()
                self._send(server._answers.popleft() if server._answers else Answer(500, "empty"))

            def _send(self, answer):
                if answer.hangs:
                    server._ended.wait()
                if answer.hangs or answer.drops:
                    self.close_connection = True
                    return
                body = answer.body.encode()
                self.send_response(answer.status)
                for name, value in {"Content-Length": str(len(body)), **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        return Handler


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    server = ChatServer()
    server.start()
    try:
        yield server
    finally:
        server.stop()
