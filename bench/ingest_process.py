"""`polaris-admin ingest` as a process of its own, watched from outside, or killed."""

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polaris_search.settings import read_settings
from polaris_search.store.opening import open_store

LOOK_EVERY_S = 1.0
QUARTERS = (0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Run:
    """What a finished ingest reported, and what it took.

    Attributes:
        report: the JSON that it printed.
        told: its lines on stderr.
        sizes_mb: resident memory at each look.
        peak_mb: the most that it had.
        processor_s: seconds of processor, all its threads.
    """

    report: dict[str, Any]
    told: tuple[str, ...]
    sizes_mb: tuple[float, ...]
    peak_mb: float
    processor_s: float

    @property
    def quarters_mb(self) -> Iterator[float]:
        """Resident memory when a quarter, a half, three quarters and all of the time was over."""
        last = len(self.sizes_mb) - 1
        return (self.sizes_mb[round(share * last)] for share in QUARTERS)


def finished(catalogue: Path, home: Path, es: str | None, expand: str) -> Run:
    """Run an ingest to its end.

    Raises:
        RuntimeError: it failed; the message is what it said.
    """
    process = start(catalogue, home, es, expand)
    sizes: list[float] = []
    peaks: list[float] = []
    watcher = threading.Thread(target=watch, args=(process.pid, sizes, peaks))
    watcher.start()
    out, told = process.stdout.read(), process.stderr.read()  # stderr is a few lines: no dead end
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    watcher.join()
    if process.returncode:
        raise RuntimeError(told)
    return Run(
        json.loads(out),
        tuple(told.splitlines()),
        tuple(sizes),
        max(peaks),
        usage.ru_utime + usage.ru_stime,
    )


def killed_at(catalogue: Path, home: Path, es: str | None, expand: str, n_tables: int) -> int:
    """Run an ingest, kill it without warning when so many tables are stored; return how many."""
    process = start(catalogue, home, es, expand)
    with process:
        while process.poll() is None and count(home, es) < n_tables:
            time.sleep(LOOK_EVERY_S)
        process.kill()
    return count(home, es, refreshed=True)


def start(catalogue: Path, home: Path, es: str | None, expand: str) -> "subprocess.Popen[str]":
    home.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "polaris_search.cli.main", "ingest", str(catalogue), "--json"]
        + ["--describe", "none", "--expand", expand],
        env={**os.environ, **places(home, es)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def places(home: Path, es: str | None) -> dict[str, str]:
    """Return the settings that say where an ingest stores."""
    return {"POLARIS_HOME": str(home), "POLARIS_STORE": es or f"file:{home}/store"}


def count(home: Path, es: str | None, *, refreshed: bool = False) -> int:
    """Return how many tables are stored by now."""
    with closing(open_store(read_settings(places(home, es)))) as store:
        if refreshed:
            store.refresh()
        return store.status().tables


def watch(pid: int, sizes_mb: list[float], peaks_mb: list[float]) -> None:
    """Note the process's resident memory, and the most that it had, until it is gone."""
    status = Path(f"/proc/{pid}/status")
    while True:
        try:
            lines = status.read_text().splitlines()
        except (FileNotFoundError, ProcessLookupError):
            return
        sizes = {line.split()[0]: int(line.split()[1]) for line in lines if " kB" in line}
        if not sizes:  # it has ended, and nobody has waited for it yet
            return
        sizes_mb.append(sizes["VmRSS:"] / 1000)
        peaks_mb.append(sizes["VmHWM:"] / 1000)
        time.sleep(LOOK_EVERY_S)
