"""What a new adapter has to hold, as one value; each default with its reason. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The limits of a gate. Shares are between 0 and 1; a fall or rise is candidate less reference.

    Retrieval holds where the mean over the held-out queries falls by no more than `max_fall`, and
    the interval excludes a fall of more than `margin`. The first is what was seen, and binds where
    queries are many; the second is what may be, and binds where they are few.

    Attributes:
        max_fall: of a mean; .005 is half a query in a hundred lost altogether.
        margin: the fall that must be excluded; .02 is about the smallest that some hundred queries
            can tell from none (bench/gate.py).
        confidence: of the intervals; 5 % on each side, so that a candidate whose true fall is
            `margin` passes about once in twenty times, if what it harms is not only a few queries.
        min_queries: with fewer, a harm that one query in twenty meets goes unseen once in
            thirteen times (.95 ** 50), and the percentile interval is too narrow.
        min_tables: different tables that the queries ask for; the interval draws tables.
        group_confidence: of the interval that shows a group of queries to lose; 2.5 % on each
            side, because there are several groups.
        min_group: queries and tables of a group that is judged by itself; fewer say nothing.
        min_described: of the tables, by the candidate; below half, little is measured at all.
        max_fall_valid: of replies that are JSON of six texts, of tables described, of texts that
            no other table has; .05 is three tables of sixty. A smaller fall that is sure counts.
        max_rise_cut: of replies cut at the token limit; the same.
        max_rise_replies: replies asked for a table, on average: each costs as much as the first.
        length: the candidate's mean length in words over the reference's. Preference training
            lengthens (Park et al. 2024, "Disentangling Length from Quality in Direct Preference
            Optimization"), and words cost time and space; half or half as much again is sane.
        max_fall_distinct: of distinct stems among all of a text: raw BM25 rewards repetition, and
            a model learns it; .05 is one word in twenty said twice.
        max_rise_repeat: words of the longest phrase that stands twice, on average.
        max_rise_unknown: of content words that the table's prompt does not hold. New words are
            wanted, for they are what names lack; where they take over, a model is off the table.
        max_same_as_base: of texts equal to the base's, letter by letter: more, and the adapter is
            not in use, or does nothing.
    """

    max_fall: float = 0.005
    margin: float = 0.02
    confidence: float = 0.90
    min_queries: int = 50
    min_tables: int = 20
    group_confidence: float = 0.95
    min_group: int = 15
    min_described: float = 0.5
    max_fall_valid: float = 0.05
    max_rise_cut: float = 0.05
    max_rise_replies: float = 0.5
    length: tuple[float, float] = (0.5, 1.5)
    max_fall_distinct: float = 0.05
    max_rise_repeat: float = 2.0
    max_rise_unknown: float = 0.25
    max_same_as_base: float = 0.98
