"""Preference pairs of ranked candidates: which text a model should rather have written.

A ranking comes in, pairs and counts go out. A pair is made only where the texts differ and the
margin is one that a learner can tell from none; Algorithm 1 takes the best and the worst.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from trainer.candidates import Candidate
from trainer.ranking.analysis_cache import AnalysisCache
from trainer.ranking.rounds import by_mean
from trainer.text_shape import TextShape, text_shape

MIN_MARGIN = 1e-3
"""Smaller differences of a mean score are the length of a text falling into another step."""


@dataclass(frozen=True, slots=True)
class RankedTable:
    """A gold table with its candidates, the mean score of each, and the queries it is over.

    `queries` are ids, in the order of the judgments.
    """

    table_id: str
    candidates: tuple[Candidate, ...]
    means: tuple[float, ...]
    best: int
    worst: int
    queries: tuple[str, ...] = ()

    @property
    def margin(self) -> float:
        """What lies between the best mean and the worst."""
        return self.means[self.best] - self.means[self.worst]


@dataclass(frozen=True, slots=True)
class PreferencePair:
    """`chosen` and `rejected` are places among the table's candidates."""

    table: RankedTable
    chosen: int
    rejected: int

    @property
    def margin(self) -> float:
        """What lies between the two means."""
        return self.table.means[self.chosen] - self.table.means[self.rejected]


@dataclass(frozen=True, slots=True)
class PairReport:
    """What became of the ranked tables, and how winners differ from losers beside their score.

    Attributes:
        tables: gold tables that were ranked.
        pairs: pairs made.
        empty_texts: candidates without a text; a ranking scores them, no pair holds one.
        one_candidate: tables with a single candidate that has a text, or none.
        same_text: tables whose best and worst are the same text.
        small_margin: tables whose texts differ and whose margin is too small.
        chosen: the shape of the preferred texts.
        rejected: the shape of the others.
    """

    tables: int
    pairs: int
    empty_texts: int
    one_candidate: int
    same_text: int
    small_margin: int
    chosen: TextShape
    rejected: TextShape


def pairs_of(
    ranked: Sequence[RankedTable],
    min_margin: float = MIN_MARGIN,
    *,
    every: bool = False,
    cache: AnalysisCache | None = None,
) -> tuple[tuple[PreferencePair, ...], PairReport]:
    """Return the pairs, tables in their order, and what became of each table.

    Args:
        ranked: the tables.
        min_margin: a pair's means differ by more.
        every: make all pairs of a table whose texts differ by the margin, not just the widest.
        cache: what is known of texts from before; None: nothing.
    """
    pairs: list[PreferencePair] = []
    counts = {"one_candidate": 0, "same_text": 0, "small_margin": 0}
    for table in ranked:
        made = list(_pairs_of(table, min_margin, every=every))
        pairs += made
        if not made:
            counts[_why_none(table)] += 1
    report = PairReport(
        tables=len(ranked),
        pairs=len(pairs),
        empty_texts=sum(len(table.means) - len(_by_mean(table)) for table in ranked),
        **counts,
        chosen=text_shape([_searched(pair, pair.chosen) for pair in pairs], cache),
        rejected=text_shape([_searched(pair, pair.rejected) for pair in pairs], cache),
    )
    return tuple(pairs), report


def pair_record(pair: PreferencePair, prompt: Sequence[Mapping[str, str]]) -> dict[str, object]:
    """Return the pair as trl's conversational preference format has it."""
    return {
        "prompt": [dict(message) for message in prompt],
        "chosen": [{"role": "assistant", "content": _text(pair, pair.chosen)}],
        "rejected": [{"role": "assistant", "content": _text(pair, pair.rejected)}],
    }


def _pairs_of(table: RankedTable, min_margin: float, *, every: bool) -> Iterator[PreferencePair]:
    by_mean = _by_mean(table)
    widest = [(by_mean[0], by_mean[-1])] if len(by_mean) > 1 else []
    told = set()
    for chosen, rejected in combinations(by_mean, 2) if every else widest:
        texts = (table.candidates[chosen].text, table.candidates[rejected].text)
        pair = PreferencePair(table, chosen, rejected)
        if texts[0] != texts[1] and pair.margin > min_margin and texts not in told:
            told.add(texts)
            yield pair


def _by_mean(table: RankedTable) -> list[int]:
    """Return the places of the candidates that have a text, the best first."""
    return [place for place in by_mean(table.means) if not table.candidates[place].is_empty]


def _why_none(table: RankedTable) -> str:
    by_mean = _by_mean(table)
    if len(by_mean) < 2:
        return "one_candidate"
    best, worst = table.candidates[by_mean[0]], table.candidates[by_mean[-1]]
    return "same_text" if best.text == worst.text else "small_margin"


def _text(pair: PreferencePair, place: int) -> str:
    return pair.table.candidates[place].text


def _searched(pair: PreferencePair, place: int) -> tuple[str, ...]:
    return pair.table.candidates[place].description.values()
