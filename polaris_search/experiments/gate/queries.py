"""The queries that an adapter is judged by: such as it was not trained on, and that is checked.

The record of a training holds a hash of the judgments that it learned from. Where the judgments of
a data set without the held-out queries have that hash, those queries were left out, and no others.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from polaris_search.errors import PolarisError, UsageError
from polaris_search.evaluate.dataset import Dataset
from polaris_search.experiments.held_out import (
    HeldOut,
    held_out_of,
    judgments_hash,
    require_judged,
)

USUAL_SHARE = 0.2
USUAL_SEED = 42
MAX_SHOWN = 5
HOLD_OUT = (
    f"Build the pairs with `polaris-admin pairs --hold-out {USUAL_SHARE:g}` and train on those, or "
    "judge the adapter on another data set."
)

NOT_SHOWN = (
    "WARNING: the adapter may have been trained on these queries, for its record cannot show that "
    "they were left out, and then this verdict says little. Name the record of the pairs that it "
    "was trained on with --held-out."
)


class QueriesTrainedOn(PolarisError):
    """The adapter was trained on the judgments that it would be judged by, or may have been."""


@dataclass(frozen=True, slots=True)
class TrainedOn:
    """Hashes of the judgments that adapters were trained on, None where not known.

    Attributes:
        candidate: of the one in question.
        parents: of those that its training began from.
        reference: of the one that it is compared with; None for the base as well.
    """

    candidate: str | None
    parents: tuple[str | None, ...] = ()
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class GateQueries:
    """The held-out queries, in the data set's order.

    Attributes:
        query_ids: which.
        origin: where they are from, in a clause.
        notices: what a person should know of them.
    """

    query_ids: tuple[str, ...]
    origin: str
    notices: tuple[str, ...] = ()


def gate_queries(dataset: Dataset, named: Path | None, trained_on: TrainedOn) -> GateQueries:
    """Return the queries to judge by.

    Without a file they are the fifth that `pairs --hold-out 0.2` leaves out, if that is what the
    adapter was trained without; or all, if it was trained on other judgments than this data set's.

    Args:
        dataset: queries and judgments.
        named: a record of pairs, or a JSON list of query ids; None: find out.
        trained_on: what both sides learned from.

    Raises:
        QueriesTrainedOn: the candidate was trained on them, or nobody knows.
        UsageError: the file cannot be read, holds no queries or some of another data set; or no
            query of the data set is judged.
    """
    require_judged(dataset)
    everything = judgments_hash(dataset)
    if everything in (trained_on.candidate, *trained_on.parents):
        raise QueriesTrainedOn(
            f"The adapter was trained on all judgments of {dataset.name}, so that nothing is left "
            f"to judge it by. {HOLD_OUT}"
        )
    found = _found(dataset, named, trained_on.candidate)
    if everything != trained_on.reference:
        return found
    notice = "The reference was trained on these queries too, which is to its advantage."
    return replace(found, notices=(*found.notices, notice))


def _found(dataset: Dataset, named: Path | None, trained_on: str | None) -> GateQueries:
    if named is not None:
        return _named(dataset, named, trained_on)
    if trained_on is None:
        raise QueriesTrainedOn(
            "The adapter's record does not say which judgments it was trained on. "
            "Name the queries that were left out with --held-out."
        )
    usual = _usual(dataset, trained_on)
    if usual is not None:
        return GateQueries(usual, "left out when it was trained: its record shows it")
    return GateQueries(
        tuple(dataset.queries), f"all of {dataset.name}: it was trained on other judgments"
    )


def _named(dataset: Dataset, path: Path, trained_on: str | None) -> GateQueries:
    wanted = set(_ids_in(path))
    unknown = sorted(wanted - dataset.queries.keys())
    if unknown:
        shown = ", ".join(unknown[:MAX_SHOWN]) + (", ..." if len(unknown) > MAX_SHOWN else "")
        raise UsageError(
            f"{path} names {len(unknown)} queries that {dataset.name} does not have: {shown}. "
            "Name the data set that the pairs were built from."
        )
    found = tuple(query_id for query_id in dataset.queries if query_id in wanted)
    if trained_on == judgments_hash(dataset, HeldOut(0.0, 0, found)):
        return GateQueries(found, f"{path.name}: left out when it was trained, its record shows it")
    usual = _usual(dataset, trained_on)
    judged = {query_id for query_id, _ in dataset.judged}
    learned = [] if usual is None else sorted(wanted & judged - set(usual))
    if learned:
        raise QueriesTrainedOn(
            f"The adapter was trained on {len(learned)} of the queries that {path} names, as its "
            "record shows. Name the record of the pairs that it was trained on, or leave "
            "--held-out away."
        )
    if usual is not None:
        return GateQueries(found, f"{path.name}: left out when it was trained, its record shows it")
    unshown = "the adapter's record cannot show that they were left out"
    return GateQueries(found, f"{path.name}: {unshown}", (NOT_SHOWN,))


def _usual(dataset: Dataset, trained_on: str | None) -> tuple[str, ...] | None:
    """Return the usual share of queries, if they are what the training left out."""
    try:
        usual = held_out_of(dataset, USUAL_SHARE, USUAL_SEED)
    except UsageError:
        return None  # so few queries that no training can have left a share of them out
    return usual.query_ids if trained_on == judgments_hash(dataset, usual) else None


def _ids_in(path: Path) -> Sequence[str]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path} cannot be read ({error}). Name a record of pairs.") from None
    ids = document.get("held_out_queries") if isinstance(document, dict) else document
    if not isinstance(ids, list) or not ids or not all(isinstance(one, str) for one in ids):
        raise UsageError(
            f"{path} holds no held-out queries. Name the record.json beside pairs that were built "
            "with --hold-out, or a JSON list of query ids."
        )
    return ids
