"""`polaris-admin candidates`: sample the descriptions that are then ranked."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polaris_search.cli.choices import SET_A_MODEL, ExpandOption
from polaris_search.cli.output import JsonOption, print_json, print_text, tell

if TYPE_CHECKING:
    from polaris_search.experiments.make_candidates import Sampled

SHOWN_EVERY = 25


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
    from polaris_search.errors import UsageError
    from polaris_search.evaluate.dataset import read_dataset
    from polaris_search.experiments.candidate_tables import CandidateTables
    from polaris_search.experiments.make_candidates import Sampler, make_candidates
    from polaris_search.llm.opening import open_chat_model
    from polaris_search.settings import read_settings

    settings = read_settings()
    tables = CandidateTables(dataset, read_dataset(dataset), {}, chosen_expander(expand, settings))
    lengths = replace(describe_settings(settings), seed=seed)
    model = open_chat_model(settings, slot_tokens=slot_tokens(lengths))
    if model is None:
        raise UsageError(f"Candidates are written by a model. {SET_A_MODEL}")
    sampled = make_candidates(
        tables,
        Sampler(model, lengths),
        out,
        k,
        concurrency=settings.tables_at_a_time,
        progress=_show,
    )
    for reason, count in Counter(sampled.failed.values()).items():
        tell(f"{count} tables got no candidate: {reason}")
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


def _show(done: int) -> None:
    if done % SHOWN_EVERY == 0:
        tell(f"{done} tables done.")


def _json(sampled: "Sampled") -> dict[str, object]:
    return {
        "tables": sampled.tables,
        "there_before": sampled.there_before,
        "candidates": sampled.candidates,
        "duplicates": sampled.duplicates,
        "failed": len(sampled.failed),
    }
