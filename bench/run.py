"""Every benchmark, one after the other: what `make bench` runs.

    python bench/run.py

With POLARIS_TEST_ES_URL set, the embedded store is also compared with that server, and the store on
that server measured at 20,000 tables. The figures in RESULTS.md for more are runs of their own.
"""

import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent


def main() -> None:
    server = os.environ.get("POLARIS_TEST_ES_URL")
    run("startup.py")
    run("embedded.py", *(["--es", server] if server else []))
    run("retrieval_gain.py", str(FOLDER.parent / "examples" / "tables"))
    run("ingest_scale.py", "--tables", "5000")
    run("readers.py", "--mb", "20", "--tables", "200")
    if server:
        run("scale.py", "--es", server, "--tables", "20000", "--reindex-at", "20000")
        run("shards.py", str(FOLDER.parent / "examples" / "tables"), "--es", server)


def run(script: str, *arguments: str) -> None:
    print(f"== {script} {' '.join(arguments)}".rstrip(), flush=True)
    subprocess.run([sys.executable, FOLDER / script, *arguments], check=True)


if __name__ == "__main__":
    main()
