"""Servers that are started again when a mark says so, as whoever runs them has it done.

Each runs the small model on llama.cpp. `obey` is what a supervisor does: look at the mark, and if
it is a new one, start the server with what the environment file says.
"""

import shlex
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from http_server import Asked, Reply, http_server
from llama_server import LlamaServer, llama_server
from tgi_server import Tgi

from polaris_search.llm.local.gguf import find_gguf
from trainer.publish.lora_gguf import write_lora_gguf


class Supervised:
    """A server and the folder that its supervisor watches."""

    def __init__(self, folder: Path, logs: Path) -> None:
        self.folder = folder
        self.starts = 0
        self.obeys = True
        self._logs = logs
        self._mark = b""
        self._running = ExitStack()

    def obeyed(self) -> Iterator[None]:
        """Obey the mark each time that the next is asked for, as often as one likes."""
        while True:
            yield self.obey()

    def obey(self) -> None:
        mark = self.folder / "restart-wanted"
        if not self.obeys or not mark.exists() or mark.read_bytes() == self._mark:
            return
        self._mark = mark.read_bytes()
        self.stop()
        self.start(self._environment())

    def start(self, environment: dict[str, str]) -> None:
        raise NotImplementedError

    def stop(self) -> None:
        self._running.close()
        self._running = ExitStack()

    def _environment(self) -> dict[str, str]:
        path = self.folder / "adapters.env"
        lines = path.read_text().splitlines() if path.exists() else []
        return dict(line.split("=", 1) for line in lines)

    def _llama(self, adapters: list[Path], port: int) -> LlamaServer:
        self.starts += 1
        log = self._logs / f"llama-{self.starts}.log"
        server = llama_server(find_gguf(None), log, adapters=adapters, slots=1, port=port)
        return self._running.enter_context(server)


class SupervisedLlamacpp(Supervised):
    """llama-server, started with LLAMA_ADAPTER_ARGUMENTS."""

    def __init__(self, folder: Path, logs: Path) -> None:
        super().__init__(folder, logs)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def start(self, environment: dict[str, str]) -> None:
        words = shlex.split(environment.get("LLAMA_ADAPTER_ARGUMENTS", ""))
        loras = [Path(b) for a, b in zip(words, words[1:], strict=False) if a == "--lora"]
        self._llama(loras, self.port)


class SupervisedTgi(Supervised):
    """TGI's stand-in, started with LORA_ADAPTERS; it reads peft's folders, converted for it."""

    def __init__(self, folder: Path, logs: Path) -> None:
        super().__init__(folder, logs)
        self.reads_instead: dict[str, str] = {}
        self._tgi: Tgi | None = None

    def __call__(self, asked: Asked) -> Reply:
        return self._tgi(asked) if self._tgi is not None else Reply(503, b"starting", {})

    def start(self, environment: dict[str, str]) -> None:
        named = [one.split("=") for one in environment.get("LORA_ADAPTERS", "").split(",") if one]
        files = [self._converted(self.reads_instead.get(path, path)) for _, path in named]
        upstream = self._llama(files, 0)
        numbers = {name: number for number, (name, _) in enumerate(named)}
        self._tgi = Tgi(upstream.url, numbers)

    def stop(self) -> None:
        self._tgi = None
        super().stop()

    def _converted(self, path: str) -> Path:
        out = self._logs / f"{Path(path).name}-{self.starts}.gguf"
        return write_lora_gguf(Path(path), find_gguf(None), out)


@contextmanager
def supervised_llamacpp(folder: Path, logs: Path) -> Iterator[SupervisedLlamacpp]:
    """Run it within the block, at first without adapters."""
    server = SupervisedLlamacpp(folder, logs)
    server.start({})
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def supervised_tgi(folder: Path, logs: Path) -> Iterator[tuple[SupervisedTgi, str]]:
    """Run it within the block, at first without adapters; the second value is its address."""
    server = SupervisedTgi(folder, logs)
    server.start({})
    try:
        with http_server(server) as front:
            yield server, front.address
    finally:
        server.stop()
