"""Speed and size of the embedded store, beside a plain Python BM25 and, if named, a server.

    python bench/embedded.py [--tables 20000] [--es http://localhost:9200]

Prints one table with the bars the product must hold and the ratio to each peer in the same run.
"""

import argparse
import dataclasses
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from plain_bm25 import PlainField, plain_search
from zipf_tables import Words, queries, tables

from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.records import EnrichedTable
from polaris_search.settings import read_settings
from polaris_search.store.document import searched_texts
from polaris_search.store.embedded.store import EmbeddedStore
from polaris_search.store.protocol import TableStore
from polaris_search.text.analysis import analyzer_named

SEED = 20261130
SIZE = 10
FIELDS = ("description", "expansion", "context")
PLAIN_QUERIES = 50
SERVER_QUERIES = 100
ROUNDS = 5


@dataclass(frozen=True)
class Bars:
    """What a profile must hold on 20,000 tables."""

    indexed: str
    queries: str
    kilobytes: str


BARS = {
    "paper": Bars(">= 2,500", ">= 1,000", "<= 2.0"),
    "default": Bars("", ">= 300", "<= 10.0"),
}


@dataclass(frozen=True)
class Line:
    """One measure: what we reach, the bar (">=" or "<=" a number), and a peer's figure."""

    what: str
    value: float
    bar: str = ""
    peer: str = ""
    peer_value: float | None = None

    def cells(self) -> tuple[str, ...]:
        ratio = "" if not self.peer_value else f"{self.value / self.peer_value:,.2f} x"
        peer = "" if self.peer_value is None else f"{self.peer}: {self.peer_value:,.1f}"
        return (self.what, f"{self.value:,.1f}", self.bar, self._verdict(), peer, ratio)

    def _verdict(self) -> str:
        if not self.bar:
            return ""
        sign, number = self.bar.split()
        limit = float(number.replace(",", ""))
        holds = self.value >= limit if sign == ">=" else self.value <= limit
        return "holds" if holds else "FAILS"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=20_000)
    parser.add_argument("--queries", type=int, default=5_000)
    parser.add_argument("--es", help="address of an Elasticsearch server to compare with")
    chosen = parser.parse_args()
    words = Words(SEED)
    corpus = list(tables(words, chosen.tables))
    asked = queries(words, chosen.queries)
    with tempfile.TemporaryDirectory() as folder:
        lines = [
            *embedded_lines(Path(folder) / "all", corpus, asked),
            *opening_lines(Path(folder) / "small", corpus[:1000], asked),
        ]
        # After ours, which so had no use of the words that the analyzer remembers by now.
        lines = beside_plain(lines, *plain_rates(corpus, asked))
        if chosen.es:
            lines += server_lines(chosen.es, corpus, asked, lines)
    print_table(lines)


def embedded_lines(
    folder: Path, corpus: Sequence[EnrichedTable], asked: Sequence[str]
) -> Iterator[Line]:
    with opened(folder) as store:
        seconds = timed(lambda: store.put(corpus))
        store.refresh()
        yield Line("tables stored a second", len(corpus) / seconds)
        for profile, bars in BARS.items():
            before = index_bytes(folder)
            cpu = time.process_time()
            rate = len(corpus) / timed(lambda name=profile: ask(store, name, asked[:1]))
            cpu_rate = len(corpus) / (time.process_time() - cpu)
            yield Line(f"{profile}: tables indexed a second", rate, bars.indexed)
            yield Line(f"{profile}: tables indexed a CPU second (busy machine)", cpu_rate)
            kilobytes = (index_bytes(folder) - before) / len(corpus) / 1000
            yield Line(f"{profile}: index kB a table", kilobytes, bars.kilobytes)
            rate = query_rate(store, profile, asked)
            yield Line(f"{profile}: queries a second", rate, bars.queries)


def beside_plain(lines: Sequence[Line], indexed: float, queries_s: float) -> list[Line]:
    rates = {"paper: tables indexed a second": indexed, "paper: queries a second": queries_s}
    return [
        dataclasses.replace(line, peer="plain Python", peer_value=rates[line.what])
        if line.what in rates
        else line
        for line in lines
    ]


def opening_lines(
    folder: Path, corpus: Sequence[EnrichedTable], asked: Sequence[str]
) -> Iterator[Line]:
    with opened(folder) as store:
        store.put(corpus)
        store.refresh()
        for profile in ("paper", "default"):
            ask(store, profile, asked[:1])
    for profile in ("paper", "default"):
        times = sorted(timed(lambda p=profile: ask_once(folder, p, asked[0])) for _ in range(9))
        yield Line(f"{profile}: ms to open 1,000 tables and answer", times[4] * 1000)


def server_lines(
    address: str, corpus: Sequence[EnrichedTable], asked: Sequence[str], ours: Sequence[Line]
) -> Iterator[Line]:
    from polaris_search.store.elasticsearch.server.connection import connect
    from polaris_search.store.elasticsearch.store import ElasticsearchStore

    settings = read_settings({"POLARIS_STORE": address}, Path("/nonexistent"))
    found = {line.what: line for line in ours}
    server = ElasticsearchStore(connect(settings), alias="polaris-bench")
    with server.scratch() as store:
        seconds = timed(lambda: (store.put(corpus), store.refresh()))
        rate = len(corpus) / seconds
        line = found["paper: tables indexed a second"]
        yield dataclasses.replace(line, bar="", peer="server (all fields)", peer_value=rate)
        for profile in ("paper", "default"):
            rate = query_rate(store, profile, asked[: ROUNDS * SERVER_QUERIES])
            line = found[f"{profile}: queries a second"]
            yield dataclasses.replace(line, bar="", peer="server", peer_value=rate)


def plain_rates(corpus: Sequence[EnrichedTable], asked: Sequence[str]) -> tuple[float, float]:
    """Return tables indexed and queries answered a second by the plain Python index."""
    analyse = analyzer_named("words")
    fields = {name: PlainField() for name in FIELDS}

    def index() -> None:
        for table in corpus:
            texts = searched_texts(table, FIELDS)
            for name, field in fields.items():
                field.add([term for text in texts[name] for term in analyse(text)])
        for field in fields.values():
            field.finish()

    def search() -> None:
        for query in asked[:PLAIN_QUERIES]:
            plain_search(list(fields.values()), analyse(query), SIZE)

    return len(corpus) / timed(index), PLAIN_QUERIES / timed(search)


def ask(store: TableStore, profile: str, asked: Sequence[str]) -> None:
    for query in asked:
        store.search(plan_query(profile_named(profile), query), SIZE)


def ask_once(folder: Path, profile: str, query: str) -> None:
    with opened(folder) as store:
        ask(store, profile, [query])


@contextmanager
def opened(folder: Path) -> Iterator[EmbeddedStore]:
    store = EmbeddedStore(folder)
    try:
        yield store
    finally:
        store.close()


def index_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in (folder / "index").glob("*"))


def query_rate(store: TableStore, profile: str, asked: Sequence[str]) -> float:
    """Return queries answered a second in the best of ROUNDS rounds, each of other queries."""
    size = len(asked) // ROUNDS
    rounds = [asked[start : start + size] for start in range(0, ROUNDS * size, size)]
    return size / min(timed(lambda some=some: ask(store, profile, some)) for some in rounds)


def timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def print_table(lines: Sequence[Line]) -> None:
    head = ("measure", "embedded", "bar", "", "peer", "ratio")
    rows = [head, *(line.cells() for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())


if __name__ == "__main__":
    main()
