"""Which queries a ranking leaves out, so that something is left to judge what is learned from it.

Comes in: a data set, a share and a seed. Goes out: the queries left out, and the hashes by which
the judgments that were used can be told again. Pure.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from polaris_search.errors import UsageError
from polaris_search.evaluate.dataset import Dataset
from polaris_search.records import content_hash


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The queries that rank no candidate.

    Attributes:
        share: of the queries with a relevant table, as it was asked for.
        seed: chose them.
        query_ids: in the data set's order.
    """

    share: float
    seed: int
    query_ids: tuple[str, ...]


NOTHING_HELD_OUT = HeldOut(0.0, 0, ())


def held_out_of(dataset: Dataset, share: float, seed: int) -> HeldOut:
    """Return the queries that `share` of those with a relevant table leaves out.

    Queries that ask the same, whatever their ids, case and blanks, go together: what is held out is
    not ranked by under another id. So there may be more than the share, by as many as ask what the
    last one asks. Which they are depends on their text and the seed, not on the others or on any
    order, so that more judgments move few of them.

    Raises:
        UsageError: the share is none, no query is judged, or none would be left to rank by.
    """
    if not 0 <= share < 1:
        raise UsageError(f"--hold-out is {share:g}; a share from 0 to 0.9 was expected.")
    if not share:
        return HeldOut(share, seed, ())
    require_judged(dataset)
    alike: dict[str, list[str]] = {}
    for query_id, text in dataset.queries.items():
        if any(grade > 0 for grade in dataset.qrels[query_id].values()):
            alike.setdefault(_asked(text), []).append(query_id)
    wanted = max(1, round(share * sum(map(len, alike.values()))))
    chosen: set[str] = set()
    for text in sorted(alike, key=lambda text: _draw(text, seed)):
        if len(chosen) >= wanted:
            break
        chosen.update(alike.pop(text))
    if not alike:
        raise UsageError(
            f"--hold-out {share:g} leaves no query to rank by. "
            "Hold out less, or take a data set with more queries."
        )
    return HeldOut(share, seed, tuple(one for one in dataset.queries if one in chosen))


def require_judged(dataset: Dataset) -> None:
    """Check that there is a query with a relevant table.

    Raises:
        UsageError: there is none.
    """
    if not any(grade > 0 for grades in dataset.qrels.values() for grade in grades.values()):
        raise UsageError(
            f"{dataset.name} has no judged queries: no query has a table of a grade above 0. "
            "Name a data set whose qrels.csv has some."
        )


def judgments_hash(dataset: Dataset, held_out: HeldOut = NOTHING_HELD_OUT) -> str:
    """Return the hash of all judgments but the held-out queries', in the order of the file.

    Of each the query's id and text, the table and the grade.
    """
    return content_hash(*_judged(dataset, frozenset(held_out.query_ids)))


def _judged(dataset: Dataset, left_out: frozenset[str]) -> Iterator[str]:
    for query_id, table_id in dataset.judged:
        if query_id not in left_out:
            yield query_id
            yield dataset.queries[query_id]
            yield table_id
            yield f"{dataset.qrels[query_id][table_id]:g}"


def _asked(text: str) -> str:
    return " ".join(text.casefold().split())


def _draw(text: str, seed: int) -> bytes:
    """Return what the order of the draw is by: as good as random, and the text's alone."""
    return hashlib.sha256(f"{seed}:{text}".encode()).digest()
