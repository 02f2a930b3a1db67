"""What expanding names, and describing tables, gains in retrieval: nDCG@10 of whole data sets.

    python bench/retrieval_gain.py DATA_FOLDER... [--descriptions FOLDER]

A DATA_FOLDER is a data set in the paper's layout or holds such; those without judged queries are
passed over. Each set is read into the embedded store twice, names as given and expanded by the
lexical expander, and searched under both profiles. FOLDER holds descriptions, SET.jsonl of
{table_id, description}: sets that have them are read a third time, expanded and described. Prints
one table, then what must hold and whether it does; exits 1 where something does not.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.expand.lexical import LexicalExpander
from ingest.pipeline import ingest
from ingest.readers.formats import CATALOGUE
from ingest.readers.sources import read_sources
from ingest.steps import Describer, Expander, NoExpander
from polaris_search.evaluate.dataset import QRELS_FILE, QUERIES_FILE, Dataset, read_dataset
from polaris_search.evaluate.measures import evaluate_run
from polaris_search.experiments.given_descriptions import read_descriptions
from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.store.embedded.store import EmbeddedStore
from polaris_search.store.protocol import TableStore

PROFILES = ("paper", "default")
MEASURE = "nDCG@10"
DEPTH = 10
LARGEST_FALL = 0.005
LEAST_GAINS = {"spider20_least": 0.35, "snails_native": 0.08}
"""Under profile paper, for sets in which most names are abbreviations."""

Figures = Mapping[str, float]
"""Profile to the measure's mean."""


@dataclass(frozen=True)
class Gains:
    """The figures of one set; `described` is None where there are no descriptions."""

    name: str
    queries: int
    given: Figures
    expanded: Figures
    described: Figures | None = None


@dataclass(frozen=True)
class Bar:
    """Something that must hold: a change, and the least that it may be."""

    what: str
    change: float
    least: float

    @property
    def holds(self) -> bool:
        """Whether the change, as printed, is large enough."""
        return round(self.change, 4) >= self.least

    @property
    def line(self) -> str:
        """The bar for a person."""
        verdict = "holds" if self.holds else "FAILS"
        return f"{verdict}  {self.what}: {self.change:+.4f}, at least {self.least:+.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+", metavar="DATA_FOLDER")
    parser.add_argument("--descriptions", type=Path, metavar="FOLDER")
    chosen = parser.parse_args()
    sets = list(data_sets(chosen.folders))
    if not sets:
        sys.exit("None of the folders is or holds a data set with judged queries.")
    began = time.perf_counter()
    gains = [gains_of(folder, chosen.descriptions) for folder in sets]
    print_table(gains)
    bars = [bar for one in gains for bar in bars_of(one)]
    print("", *(bar.line for bar in bars), sep="\n")
    print(f"\n{len(sets)} sets in {time.perf_counter() - began:.0f} s.")
    sys.exit(0 if all(bar.holds for bar in bars) else 1)


def data_sets(folders: Sequence[Path]) -> Iterator[Path]:
    """Yield the data sets among the folders and directly in them, those with judged queries."""
    for folder in folders:
        for found in (folder, *sorted(path for path in folder.iterdir() if path.is_dir())):
            if all((found / name).is_file() for name in (CATALOGUE, QUERIES_FILE, QRELS_FILE)):
                judged = read_dataset(found).qrels.values()
                if any(grade > 0 for grades in judged for grade in grades.values()):
                    yield found


def gains_of(folder: Path, descriptions: Path | None) -> Gains:
    dataset = read_dataset(folder)
    path = descriptions / f"{folder.resolve().name}.jsonl" if descriptions else None
    expander = LexicalExpander()
    described = None
    if path and path.is_file():
        described = figures(folder, dataset, expander, read_descriptions(path))
    return Gains(
        name=dataset.name,
        queries=len(dataset.queries),
        given=figures(folder, dataset, NoExpander()),
        expanded=figures(folder, dataset, expander),
        described=described,
    )


def figures(
    folder: Path, dataset: Dataset, expander: Expander, describer: Describer | None = None
) -> Figures:
    """Return the measure of each profile over a set's tables, read into a store of their own."""
    with tempfile.TemporaryDirectory() as place:
        store = EmbeddedStore(Path(place))
        try:
            tables = read_sources([str(folder / CATALOGUE)], "polaris")
            ingest(tables, store, expander, describer)
            return {profile: measured(store, dataset, profile) for profile in PROFILES}
        finally:
            store.close()


def measured(store: TableStore, dataset: Dataset, profile_name: str) -> float:
    profile = profile_named(profile_name)
    run = {}
    for query_id, text in dataset.queries.items():
        plan = plan_query(profile, text)
        run[query_id] = () if plan.asks_nothing else store.search(plan, DEPTH).hits
    return evaluate_run(dataset.qrels, run, [MEASURE]).means[MEASURE]


def bars_of(gains: Gains) -> Iterator[Bar]:
    """Yield what must hold of a set; what descriptions do to profile paper is only reported."""
    for profile in PROFILES:
        change = gains.expanded[profile] - gains.given[profile]
        least = LEAST_GAINS.get(gains.name, -LARGEST_FALL) if profile == "paper" else -LARGEST_FALL
        yield Bar(f"{gains.name}, {profile}, expanded", change, least)
    if gains.described:
        change = gains.described["default"] - gains.expanded["default"]
        yield Bar(f"{gains.name}, default, described", change, -LARGEST_FALL)


def print_table(gains: Sequence[Gains]) -> None:
    """Print the figures as a table in Markdown, with the mean over all sets below."""
    with_descriptions = any(one.described for one in gains)
    head = ["set", "queries"]
    for profile in PROFILES:
        head += [f"{profile}, as given", "expanded", "gain"]
        head += ["described", "gain"] if with_descriptions else []
    print_row(head)
    print_row(["---"] * len(head))
    for one in gains:
        cells = [cell for name in PROFILES for cell in cells_of(one, name, with_descriptions)]
        print_row([one.name, f"{one.queries:,}", *cells])
    print_row(["mean", "", *mean_cells(gains, with_descriptions)])


def print_row(cells: Sequence[str]) -> None:
    print(f"| {' | '.join(cells)} |")


def cells_of(one: Gains, profile: str, with_descriptions: bool) -> list[str]:
    given, expanded = one.given[profile], one.expanded[profile]
    cells = [f"{given:.4f}", f"{expanded:.4f}", f"{expanded - given:+.4f}"]
    if not with_descriptions:
        return cells
    if one.described is None:
        return [*cells, "", ""]
    described = one.described[profile]
    return [*cells, f"{described:.4f}", f"{described - expanded:+.4f}"]


def mean_cells(gains: Sequence[Gains], with_descriptions: bool) -> Iterator[str]:
    for profile in PROFILES:
        given = sum(one.given[profile] for one in gains) / len(gains)
        expanded = sum(one.expanded[profile] for one in gains) / len(gains)
        yield from (f"{given:.4f}", f"{expanded:.4f}", f"{expanded - given:+.4f}")
        if with_descriptions:
            yield from ("", "")


if __name__ == "__main__":
    main()
