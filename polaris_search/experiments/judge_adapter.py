"""Judges a new adapter against the current one, or against the base, on held-out judgments.

Both models describe the same tables, by the describer of an ingest, with the same seed and
decoding; each one's texts are indexed beside each other, as they would be in production, and the
held-out queries searched. What is made of the numbers is `evaluate.gate`'s business.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import polaris_search
from ingest.describe.describer import LlmDescriber
from ingest.steps import Expander
from polaris_search.errors import PolarisError
from polaris_search.evaluate.dataset import read_dataset
from polaris_search.evaluate.gate.groups import groups_of, table_of_each
from polaris_search.evaluate.gate.report import GateReport
from polaris_search.evaluate.gate.retrieval import Asked, Searched
from polaris_search.evaluate.gate.thresholds import Thresholds
from polaris_search.evaluate.gate.verdict import Trial, gate_report
from polaris_search.evaluate.measures import queries_to_measure
from polaris_search.experiments.gate.corpus import Corpus, gate_corpus
from polaris_search.experiments.gate.queries import GateQueries
from polaris_search.experiments.gate.searching import DEPTH, searched
from polaris_search.experiments.gate.side_texts import Asking, SideTexts, Writer, side_texts
from polaris_search.profiles.model import Profile
from polaris_search.store.protocol import TableStore


class SidesNotComparable(PolarisError):
    """A model did not answer about some tables, which is no fault of an adapter's."""


@dataclass(frozen=True, slots=True)
class GateChoices:
    """How to judge.

    Attributes:
        profiles: the searches that have to hold.
        expander: expands names.
        asking: how both sides are asked.
        sample: tables that are described; None: all.
        limits: what has to hold.
    """

    profiles: tuple[Profile, ...]
    expander: Expander
    asking: Asking
    sample: int | None = None
    limits: Thresholds = Thresholds()


def judge_adapter(
    folder: Path,
    queries: GateQueries,
    candidate: Writer,
    reference: Writer,
    choices: GateChoices,
    store: TableStore,
) -> GateReport:
    """Return whether the candidate may take the reference's place.

    Can be stopped at any time: tables that were described are not asked about again.

    Args:
        folder: the data set: metadata.csv, queries.csv, qrels.csv.
        queries: those to judge by.
        candidate: the new adapter.
        reference: the current one, or the base.
        choices: how.
        store: gives the generations to search.

    Raises:
        EvaluationDataInvalid: faults of the queries or judgments. Nothing was asked.
        NothingToMeasure: no held-out query has a relevant table. Nothing was asked.
        SourceUnreadable: there is no metadata.csv. Nothing was asked.
        SidesNotComparable: a model did not answer about tables that the other did answer about.
        ServiceUnreachable: a model's server, or the store's, does not answer.
    """
    dataset = read_dataset(folder)
    judged = queries_to_measure({one: dataset.qrels[one] for one in queries.query_ids})
    tables = table_of_each(dataset, list(judged))
    asked_for = {table for grades in judged.values() for table, grade in grades.items() if grade}
    corpus = gate_corpus(folder, asked_for, choices.expander, choices.sample)
    sides = [side_texts(one, corpus.tables, choices.asking) for one in (candidate, reference)]
    _require_same_tables((candidate, reference), sides)
    texts = {query: dataset.queries[query] for query in judged}
    measured = [
        searched(corpus.tables, side.written, texts, judged, choices.profiles, store)
        for side in sides
    ]
    names = [profile.name for profile in choices.profiles]
    trial = Trial(
        candidate=candidate.name,
        reference=reference.name,
        dataset=dataset.name,
        written=(sides[0].written, sides[1].written),
        searched=[Searched(name, *(one[name] for one in measured)) for name in names],
        asked=Asked(tables, groups_of(dataset, tables)),
        notices=(
            *queries.notices,
            *dataset.notices,
            *corpus.notices,
            *_notices(corpus, sides, choices.asking),
        ),
        made_with=_made_with(queries, (candidate, reference), choices),
    )
    return gate_report(trial, choices.limits)


def _require_same_tables(writers: Sequence[Writer], sides: Sequence[SideTexts]) -> None:
    """Check that both models were asked about the same tables, and about one at least.

    Raises:
        SidesNotComparable: they were not.
    """
    for writer, side, other in zip(writers, sides, reversed(sides), strict=True):
        left_out = other.written.keys() - side.written.keys()
        if left_out or not side.written:
            reason = next(iter(side.unasked.values()), "There are no tables.")
            raise SidesNotComparable(
                f"{writer.name} did not answer about {len(left_out) or 'any'} tables, and is not "
                f"judged by that: {reason} Run the command again: what was written is kept."
            )


def _notices(corpus: Corpus, sides: Sequence[SideTexts], asking: Asking) -> Iterator[str]:
    candidate, reference = sides
    sampled = asking.concurrency > 1 and asking.settings.temperature > 0
    if sampled and candidate.written != reference.written:
        yield (
            f"Texts were sampled, {asking.concurrency} tables at a time: many servers, the local "
            "one too, do not write the same twice then, and some of the difference is chance. "
            "POLARIS_LLM_CONCURRENCY=1 asks for one table at a time."
        )
    if candidate.unasked:
        yield f"{len(candidate.unasked)} tables could not be described by either side."
    if len(corpus.tables) <= DEPTH:
        yield (
            f"Among {len(corpus.tables)} tables R@{DEPTH} only tells what is found at all from "
            "what is not."
        )


def _made_with(
    queries: GateQueries, writers: Sequence[Writer], choices: GateChoices
) -> Mapping[str, object]:
    settings = choices.asking.settings
    candidate, reference = writers
    return {
        "polaris_search": polaris_search.__version__,
        "held_out": queries.origin,
        "profiles": [profile.name for profile in choices.profiles],
        "expander": f"{choices.expander.name}:{choices.expander.version}",
        "sample": choices.sample,
        "prompt_version": LlmDescriber(candidate.chat_model, settings).prompt_version,
        "candidate_model": candidate.chat_model.model,
        "reference_model": reference.chat_model.model,
        **asdict(settings),
    }
