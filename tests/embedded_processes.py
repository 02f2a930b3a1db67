"""Programs that run in processes of their own at an embedded store's folder, and may be killed."""

import signal
import subprocess
import sys
from pathlib import Path

BEGINNING = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from generations import as_given, copy, finish, marked, reindex, unheard
from tables import fill, found, table
from polaris_search.store.embedded.store import EmbeddedStore
store = EmbeddedStore(Path({folder!r}))
def die():
    os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(folder, program, *arguments):
    """Run a program that kills itself, which it must."""
    assert ended(start(folder, program, *arguments)) == (-signal.SIGKILL, "", "")


def run(folder, program, *arguments):
    """Run a program to its end; return what it printed."""
    code, output, errors = ended(start(folder, program, *arguments))
    assert (code, errors) == (0, "")
    return output


def start(folder, program, *arguments):
    """Start a program that finds an open `store`, `die` and the helpers of the tests."""
    lines = program.splitlines()
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    code = BEGINNING.format(tests=str(Path(__file__).parent), folder=str(folder))
    code += "\n".join(line[indent:] for line in lines)
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process):
    """Return how a process ended, what it printed, and its errors; its input ends."""
    output, errors = process.communicate(timeout=120)
    return process.returncode, output, errors
