"""Who holds a lease: one process of one machine, told apart from all others there ever were.

Tells whether that process is gone, where that can be known: on this machine. Of a process
elsewhere only its signs of life can be waited for.
"""

import os
import socket
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

_PROCESSES = Path("/proc")
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_PID_NAMESPACE = Path("/proc/self/ns/pid")
_HIDDEN = "hidden"


@dataclass(frozen=True, slots=True)
class Holder:
    """A process: `machine` tells one boot of one (virtual) machine or container from all others.

    Attributes:
        host: the machine's name, for people.
        machine: equal for two processes only if each can see whether the other runs.
        pid: the process's number there.
        started: when the process started, in the machine's own ticks; tells a number used again.
        since: when it took the lease, ISO 8601 in UTC, for people.
    """

    host: str
    machine: str
    pid: int
    started: str
    since: str

    @property
    def name(self) -> str:
        """What people see of it."""
        return f"process {self.pid} on {self.host}, since {self.since}"

    def is_gone(self) -> bool | None:
        """Return whether the process has ended; None where this machine cannot know."""
        if self.machine != _machine():
            return None
        started = _started(self.pid)
        return None if started == _HIDDEN else started != self.started


def this_process(now: datetime | None = None) -> Holder:
    """Return this process as a holder."""
    moment = (now or datetime.now(UTC)).astimezone(UTC)
    return Holder(
        host=socket.gethostname(),
        machine=_machine(),
        pid=os.getpid(),
        started=_started(os.getpid()),
        since=f"{moment:%Y-%m-%dT%H:%M:%SZ}",
    )


def _machine() -> str:
    """Return what names this boot and this process namespace; the host alone without /proc."""
    parts = [socket.gethostname()]
    if _BOOT_ID.is_file():
        parts += [_BOOT_ID.read_text().strip(), os.readlink(_PID_NAMESPACE)]
    return "/".join(parts)


def _started(pid: int) -> str:
    """Return when the process of this number started; empty if there is none, or it is a zombie.

    _HIDDEN where it runs, and this user may not see since when (procfs mounted with hidepid).
    """
    if not _BOOT_ID.is_file():
        return "running" if _answers(pid) else ""
    try:
        stat = (_PROCESSES / str(pid) / "stat").read_text(errors="replace")
    except (FileNotFoundError, ProcessLookupError, PermissionError):
        return _HIDDEN if _answers(pid) else ""
    after_name = stat.rpartition(")")[2].split()
    state, start_ticks = after_name[0], after_name[19]
    return "" if state in ("Z", "X") else start_ticks


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
