"""`polaris-admin candidates`: sample the descriptions that are then ranked."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polaris_search.cli.choices import SET_A_MODEL, ExpandOption
from polaris_search.cli.output import JsonOption, print_json, print_text, tell

if TYPE_CHECKING:
    from polaris_search.experiments.make_candidates import Sampled


def candidates(
    dataset: Annotated[
        Path,
        typer.Argument(metavar="DATASET_DIR", help="Holds metadata.csv, queries.csv, qrels.csv."),
    ],
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="Append them here, JSONL; goes on where it ended.")
    ],
    k: Annotated[int, typer.Option(min=1, help="Candidates of each table with a query.")] = 3,
    seed: Annotated[int, typer.Option(help="Seed of the first; others follow from it.")] = 42,
    expand: ExpandOption = "lexical",
    as_json: JsonOption = False,
) -> None:
    """Sample K descriptions of each table that has a relevant query, and one of every other.

    Can be stopped at any time: the same command goes on. Exits 1 if a table got none.

    Example: polaris-admin candidates examples/tables --k 3 --out candidates.jsonl
    """
    from dataclasses import replace

    from ingest.describe.opening import describe_settings, slot_tokens
    from polaris_search.cli.choices import chosen_expander
    from polaris_search.cli.learning_progress import SamplingBar
    from polaris_search.errors import UsageError
    from polaris_search.evaluate.dataset import read_dataset
    from polaris_search.experiments.candidate_tables import CandidateTables
    from polaris_search.experiments.make_candidates import make_candidates
    from polaris_search.experiments.sampler import Sampler
    from polaris_search.llm.opening import open_chat_model
    from polaris_search.settings import read_settings

    settings = read_settings()
    tables = CandidateTables(dataset, read_dataset(dataset), {}, chosen_expander(expand, settings))
    lengths = replace(describe_settings(settings), seed=seed)
    model = open_chat_model(settings, slot_tokens=slot_tokens(lengths))
    if model is None:
        raise UsageError(f"Candidates are written by a model. {SET_A_MODEL}")
    with SamplingBar(quiet=as_json) as bar:
        sampled = make_candidates(
            tables,
            Sampler(model, lengths),
            out,
            k,
            concurrency=settings.tables_at_a_time,
            progress=bar,
        )
    for sentence in _notices(sampled):
        tell(sentence)
    if as_json:
        print_json(_json(sampled))
    else:
        print_text(
            f"{sampled.candidates} candidates of {sampled.tables} tables written to {out}; "
            f"{sampled.there_before} tables were there before, {len(sampled.failed)} got none, "
            f"{sampled.duplicates} candidates say what another of their table says."
        )
    if sampled.failed:
        raise typer.Exit(1)


def _notices(sampled: "Sampled") -> list[str]:
    failed = Counter(sampled.failed.values())
    counted = [
        (sampled.fewer, "tables got fewer candidates than were asked for."),
        (
            sampled.fewer_before,
            "tables were there before with fewer candidates than are asked for now. Remove their "
            "lines to have them sampled anew.",
        ),
        (
            sampled.otherwise_before,
            "tables were there before, sampled by another model, adapter, prompt or decoding. "
            "Choose another --out to have all of them from one.",
        ),
    ]
    return [
        *(f"{count} tables got no candidate: {reason}" for reason, count in failed.items()),
        *(f"{count} {what}" for count, what in counted if count),
    ]


def _json(sampled: "Sampled") -> dict[str, object]:
    return {
        "tables": sampled.tables,
        "there_before": sampled.there_before,
        "candidates": sampled.candidates,
        "duplicates": sampled.duplicates,
        "fewer": sampled.fewer,
        "fewer_before": sampled.fewer_before,
        "otherwise_before": sampled.otherwise_before,
        "failed": len(sampled.failed),
    }
