"""llama.cpp's HTTP server in a process of its own, as anyone runs it: no key, adapters at scale 0.

As a program it serves until its standard input ends, which a killed parent's does too:

    python tests/llama_server.py --slots 4 --slot-tokens 2048

The product's own local kind is `polaris_search.llm.local.child_server`; here the same server
is only an address, which `POLARIS_LLM_KIND=llamacpp` or a shim in front of it is pointed at.
"""

import argparse
import http.client
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

START_S = 120
POLL_S = 0.05
STDIN = 0


@dataclass(frozen=True)
class LlamaServer:
    """A running server. The n-th adapter has the id n, and no say until a request gives it one."""

    url: str
    gguf: Path
    slots: int
    slot_tokens: int
    adapters: tuple[Path, ...]
    log: Path
    process: subprocess.Popen


@contextmanager
def llama_server(
    gguf: Path,
    log: Path,
    *,
    adapters: Sequence[Path] = (),
    slots: int = 4,
    slot_tokens: int = 2048,
    port: int = 0,
) -> Iterator[LlamaServer]:
    """Serve `gguf` within the block, on a free port or that one; what it says goes into `log`."""
    command = [sys.executable, __file__, "--gguf", gguf, "--slots", slots]
    command += ["--slot-tokens", slot_tokens, "--port", port]
    command += [f"--lora={path}" for path in adapters]
    with log.open("wb") as to:
        process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=to,
            start_new_session=True,
        )
    with process:
        try:
            url = _announced(process, log)
            _wait_until_healthy(url, process, log)
            yield LlamaServer(url, gguf, slots, slot_tokens, tuple(adapters), log, process)
        finally:
            process.kill()  # it has nothing to save


def _announced(process: subprocess.Popen, log: Path) -> str:
    for line in iter(process.stdout.readline, b""):
        if line.startswith(b"http"):
            return line.decode().strip()
    raise AssertionError(f"llama.cpp ended at its start: {log.read_text(errors='replace')[-2000:]}")


def _wait_until_healthy(url: str, process: subprocess.Popen, log: Path) -> None:
    until = time.monotonic() + START_S
    while not _is_healthy(url):
        assert process.poll() is None, f"llama.cpp ended: {log.read_text(errors='replace')[-2000:]}"
        assert time.monotonic() < until, f"llama.cpp is not ready after {START_S} s"
        time.sleep(POLL_S)


def _is_healthy(url: str) -> bool:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=5)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def main() -> None:
    """Serve what the arguments say; the first line printed is the address."""
    import xllamacpp

    from polaris_search.llm.local.gguf import find_gguf

    asked = _arguments()
    params = xllamacpp.CommonParams()
    params.model.path = str(find_gguf(asked.gguf))
    params.hostnames = ["127.0.0.1"]
    params.port = asked.port
    params.n_parallel = asked.slots
    params.n_ctx = asked.slots * asked.slot_tokens  # shared out evenly among the slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = asked.threads
    params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(path, 0.0) for path in asked.lora]
    params.cache_ram_mib = (
        0  # a prompt asked twice is read twice, but for what its slot still holds
    )
    params.endpoint_metrics = True
    params.use_jinja = True
    params.ui = False
    server = xllamacpp.Server(params)
    os.write(1, server.listening_address.encode() + b"\n")
    while os.read(STDIN, 1):
        pass
    os._exit(0)  # the server's threads would keep the process alive


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Serve a GGUF model with llama.cpp over HTTP.")
    parser.add_argument("--gguf", type=Path, help="the model; the small one where not given")
    parser.add_argument("--lora", action="append", default=[], help="an adapter's GGUF file")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--slots", type=int, default=4, help="requests at a time")
    parser.add_argument("--slot-tokens", type=int, default=2048, help="context of each")
    parser.add_argument("--threads", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
