"""`polaris-admin` as a person runs it: a process, its output, its exit code."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

COMMAND = [sys.executable, "-m", "polaris_search.cli.main"]


def environment(store_url: str, **more: str) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "COLUMNS": "200", "POLARIS_STORE": store_url, **more}


class Commands:
    """Runs commands in a folder of its own, on one store."""

    def __init__(self, folder: Path, store_url: str) -> None:
        self.folder = folder
        self.store_url = store_url

    def __call__(self, *arguments: object, given: bytes | None = None, **more: str):
        """Run a command to its end; `given` is its standard input."""
        return subprocess.run(
            [*COMMAND, *map(str, arguments)],
            cwd=self.folder,
            env=environment(self.store_url, **more),
            input=given,
            capture_output=True,
            check=False,
        )

    def answer(self, *arguments: object, exit_code: int = 0, **more: str) -> dict[str, Any]:
        """Run a command with --json, and return what it printed."""
        finished = self(*arguments, "--json", **more)
        assert finished.returncode == exit_code, finished.stderr.decode()
        return json.loads(finished.stdout)

    def start(self, *arguments: object, **more: str) -> subprocess.Popen:
        """Start a command; its stderr is a pipe of text."""
        return subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            cwd=self.folder,
            env=environment(self.store_url, **more),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=_take_interrupts,
        )

    def tables(self, *rows: tuple[str, str]) -> Path:
        """Write a source of tables, each given as id and name."""
        path = self.folder / "tables.jsonl"
        lines = [json.dumps({"table_id": key, "name": name, "columns": []}) for key, name in rows]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path


def _take_interrupts() -> None:
    """Let Ctrl-C reach the command also where this process ignores it, as a background job does."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
