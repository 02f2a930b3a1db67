"""A real Elasticsearch of a test's own, which it may kill, stop, suspend and start again.

POLARIS_TEST_ES_COMMAND names the command that starts one: it must know `start`, `stop` and `status`
with --port, --dir, --heap and --secure, and print `pid:`, and for a secure one `ca:`, `user:` and
`password:`, as its status. Settings that such a command has no option for are given to the server's
own launcher, which is run as the command ran it.
"""

import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import pytest
from elasticsearch import ApiError, Elasticsearch, TransportError

from polaris_search.store.elasticsearch.server.node import QuietNode

START_S = 180
PORTS = range(20_000, 30_000)
"""Below those that the system gives to outgoing connections: while the server is down, a client
that keeps trying could be connected to itself, and hold the port."""

LAUNCHER = "org.elasticsearch.server.launcher.ServerLauncher"


@dataclass
class OwnServer:
    """One server; its data stays until `own_server`'s block ends.

    Attributes:
        command: what starts, stops and describes it.
        folder: an empty folder that the server's user can enter.
        port: where it listens.
        secure: whether with TLS and users.
        heap: Java's memory, such as 256m.
        settings: lines of elasticsearch.yml beside the command's own; they win.
        elects: whether it gets a master, so that there is a healthy cluster to wait for.
    """

    command: Sequence[str]
    folder: Path
    port: int
    secure: bool = False
    heap: str = "256m"
    settings: Mapping[str, str] = field(default_factory=dict)
    elects: bool = True
    launch: Callable[[], None] | None = None

    @property
    def url(self) -> str:
        """Its address, without credentials."""
        return f"{'https' if self.secure else 'http'}://localhost:{self.port}"

    @property
    def store(self) -> str:
        """Its address as POLARIS_STORE wants it, with user and password where it has users."""
        if not self.secure:
            return self.url
        told = self.status()
        return self.url.replace("//", f"//{quote(told['user'])}:{quote(told['password'])}@")

    @property
    def ca_certs(self) -> Path | None:
        """The certificate to trust."""
        return Path(self.status()["ca"]) if self.secure else None

    @property
    def pid(self) -> int | None:
        """The process's number; None while it does not run."""
        pid = self.status().get("pid")
        return int(pid) if pid else None

    def status(self) -> dict[str, str]:
        """Return what the command says of it."""
        lines = self._run("status", accept=(0, 3)).splitlines()
        return dict(line.split(": ", 1) for line in lines if ": " in line)

    def client(self) -> Elasticsearch:
        """Return a client with all rights, that gives up at once; the caller closes it."""
        if not self.secure:
            return Elasticsearch(self.url, max_retries=0, node_class=QuietNode)
        told = self.status()
        return Elasticsearch(
            self.url,
            ca_certs=told["ca"],
            basic_auth=(told["user"], told["password"]),
            max_retries=0,
            node_class=QuietNode,
        )

    def start(self) -> None:
        """Start it unless it runs, with the data it has, and wait until it serves."""
        if self.pid is not None:
            return
        if self.launch is not None:
            self.launch()
            self._wait_until_it_serves()
            return
        secure = ["--secure"] if self.secure else []
        self._run("start", "--heap", self.heap, *secure)
        if self.settings:
            self.launch = _launcher(self._running_pid(), self.folder, self.settings)
            self.kill()  # there is nothing in it yet
            self.start()

    def stop(self) -> None:
        """Stop it as an operator would."""
        self._run("stop")

    def kill(self) -> None:
        """Kill it without warning (SIGKILL)."""
        pid = self._running_pid()
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not _arguments(pid), 60, "the killed server is gone")

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Keep it from answering for as long as the block runs: connections stay open."""
        pid = self._running_pid()
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def purge(self) -> None:
        """Stop it and delete its data."""
        self._run("stop", "--purge")

    def _running_pid(self) -> int:
        pid = self.pid
        if pid is None:
            pytest.fail(f"The server at {self.url} does not run any more.")
        return pid

    def _wait_until_it_serves(self) -> None:
        def serves() -> bool:
            try:
                health = client.cluster.health(master_timeout="1s")
                return health["status"] in ("green", "yellow")
            except ApiError:
                return not self.elects
            except TransportError:
                return False

        with self.client() as client:
            wait_until(serves, START_S, f"{self.url} serves")

    def _run(self, verb: str, *options: str, accept: Sequence[int] = (0,)) -> str:
        where = ["--port", str(self.port), "--dir", str(self.folder)]
        done = subprocess.run(
            [*self.command, verb, *where, *options], capture_output=True, text=True, check=False
        )
        if done.returncode not in accept:
            pytest.fail(f"{self.command[0]} {verb} failed:\n{done.stdout}{done.stderr}")
        return done.stdout


@contextmanager
def own_server(
    command: Sequence[str],
    *,
    secure: bool = False,
    heap: str = "256m",
    settings: Mapping[str, str] | None = None,
    elects: bool = True,
) -> Iterator[OwnServer]:
    """Start a server of this block's own on a free port; it and its data are gone afterwards.

    In `settings`, FOLDER stands for the server's folder, as in {"path.repo": "FOLDER/backups"}.
    """
    parent = Path(tempfile.mkdtemp(prefix="polaris-es-"))
    parent.chmod(0o755)  # the server may run as another user, which must get through
    folder = parent / "server"
    asked = {name: text.replace("FOLDER", str(folder)) for name, text in (settings or {}).items()}
    server = OwnServer(command, folder, free_port(), secure, heap, asked, elects)
    try:
        server.start()
        yield server
    finally:
        server.purge()
        shutil.rmtree(parent, ignore_errors=True)


def free_port() -> int:
    """Return a port that nobody listens on."""
    for port in random.sample(PORTS, len(PORTS)):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    pytest.fail("No port is free.")


def wait_until(holds: Callable[[], bool], seconds: float, what: str) -> None:
    """Return as soon as the condition holds; fail after so many seconds."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            pytest.fail(f"Waited {seconds} s in vain until {what}.")
        time.sleep(0.05)


def _launcher(pid: int, folder: Path, settings: Mapping[str, str]) -> Callable[[], None]:
    """Return what starts the server of this process again, with more settings."""
    environment = _environment(pid)
    environment["ES_TMPDIR"] = environment["LIBFFI_TMPDIR"]
    home = Path(environment["ES_HOME"])
    java = [environment["JAVA"], *environment["CLI_JAVA_OPTS"].split()]
    launcher = ["-cp", f"{home}/lib/tools/server-launcher/*", LAUNCHER]
    options = ["--daemonize", "--pidfile", str(folder / "pid")]
    options += [f"-E{name}={text}" for name, text in settings.items()]
    owner = (folder / "data").stat()
    user = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}

    def launch() -> None:
        (folder / "pid").unlink(missing_ok=True)  # the launcher makes it, and wants to be first
        with (folder / "logs" / "console.log").open("wb") as console:
            done = subprocess.run(
                [*java, *launcher, *options],
                env=environment,
                cwd=home,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                timeout=START_S,
                check=False,
                **(user if os.geteuid() == 0 else {}),
            )
        if done.returncode != 0:
            pytest.fail(f"The server did not start:\n{_end(folder / 'logs' / 'console.log')}")

    return launch


def _environment(pid: int) -> dict[str, str]:
    pairs = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair)


def _arguments(pid: int) -> bytes:
    """Return the process's command line; empty once it is gone, even where nobody reaps it."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def _end(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-30:])
