"""How well, how surely and how fast names are expanded without a model.

    python bench/expansion.py GOLD_FOLDER [--weights FILE] [--runs 5]

GOLD_FOLDER holds gold files, SET.csv with table_name, column_name and expansion. Prints for each
set the exact match of splitting alone and of the lexical expander, plain names broken (those that
splitting gets right and the expander does not) and names a second; then how often names are right
by the expander's confidence; then the time from the start of a process to its first name. FILE
holds other weights than the shipped ones, as bench/expansion_fit.py writes them: weights fitted
without a set give the figures to expect of sets that nobody has seen.
"""

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from expansion_gold import GoldSet, read_sets
from machine import load

from ingest.expand.lexical import LexicalExpander
from ingest.expand.name_reading import NameReading
from ingest.expand.tokens import split_name
from ingest.expand.vocabulary import vocabulary
from ingest.expand.weights import weights_of
from polaris_search.evaluate.expansion import name_words

MOST_BROKEN = 0.01
LEAST_NAMES_A_SECOND = 5_000
MOST_SECONDS_TO_FIRST = 1.0
BOUNDS = (0.0, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 0.95, 1.01)
"""Confidences between which names are counted together."""

FIRST_NAME = """
from ingest.expand.lexical import LexicalExpander
from polaris_search.records import Column, RawTable
LexicalExpander().expand(RawTable("t", "tbl_cust", (Column("cust_nm"),)))
"""


@dataclass(frozen=True, slots=True)
class SetFigures:
    """One set: shares of its names, seconds of processor for all of them."""

    gold: GoldSet
    readings: Sequence[NameReading]
    hits: Sequence[bool]
    plain: Sequence[bool]
    seconds: float
    split_seconds: float

    @property
    def broken(self) -> int:
        """Names that splitting alone gets right and the expander does not."""
        return sum(plain and not hit for plain, hit in zip(self.plain, self.hits, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, metavar="GOLD_FOLDER")
    parser.add_argument("--weights", type=Path, metavar="FILE")
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    weights = weights_of(given.weights.read_text(encoding="utf-8")) if given.weights else None
    found = [measured(gold, LexicalExpander(weights=weights)) for gold in read_sets(given.folder)]
    print(f"load {load()}")
    print_accuracy(found)
    print_names_in_common(found)
    print_reliability(found)
    print_first_name(given.runs)


def measured(gold: GoldSet, expander: LexicalExpander) -> SetFigures:
    """Return the figures of a set by an expander that has not seen a name yet."""
    began = time.process_time()
    readings = gold.in_order(expander.read(table)[1:] for table in gold.tables)
    seconds = time.process_time() - began
    began = time.process_time()
    split = [" ".join(token.text for token in split_name(row.column_name)) for row in gold.rows]
    split_seconds = time.process_time() - began
    return SetFigures(
        gold,
        readings,
        [gold.is_right(place, " ".join(read.words)) for place, read in enumerate(readings)],
        [gold.is_right(place, text) for place, text in enumerate(split)],
        seconds,
        split_seconds,
    )


def print_accuracy(found: Iterable[SetFigures]) -> None:
    print(
        "| set | names | split only | exact match | plain names broken | right in choices |", end=""
    )
    print(" names a processor second | splitting alone |\n|" + " --- |" * 8)
    for figures in found:
        names = len(figures.hits)
        plain = sum(figures.plain)
        choices = sum(
            any(figures.gold.is_right(place, " ".join(words)) for words in read.choices)
            for place, read in enumerate(figures.readings)
        )
        verdict = "holds" if figures.broken <= MOST_BROKEN * plain else "FAILS"
        rate = names / figures.seconds
        fast = "holds" if rate >= LEAST_NAMES_A_SECOND else "FAILS"
        print(
            f"| {figures.gold.name} | {names:,} | {plain / names:.3f} "
            f"| {sum(figures.hits) / names:.3f} | {figures.broken} of {plain:,} {verdict} "
            f"| {choices / names:.3f} | {rate:,.0f} {fast} | {names / figures.split_seconds:,.0f} |"
        )


def print_names_in_common(found: Iterable[SetFigures]) -> None:
    """Print how many written names of the shipped list are gold ones: none of three words may."""
    names = {name for kind in vocabulary().names for name in kind if len(name) > 2}
    gold = {name_words(row.expansion) for figures in found for row in figures.gold.rows}
    print(f"\nnames of three words and more in names.txt that are gold names: {len(names & gold)}")


def print_reliability(found: Sequence[SetFigures]) -> None:
    """Print the share of names that are right between two confidences, for each set."""
    print("\n| confidence | " + " | ".join(figures.gold.name for figures in found) + " |")
    print("|" + " --- |" * (len(found) + 1))
    for low, high in pairwise(BOUNDS):
        cells = [_share_right(figures, low, high) for figures in found]
        print(f"| {low:.2f} to {min(high, 1):.2f} | " + " | ".join(cells) + " |")


def _share_right(figures: SetFigures, low: float, high: float) -> str:
    hits = [
        hit
        for read, hit in zip(figures.readings, figures.hits, strict=True)
        if low <= read.confidence < high
    ]
    return f"{sum(hits) / len(hits):.2f} of {len(hits):,}" if hits else "none"


def print_first_name(runs: int) -> None:
    """Print the median of whole processes that expand one table."""
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", FIRST_NAME], check=True)
        times.append(time.perf_counter() - began)
    seconds = statistics.median(times)
    verdict = "holds" if seconds <= MOST_SECONDS_TO_FIRST else "FAILS"
    print(f"\nfirst name {seconds:.3f} s after the start of a process {verdict}")


if __name__ == "__main__":
    main()
