"""How both sides' descriptions are found by the held-out queries: means, intervals, groups. Pure.

Measures of each query come in for both sides, under each profile. Queries that ask for the same
table rise and fall together, so that tables are drawn for the intervals.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from polaris_search.evaluate.gate.compared import Compared, Finding, compared
from polaris_search.evaluate.gate.thresholds import Thresholds

MEASURES = ("nDCG@10", "R@100")
GROUP_MEASURE = "nDCG@10"

PerQuery = Mapping[str, Mapping[str, float]]
"""Query to measure to value."""


@dataclass(frozen=True, slots=True)
class Searched:
    """One profile's measures for both sides, of the same queries."""

    profile: str
    candidate: PerQuery
    reference: PerQuery


@dataclass(frozen=True, slots=True)
class Asked:
    """The held-out queries.

    Attributes:
        tables: query to the table that it mostly asks for.
        groups: name to the queries that are judged by themselves, too.
    """

    tables: Mapping[str, str]
    groups: Mapping[str, Collection[str]]

    @property
    def n_tables(self) -> int:
        """The different tables that are asked for."""
        return len(set(self.tables.values()))


def enough_asked(asked: Asked, limits: Thresholds) -> Iterator[Finding]:
    """Yield whether there are queries, and tables that they ask for, enough for a verdict."""
    n_queries = len(asked.tables)
    yield Finding(
        n_queries >= limits.min_queries,
        _count(n_queries, limits.min_queries, "queries", "are held out"),
    )
    yield Finding(
        asked.n_tables >= limits.min_tables,
        _count(asked.n_tables, limits.min_tables, "tables", "are asked for by held-out queries"),
    )


def anything_found(searched: Sequence[Searched]) -> Finding:
    """Return whether a query finds its table at all, with one side's texts under one profile."""
    found = any(
        any(values.values())
        for one in searched
        for side in (one.candidate, one.reference)
        for values in side.values()
    )
    return Finding(
        found,
        "Held-out queries find tables."
        if found
        else "No held-out query finds its table on either side, so that nothing is measured: "
        "are these queries about this data set's tables?",
    )


def compare_means(
    searched: Searched, asked: Asked, limits: Thresholds
) -> Iterator[tuple[Compared, Finding]]:
    """Yield each measure's means under a profile, and whether the candidate's holds."""
    for measure in MEASURES:
        one = _compared(searched, measure, asked, list(asked.tables), limits.confidence)
        yield one, _holds(one, limits)


def compare_groups(
    searched: Searched, asked: Asked, limits: Thresholds
) -> Iterator[tuple[Compared, Finding]]:
    """Yield each large enough group's means under a profile, and whether it does not surely lose.

    A mean over all hides what a few lose: an adapter that does well by most queries may have
    unlearned the words of the rest.
    """
    for name, queries in asked.groups.items():
        tables = {asked.tables[query] for query in queries}
        if min(len(queries), len(tables)) < limits.min_group:
            continue
        one = _compared(
            searched, GROUP_MEASURE, asked, list(queries), limits.group_confidence, f", {name}"
        )
        yield one, _does_not_lose(one, limits)


def _compared(
    searched: Searched,
    measure: str,
    asked: Asked,
    queries: list[str],
    confidence: float,
    suffix: str = "",
) -> Compared:
    mine, theirs = (
        [values[query][measure] for query in queries]
        for values in (searched.candidate, searched.reference)
    )
    groups = [asked.tables[query] for query in queries]
    name = f"{measure}, {searched.profile}{suffix}"
    return compared(name, mine, theirs, confidence, groups)


def _holds(one: Compared, limits: Thresholds) -> Finding:
    found = one.difference
    numbers = _numbers(one, limits.confidence)
    if found.mean < -limits.max_fall:
        return Finding(False, f"{numbers} falls by more than {limits.max_fall:g}.")
    if found.low <= -limits.margin:
        return Finding(
            False,
            f"{numbers} may fall by {limits.margin:g} or more, which {one.n} queries cannot "
            f"exclude; about {_needed(one, limits):,} could.",
        )
    return Finding(True, f"{numbers} does not fall.")


def _does_not_lose(one: Compared, limits: Thresholds) -> Finding:
    numbers = _numbers(one, limits.group_confidence)
    if one.difference.high < 0:
        return Finding(False, f"{numbers} falls for sure, for {one.n} of the queries.")
    return Finding(True, f"{numbers} does not fall for sure.")


def _needed(one: Compared, limits: Thresholds) -> int:
    """Return about how many queries would exclude the margin, if the mean stayed what it is."""
    width = one.difference.mean - one.difference.low
    return ceil(one.n * (width / (one.difference.mean + limits.margin)) ** 2)


def _numbers(one: Compared, confidence: float) -> str:
    found = one.difference
    return (
        f"{one.name}: {one.candidate:.4f} against {one.reference:.4f}, {found.mean:+.4f} "
        f"[{found.low:+.4f}, {found.high:+.4f}] at {confidence:.0%},"
    )


def _count(n: int, least: int, what: str, how: str) -> str:
    if n < least:
        return (
            f"Too few {what}: {n} {how}, at least {least} are needed. Hold out more "
            "(`polaris-admin pairs --hold-out`), judge on a data set with more judgments, or ask "
            f"for less: --min-{what}."
        )
    return f"{n} {what} {how}; at least {least} are needed."
