"""The program of the local model's process: llama.cpp's HTTP server, until the parent is gone.

Run as `python -m polaris_search.llm.local.child`. The first line of standard input is the server's
LocalPlan as JSON; the pipe then stays open, and its end is the end of the parent, however that
came. Where the server listens is written into a file. llama.cpp logs to standard error.
"""

import json
import os
import shutil
import sys
import threading
from pathlib import Path
from typing import Any

ADDRESS_FILE = "address"
STDIN = 0


def main() -> None:
    """Serve until standard input ends."""
    plan = json.loads(sys.stdin.buffer.readline())
    folder = Path(plan["folder"])
    # Watched from the start: the parent may die while the model is being read.
    # A daemon, so that a model that cannot be read ends the process.
    watch = threading.Thread(target=_end_with_parent, args=(folder,), daemon=True)
    watch.start()
    server = _serve(plan)
    _announce(folder, server.listening_address)
    watch.join()


def _serve(plan: dict[str, Any]) -> Any:  # xllamacpp ships no types
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = plan["gguf"]
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [plan["api_key"]]
    params.n_parallel = plan["slots"]
    params.n_ctx = plan["slots"] * plan["slot_tokens"]  # shared out evenly among the slots
    params.cpuparams.n_threads = plan["threads"]
    params.cpuparams_batch.n_threads = plan["threads"]
    params.slot_save_path = str(folder_for_slots(Path(plan["folder"]))) + os.sep
    if plan["adapter"] is not None:
        params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(plan["adapter"], 1.0)]
    params.use_jinja = True
    params.ui = False
    return xllamacpp.Server(params)


def folder_for_slots(folder: Path) -> Path:
    """Return the folder, made if need be, that the server may save a slot's state in."""
    slots = folder / "slots"
    slots.mkdir(exist_ok=True)
    return slots


def _announce(folder: Path, address: str) -> None:
    unfinished = folder / f"{ADDRESS_FILE}.new"
    unfinished.write_text(address, encoding="utf-8")
    unfinished.replace(folder / ADDRESS_FILE)


def _end_with_parent(folder: Path) -> None:
    # Not sys.stdin: its lock, held here, would stand in the way of a normal exit.
    while os.read(STDIN, 1):
        pass
    shutil.rmtree(folder, ignore_errors=True)
    # The server's threads would keep the process alive, and have nothing to save.
    os._exit(0)


if __name__ == "__main__":
    main()
