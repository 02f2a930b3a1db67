"""One Elasticsearch at scale: writing beside the raw client, memory, search times, reindex, size.

    python bench/scale.py --es http://localhost:9205 [--tables 100000]

Fills one index with made-up tables (bench/catalogue.py) and stops at each size to measure searches.
Everything that it makes on the server begins with `polaris-bench`, and is gone at the end.
"""

import argparse
from collections.abc import Iterator
from contextlib import closing, contextmanager

from bulk_rates import REFRESHING, BulkRates, Rates
from catalogue import Catalogue
from elasticsearch import Elasticsearch
from machine import load, peak_mb, resident_mb, start_new_peak
from search_times import SearchTimes, asked_of
from watched import watched_connection

from polaris_search.lifecycle.reindex import reindex
from polaris_search.lifecycle.transform import Renewal
from polaris_search.store.elasticsearch.bulk.chunks import BulkLimits
from polaris_search.store.elasticsearch.store import ElasticsearchStore

SEED = 20261130
ALIAS = "polaris-bench-scale"
SIZES = (1_000, 10_000, 100_000, 1_000_000)
BLOCK = 5_000
REPORT_EVERY = 50_000
PROFILES = ("paper", "default")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--es", required=True, help="address of the server, without credentials")
    parser.add_argument("--tables", type=int, default=100_000)
    parser.add_argument("--raw", type=int, default=200_000, help="tables to write by both sides")
    parser.add_argument("--connections", type=int, default=BulkLimits().connections)
    parser.add_argument("--described", type=float, default=1.0, help="share with a description")
    parser.add_argument("--shards", type=int, default=1)
    parser.add_argument("--queries", type=int, default=300)
    parser.add_argument("--reindex-at", type=int, default=100_000)
    chosen = parser.parse_args()
    limits = BulkLimits(connections=chosen.connections, patience_s=600)
    with emptied(chosen.es, limits, chosen.shards) as store:
        run(store, chosen, limits)


def run(store: ElasticsearchStore, chosen: argparse.Namespace, limits: BulkLimits) -> None:
    keep_refreshing(chosen.es, store)
    catalogue = Catalogue(SEED, chosen.described)
    asked = asked_of(catalogue.words, chosen.queries)
    rates = BulkRates(store, chosen.es, f"{ALIAS}-raw", limits)
    made = 0
    print(
        f"{chosen.tables:,} tables, {chosen.described:.0%} described; {chosen.shards} shards, "
        f"{limits.connections} connections; "
        f"load {load()}",
        flush=True,
    )
    for size in [*(size for size in SIZES if size < chosen.tables), chosen.tables]:
        while made < size:
            n_tables = min(BLOCK, size - made)
            block = list(catalogue.tables(n_tables))
            rates.write(block, beside_raw=made < chosen.raw)
            made += n_tables
            if made % REPORT_EVERY == 0:
                print_rates(made, rates.since_last(), rates.total)
        del block
        store.refresh()
        print_size(chosen.es, size)
        for profile in PROFILES:
            print(SearchTimes.of(store, profile, asked).line(size, profile), flush=True)
        if size == chosen.reindex_at:
            print_reindex(store)
    print_rates(made, rates.since_last(), rates.total)


def keep_refreshing(address: str, store: ElasticsearchStore) -> None:
    """Make the index, and have it refresh every second, as the raw one does: searched or not."""
    store.put([])
    with Elasticsearch(address) as client:
        client.indices.put_settings(index=ALIAS, settings=REFRESHING)


def print_rates(made: int, since: Rates, total: Rates) -> None:
    """Print the rates of late and so far; of the processor, microseconds here + in the server."""
    print(
        f"{made:>9,} tables: ours {since.ours.rate:,.0f} a second, raw {since.raw.rate:,.0f}, "
        f"ratio {since.ratio:.2f}; all so far ours {total.beside.rate:,.0f}, raw "
        f"{total.raw.rate:,.0f}, ratio {total.ratio:.3f}; processor a table ours "
        f"{total.beside.processor_us()} us, raw {total.raw.processor_us()} us; "
        f"RSS {resident_mb():.0f} MB, peak {peak_mb():.0f} MB; load {load()}",
        flush=True,
    )


def print_size(address: str, size: int) -> None:
    with Elasticsearch(address) as client:
        client.indices.flush(index=ALIAS)
        primaries = client.indices.stats(index=ALIAS, metric="store,segments")["_all"]["primaries"]
    n_bytes, segments = primaries["store"]["size_in_bytes"], primaries["segments"]["count"]
    print(f"{size:>9,} tables: {n_bytes / size:,.0f} bytes of index a table, {segments} segments")


def print_reindex(store: ElasticsearchStore) -> None:
    start_new_peak()
    before = resident_mb()
    report = reindex(store, Renewal(), notify=print)
    print(
        f"reindex of {report.tables:,} tables as they are: {report.seconds:.0f} s, "
        f"{report.tables / report.seconds:,.0f} a second, live {report.live}, missing "
        f"{report.missing}; RSS {before:.0f} MB before, peak {peak_mb():.0f} MB; load {load()}",
        flush=True,
    )
    store.generations.prune(0, print)


@contextmanager
def emptied(address: str, limits: BulkLimits, shards: int) -> Iterator[ElasticsearchStore]:
    """Open the store, with nothing of an earlier run in it, and leave nothing behind."""
    connection = watched_connection(address)
    store = ElasticsearchStore(connection, ALIAS, limits, shards)

    def drop() -> None:
        for index in connection.client.indices.get(index=f"{ALIAS}*", expand_wildcards="all"):
            connection.client.indices.delete(index=index)

    drop()
    with closing(store):
        try:
            yield store
        finally:
            drop()


if __name__ == "__main__":
    main()
