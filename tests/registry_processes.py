"""Processes that change a registry of adapters, for tests that race them or kill them.

    python tests/registry_processes.py race HOME NAME      says "ready", waits for a line, promotes
    python tests/registry_processes.py kill HOME TO CHANGE  kills one process at each of its steps

The second copies HOME to TO/0, TO/1, ... and has one process after the other make the change in
its copy, the n-th killed (by SIGKILL) as it is about to do its n-th step on the file system; the
last one gets through.
"""

import os
import shutil
import signal
import sys
from pathlib import Path

from polaris_search.errors import PolarisError
from trainer.adapters.adding import add
from trainer.adapters.promotion import decision, promote, rollback
from trainer.adapters.registry import Registry

STEPS = frozenset(
    ("open", "write", "flush", "fsync", "sendfile", "close", "execute")
    + ("rename", "replace", "mkdir", "rmdir", "unlink", "remove", "utime", "chmod")
)
"""What the interpreter calls such functions as: a kill comes before each call of one."""
MOST_STEPS = 500

CHANGES = {
    "promote": lambda registry: promote(registry, "new", decision(registry)),
    "rollback": lambda registry: rollback(registry, None, decision(registry)),
    "write_gate": lambda registry: registry.write_gate("new", b'{"verdict": "refuse"}'),
    "add": lambda registry: add(registry, registry.home / "run", "added"),
}


def main() -> None:
    mode, home, *rest = sys.argv[1:]
    if mode == "race":
        race(Registry(Path(home)), *rest)
    else:
        kill(Path(home), Path(rest[0]), rest[1])


def race(registry: Registry, name: str) -> None:
    decided = decision(registry)
    say("ready")
    sys.stdin.readline()
    try:
        promote(registry, name, decided)
    except PolarisError as error:
        say(f"lost: {error}")
    else:
        say("won")


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def kill(home: Path, copies: Path, change: str) -> None:
    for step in range(MOST_STEPS):
        copy = copies / str(step)
        shutil.copytree(home, copy)
        child = os.fork()
        if child == 0:
            sys.setprofile(killer_at(step))
            CHANGES[change](Registry(copy))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            sys.exit(os.waitstatus_to_exitcode(status))
    sys.exit("it never gets through")


def killer_at(step: int):
    """Return a profiler that kills the process before its step of this number."""
    done = 0

    def profiler(frame: object, event: str, called: object) -> None:
        nonlocal done
        if event == "c_call" and called.__name__ in STEPS:
            if done == step:
                os.kill(os.getpid(), signal.SIGKILL)
            done += 1

    return profiler


if __name__ == "__main__":
    main()
