"""Starts and ends llama.cpp's HTTP server in a process of its own, on a free port of 127.0.0.1.

A crash of that process leaves this one alone, and it ends when this one does, killed or not: its
standard input is a pipe that only this process holds.
"""

import http.client
import json
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

from polaris_search.errors import ServiceUnreachable
from polaris_search.llm.local.child import ADDRESS_FILE
from polaris_search.llm.local.gguf import require_server

POLL_S = 0.05
STOP_S = 5.0
HEALTH_S = 1.0
START_DEADLINE_S = 180.0
"""A small model is there in a second; one of several gigabytes is read from the disk first."""


@dataclass(frozen=True, slots=True)
class LocalPlan:
    """What to serve. `slot_tokens` is the context of each of the `slots` parallel requests.

    `adapter` is the GGUF file of the adapter on the model, None for the model alone; the file's
    name without its ending is the adapter's.
    """

    gguf: Path
    log_path: Path
    slots: int = 4
    slot_tokens: int = 2048
    threads: int = 1
    adapter: Path | None = None


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A running server: where it is, the key it wants, and its process."""

    plan: LocalPlan
    url: str
    api_key: str
    process: subprocess.Popen[bytes]
    folder: tempfile.TemporaryDirectory[str]

    @property
    def is_running(self) -> bool:
        """Whether its process lives."""
        return self.process.poll() is None

    def stop(self) -> None:
        """End the process and remove its files; harmless when it has ended already."""
        _end(self.process)
        self.folder.cleanup()


@contextmanager
def local_server(plan: LocalPlan) -> Iterator[LocalServer]:
    """Serve while the context lasts; see start_local_server."""
    server = start_local_server(plan)
    try:
        yield server
    finally:
        server.stop()


def start_local_server(
    plan: LocalPlan,
    *,
    given_up: Callable[[], bool] = lambda: False,
    deadline_s: float = START_DEADLINE_S,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> LocalServer:
    """Return the server once it answers.

    Asked several times a second, `given_up` says whether it is wanted no more, which ends it.

    Raises:
        UsageError: llama.cpp's server is not installed.
        ServiceUnreachable: the process ended, did not answer in `deadline_s` seconds, or is given
            up.
    """
    require_server()
    # The child removes it too, for the case that this process has no time left to.
    folder = tempfile.TemporaryDirectory(prefix="polaris-llm-", ignore_cleanup_errors=True)
    api_key = secrets.token_urlsafe(24)
    process = _start(plan, folder.name, api_key)
    until = clock() + deadline_s
    try:
        while (url := _ready(Path(folder.name))) is None:
            _check(process, plan, late=clock() > until)
            if given_up():
                raise ServiceUnreachable("The local model was closed before it had started.")
            sleep(POLL_S)
    except BaseException:  # an interrupt, too, must leave no process behind
        # It may hear of nothing while it reads the model, and has nothing to save.
        process.kill()
        _end(process)
        folder.cleanup()
        raise
    return LocalServer(plan, url, api_key, process, folder)


def _start(plan: LocalPlan, folder: str, api_key: str) -> subprocess.Popen[bytes]:
    plan.log_path.parent.mkdir(parents=True, exist_ok=True)
    with plan.log_path.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "polaris_search.llm.local.child"],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            start_new_session=True,  # Ctrl-C is for this process, which then ends the other
        )
    paths = {
        "gguf": str(plan.gguf),
        "log_path": str(plan.log_path),
        "adapter": None if plan.adapter is None else str(plan.adapter),
    }
    line = json.dumps({**asdict(plan), **paths, "folder": folder, "api_key": api_key})
    if process.stdin is not None:
        with suppress(BrokenPipeError):  # it ended at once; the caller finds out why
            process.stdin.write(line.encode() + b"\n")
            process.stdin.flush()
    return process


def _ready(folder: Path) -> str | None:
    """Return the server's address if it is announced and healthy."""
    try:
        address = (folder / ADDRESS_FILE).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    # Not urllib: that would go through the machine's proxy.
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=HEALTH_S)
    try:
        connection.request("GET", "/health")
        return address if connection.getresponse().status == 200 else None
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


def _check(process: subprocess.Popen[bytes], plan: LocalPlan, *, late: bool) -> None:
    if process.poll() is not None:
        cause = f"{plan.gguf.name} may be damaged or too large"
        if plan.adapter is not None:
            cause += f", or {plan.adapter.name} an adapter of another model (POLARIS_ADAPTER)"
        raise ServiceUnreachable(
            f"The local model's server ended at its start (code {process.returncode}). "
            f"{plan.log_path} says why; {cause}."
        )
    if late:
        raise ServiceUnreachable(
            f"The local model's server did not get ready. {plan.log_path} says how far it came."
        )


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.stdin is not None:
        with suppress(BrokenPipeError):  # it has ended with bytes unread
            process.stdin.close()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
