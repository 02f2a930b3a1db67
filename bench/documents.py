"""Making the documents of many tables: microseconds a table, and memory that stays.

    python bench/documents.py [--tables 1000000]

Made-up tables with descriptions (bench/catalogue.py), one after the other, as a stream of an ingest
of any length gives them; nothing is sent.
"""

import argparse
import time

from catalogue import Catalogue
from machine import peak_mb, resident_mb

from polaris_search.store.elasticsearch.documents import document_bytes

SEED = 20261130
REPORT_EVERY = 100_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=1_000_000)
    chosen = parser.parse_args()
    made_s = 0.0
    for number, table in enumerate(Catalogue(SEED, 1.0).tables(chosen.tables), start=1):
        began_s = time.process_time()
        document_bytes(table)
        made_s += time.process_time() - began_s
        if number % REPORT_EVERY == 0:
            print(
                f"{number:>9,} tables: {1e6 * made_s / number:.0f} us a document; "
                f"RSS {resident_mb():.0f} MB, peak {peak_mb():.0f} MB",
                flush=True,
            )


if __name__ == "__main__":
    main()
