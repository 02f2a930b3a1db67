"""Ranking candidate descriptions: the closed form beside an index for each gold table.

    python bench/ranking.py [--es http://localhost:9200] [--large]

Made-up tables with candidates of about 250 words, three queries a gold table. The closed form runs
three times: with nothing known of the texts, keeping their analysis, and finding it. The slow way
stores the corpus of a few gold tables, one after the other, and searches it; its time for all gold
tables is that of one times their number. --large adds 100,000 tables, --only-large takes no others.
"""

import argparse
import random
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path

from machine import load, peak_mb, resident_mb, start_new_peak

from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.records import Column, Description, EnrichedTable, Provenance, RawTable
from polaris_search.store.protocol import TableStore
from trainer.ranking.analysis_cache import AnalysisCache
from trainer.ranking.ranker import Ranker, TableToRank

SEED = 20261130
K = 3
N_WORDS = 250
QUERIES_A_TABLE = 3
SIZES = ((500, 500), (2_000, 2_000), (5_000, 5_000), (2_015, 2_015), (4_634, 400))
LARGE = (100_000, 10_000)
SAMPLE = 5
PROFILE = profile_named("paper-single")


@dataclass(frozen=True)
class World:
    """Tables, the first of which are gold, with words that are as frequent as in prose."""

    n_tables: int
    n_gold: int

    def texts(self, table: int) -> list[str]:
        """Return a table's candidates."""
        chance = random.Random(f"{SEED}:{table}")
        return [words(chance, N_WORDS) for _ in range(K if table < self.n_gold else 1)]

    def queries(self) -> list[str]:
        chance = random.Random(SEED)
        return [words(chance, 8) for _ in range(QUERIES_A_TABLE * self.n_gold)]

    def asked(self, table: int) -> list[int]:
        first = QUERIES_A_TABLE * table
        return list(range(first, first + QUERIES_A_TABLE)) if table < self.n_gold else []

    def to_rank(self) -> Iterator[TableToRank]:
        for table in range(self.n_tables):
            versions = [{"description": [text]} for text in self.texts(table)]
            yield TableToRank(versions, self.asked(table))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--es", help="a server to make indexes on; without, the embedded store")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--only-large", action="store_true")
    chosen = parser.parse_args()
    sizes = () if chosen.only_large else SIZES
    for n_tables, n_gold in sizes + ((LARGE,) if chosen.large or chosen.only_large else ()):
        world = World(n_tables, n_gold)
        with tempfile.TemporaryDirectory() as folder:
            seconds = closed_form(world, "nothing known", None)
            closed_form(world, "kept", Path(folder))
            closed_form(world, "known", Path(folder))
            kept_mb = sum(path.stat().st_size for path in Path(folder).rglob("*.npz")) / 2**20
        print(f"{'':>7} kept on disk: {kept_mb:.0f} MB", flush=True)
        if n_tables != LARGE[0]:
            slow_way(world, seconds, chosen.es)


def closed_form(world: World, what: str, folder: Path | None) -> float:
    """Rank all, print where the time went, and return it, without that of making the texts.

    Of the large world the texts are made as they are read; their making is measured on its own.
    """
    texts = list(world.to_rank()) if world.n_tables < LARGE[0] else world.to_rank()
    made_cpu_s = 0.0 if isinstance(texts, list) else making_cpu_s(world)
    queries = world.queries()
    start_new_peak()
    began, began_cpu = time.perf_counter(), time.process_time()
    with closing(AnalysisCache(folder, most_bytes=2**40)) as cache:
        ranker = Ranker(texts, queries, PROFILE, cache=cache)
    read_cpu_s = time.process_time() - began_cpu
    members = ranker.tables.first[:-1].copy()
    ranker.means(members)
    all_s, all_cpu_s = time.perf_counter() - began, time.process_time() - began_cpu
    began, began_cpu = time.perf_counter(), time.process_time()
    ranker.means(members)
    round_s, round_cpu_s = time.perf_counter() - began, time.process_time() - began_cpu
    making = f", {made_cpu_s:.2f} making them" if made_cpu_s else ""
    print(
        f"{world.n_tables:>7,} tables, {world.n_gold:,} gold, {what}: ranked in {all_s:.2f} s "
        f"(processor {all_cpu_s:.2f}: {read_cpu_s:.2f} reading texts{making}); a further round "
        f"{round_s:.3f} s (processor {round_cpu_s:.3f}); "
        f"RSS {resident_mb():.0f} MB, peak {peak_mb():.0f} MB; load {load()}",
        flush=True,
    )
    return all_s


def making_cpu_s(world: World) -> float:
    began = time.process_time()
    for _ in world.to_rank():
        pass
    return time.process_time() - began


def slow_way(world: World, closed_s: float, address: str | None) -> None:
    """Rank a few gold tables by an index each, and print how much longer all would take."""
    texts = [world.texts(table) for table in range(world.n_tables)]
    queries = world.queries()
    with tempfile.TemporaryDirectory() as folder, closing(opened(address, Path(folder))) as store:
        began = time.perf_counter()
        for gold in range(SAMPLE):
            served(texts, gold, [queries[query] for query in world.asked(gold)], store)
        one_s = (time.perf_counter() - began) / SAMPLE
    where = "Elasticsearch" if address else "embedded store"
    print(
        f"{'':>7} an index each on the {where}: {one_s:.2f} s a gold table, "
        f"{one_s * world.n_gold:,.0f} s for all: {one_s * world.n_gold / closed_s:,.0f} times",
        flush=True,
    )


def served(
    texts: Sequence[Sequence[str]], gold: int, queries: Iterable[str], store: TableStore
) -> None:
    names = [f"copy {place}" for place in range(K)]
    with store.scratch() as scratch:
        scratch.put(corpus(texts, gold))
        scratch.refresh()
        for query in queries:
            scratch.search(plan_query(PROFILE, query), K, {"table_id": names})


def corpus(texts: Sequence[Sequence[str]], gold: int) -> Iterator[EnrichedTable]:
    for table, candidates in enumerate(texts):
        if table != gold:
            yield stored(f"t{table}", candidates[0])
        else:
            yield from (stored(f"copy {place}", text) for place, text in enumerate(candidates))


def stored(table_id: str, text: str) -> EnrichedTable:
    return replace(
        PLAIN, raw=replace(PLAIN.raw, table_id=table_id), description=Description(text, *[""] * 5)
    )


PLAIN = EnrichedTable(RawTable("t", "t", (Column("a"),)), Provenance("bench"))


def opened(address: str | None, folder: Path) -> TableStore:
    if address is None:
        from polaris_search.store.embedded.store import EmbeddedStore

        return EmbeddedStore(folder / "store")
    from elasticsearch import Elasticsearch

    from polaris_search.store.elasticsearch.server.connection import Connection
    from polaris_search.store.elasticsearch.store import ElasticsearchStore

    client = Elasticsearch(address, request_timeout=600)
    return ElasticsearchStore(Connection(client, client, address), "polaris-bench-ranking")


_CHANCE = random.Random(SEED)
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_VOCABULARY = ["".join(_CHANCE.choices(_LETTERS, k=_CHANCE.randint(3, 9))) for _ in range(20_000)]
_SHARES = list(accumulate(1 / (rank + 1) for rank in range(len(_VOCABULARY))))


def words(chance: random.Random, n: int) -> str:
    """Return words as frequent as by Zipf's law."""
    return " ".join(chance.choices(_VOCABULARY, cum_weights=_SHARES, k=n))


if __name__ == "__main__":
    main()
