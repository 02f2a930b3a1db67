"""What several shards change: order, scores and nDCG@10 of a real data set, against one shard.

    python bench/shards.py FOLDER --es http://localhost:9205 [--shards 2 5]

FOLDER holds metadata.csv, queries.csv and qrels.csv, as examples/tables does. "global" is how the
product searches: the words are counted over all shards first (dfs_query_then_fetch). "local" is
Elasticsearch's default, each shard counting its own, for comparison.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from elasticsearch import Elasticsearch

from ingest.expand.lexical import LexicalExpander
from ingest.pipeline import ingest
from ingest.readers.sources import read_sources
from polaris_search.evaluate.dataset import Dataset, read_dataset
from polaris_search.evaluate.measures import evaluate_run
from polaris_search.evaluate.run import Run
from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.query import search_body
from polaris_search.store.elasticsearch.server.connection import connect
from polaris_search.store.elasticsearch.store import ElasticsearchStore
from polaris_search.store.protocol import ScoredTable

ALIAS = "polaris-bench-shards"
SIZE = 10
GLOBAL, LOCAL = "dfs_query_then_fetch", "query_then_fetch"
HEAD = ("profile", "shards", "counted", "same order", "same ten", "score change", "nDCG@10")
COUNTED = {GLOBAL: "global", LOCAL: "local"}


@dataclass(frozen=True)
class Difference:
    """How a run differs from that of one shard, over all queries.

    Attributes:
        same_order: share of queries with the same ten tables in the same order.
        same_tables: share of queries with the same ten tables.
        worst_score: largest difference of a table's score, as a share of it.
        ndcg: nDCG@10 of the run.
    """

    same_order: float
    same_tables: float
    worst_score: float
    ndcg: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--es", required=True, help="address of the server, without credentials")
    parser.add_argument("--shards", type=int, nargs="+", default=[2, 5])
    chosen = parser.parse_args()
    dataset = read_dataset(chosen.folder)
    print(f"{dataset.name}: {len(dataset.queries)} queries")
    print("".join(f"{word:<14}" for word in HEAD))
    with Elasticsearch(chosen.es) as client:
        exact = runs(client, chosen.es, chosen.folder, dataset, 1)
        for n_shards in chosen.shards:
            several = runs(client, chosen.es, chosen.folder, dataset, n_shards)
            print_lines(n_shards, exact, several, dataset)


def runs(
    client: Elasticsearch, address: str, folder: Path, dataset: Dataset, n_shards: int
) -> Mapping[tuple[str, str], Run]:
    """Return the run of each profile and way to count, in an index of so many shards."""
    with filled(client, address, folder, n_shards):
        return {
            (profile, way): {
                query_id: asked(client, profile, query, way)
                for query_id, query in dataset.queries.items()
            }
            for profile in ("paper", "default")
            for way in (GLOBAL, LOCAL)
        }


@contextmanager
def filled(client: Elasticsearch, address: str, folder: Path, n_shards: int) -> Iterator[None]:
    settings = read_settings({"POLARIS_STORE": address}, Path("/nonexistent"))
    drop(client)
    with closing(ElasticsearchStore(connect(settings), ALIAS, shards=n_shards)) as store:
        ingest(read_sources([str(folder)]), store, LexicalExpander())
        yield
    drop(client)


def drop(client: Elasticsearch) -> None:
    for index in client.indices.get(index=f"{ALIAS}*", expand_wildcards="all"):
        client.indices.delete(index=index)


def asked(client: Elasticsearch, profile: str, query: str, way: str) -> list[ScoredTable]:
    plan = plan_query(profile_named(profile), query)
    if plan.asks_nothing:
        return []
    answer = client.search(index=ALIAS, body=search_body(plan, SIZE), search_type=way)
    return [ScoredTable(hit["sort"][1], hit["_score"]) for hit in answer["hits"]["hits"]]


def print_lines(
    n_shards: int,
    exact: Mapping[tuple[str, str], Run],
    several: Mapping[tuple[str, str], Run],
    dataset: Dataset,
) -> None:
    for (profile, way), run in several.items():
        found = difference(exact[profile, GLOBAL], run, dataset)
        cells = (
            profile,
            str(n_shards),
            COUNTED[way],
            f"{found.same_order:.1%}",
            f"{found.same_tables:.1%}",
            f"{found.worst_score:.2g}",
            f"{found.ndcg:.4f} (1: {ndcg(exact[profile, GLOBAL], dataset):.4f})",
        )
        print("".join(f"{cell:<14}" for cell in cells))


def difference(exact: Run, run: Run, dataset: Dataset) -> Difference:
    pairs = [(exact[query], run[query]) for query in dataset.queries]
    return Difference(
        same_order=share(ids(one) == ids(other) for one, other in pairs),
        same_tables=share(set(ids(one)) == set(ids(other)) for one, other in pairs),
        worst_score=max(worst_score(one, other) for one, other in pairs),
        ndcg=ndcg(run, dataset),
    )


def worst_score(exact: Sequence[ScoredTable], other: Sequence[ScoredTable]) -> float:
    scores = {hit.table_id: hit.score for hit in exact}
    changes = [abs(hit.score / scores[hit.table_id] - 1) for hit in other if hit.table_id in scores]
    return max(changes, default=0.0)


def ndcg(run: Run, dataset: Dataset) -> float:
    return evaluate_run(dataset.qrels, run, ["nDCG@10"]).means["nDCG@10"]


def ids(hits: Sequence[ScoredTable]) -> list[str]:
    return [hit.table_id for hit in hits]


def share(holds: Iterator[bool]) -> float:
    found = [*holds]
    return sum(found) / len(found)


if __name__ == "__main__":
    main()
