"""How long a person waits for whole commands: interpreter, imports, one search on 1,000 tables.

    python bench/startup.py [--runs 15]

Medians of whole processes, beside an interpreter that does nothing but import numpy.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from zipf_tables import Words, queries, tables

from polaris_search.store.embedded.store import EmbeddedStore

SEED = 20261130
ADMIN = (sys.executable, "-m", "polaris_search.cli.main")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=15)
    runs = parser.parse_args().runs
    words = Words(SEED)
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder) / "store", words)
        query = queries(words, 1)[0]
        search = (*ADMIN, "search", query, "--json")
        median_s(search, folder, 1)  # builds the cache
        peer = median_s((sys.executable, "-c", "import numpy"), folder, runs)
        print(f"{'whole process':<34}{'median s':>9}  bar      ratio to `import numpy`")
        print(f"{'python -c import numpy':<34}{peer:>9.3f}")
        for what, command, bar_s in (
            ("polaris-admin search, 1,000 tables", search, 0.7),
            ("polaris-admin --help", (*ADMIN, "--help"), 0.4),
        ):
            seconds = median_s(command, folder, runs)
            verdict = "holds" if seconds <= bar_s else "FAILS"
            print(f"{what:<34}{seconds:>9.3f}  <= {bar_s} {verdict}  {seconds / peer:.2f} x")


def fill(folder: Path, words: Words) -> None:
    store = EmbeddedStore(folder)
    store.put(tables(words, 1000))
    store.refresh()
    store.close()


def median_s(command: tuple[str, ...], folder: str, runs: int) -> float:
    environment = {"PATH": os.environ["PATH"], "POLARIS_STORE": f"file:{folder}/store"}
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


if __name__ == "__main__":
    main()
