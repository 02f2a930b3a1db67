"""The files of a pair building: pairs for a trainer, scores of each table, how both came about.

Pairs and scores are JSON lines, the record beside the pairs one JSON object.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polaris_search
from ingest.describe.describer import DescribeSettings
from ingest.describe.prompt import prompt_for
from ingest.describe.table_text import table_text
from polaris_search.evaluate.written import write_lines
from polaris_search.experiments.build_pairs import BuiltPairs, PairChoices
from polaris_search.experiments.candidate_tables import CandidateTables
from polaris_search.experiments.held_out import judgments_hash
from polaris_search.experiments.pairs_progress import UNWATCHED, PairsProgress
from trainer.pairs import PreferencePair, RankedTable, pair_record


def write_pairs(
    path: Path,
    built: BuiltPairs,
    tables: CandidateTables,
    progress: PairsProgress = UNWATCHED,
) -> None:
    """Write the pairs in trl's conversational preference format.

    A prompt is what the describer asks about the table, so that a model learns at the very prompt
    that it is served with.

    Raises:
        NotWritten: a file could not be written.
    """
    write_lines(path, _pair_lines(built.pairs, tables, progress))


def write_scores(path: Path, built: BuiltPairs) -> None:
    """Write a line for each gold table with at least two candidates.

    Raises:
        NotWritten: the file could not be written.
    """
    paired = {pair.table.table_id for pair in built.pairs}
    write_lines(
        path,
        (
            _line(_scores(table, paired=table.table_id in paired))
            for table in built.ranked
            if len(table.means) > 1
        ),
    )


def write_record(
    path: Path, built: BuiltPairs, tables: CandidateTables, choices: PairChoices
) -> None:
    """Write how the pairs came about: what is needed to build them again, and where they are from.

    `queries` of a pair are those that ranked its table. Of the judgments there are two hashes: of
    those that were used, and of all, the held-out queries' too.

    Raises:
        NotWritten: the file could not be written.
    """
    made = [
        {
            "table_id": pair.table.table_id,
            "chosen": _made(pair, pair.chosen),
            "rejected": _made(pair, pair.rejected),
            "margin": pair.margin,
            "queries": pair.table.queries,
        }
        for pair in built.pairs
    ]
    record = {
        "polaris_search": polaris_search.__version__,
        "profile": choices.profile.name,
        "objective": choices.objective,
        "corpus": choices.corpus,
        "seed": choices.seed,
        "keep_own": choices.keep_own,
        "rounds": [
            {"changed": changed, "mean_margin": margin}
            for changed, margin in zip(
                built.ranking.changed, built.ranking.mean_margins, strict=True
            )
        ],
        "ended": built.ranking.ended,
        "min_margin": choices.min_margin,
        "every": choices.every,
        "corpus_hash": built.corpus_hash,
        "judgments_hash": judgments_hash(tables.dataset, tables.held_out),
        "all_judgments_hash": judgments_hash(tables.dataset),
        "hold_out": {"share": tables.held_out.share, "seed": tables.held_out.seed},
        "held_out_queries": tables.held_out.query_ids,
        "members": dict(built.members),
        "report": asdict(built.report),
        "left_out": asdict(built.left_out),
        "pairs": made,
    }
    write_lines(path, [json.dumps(record, ensure_ascii=False)])


def _pair_lines(
    pairs: tuple[PreferencePair, ...], tables: CandidateTables, progress: PairsProgress
) -> Iterator[str]:
    """Yield a line a pair; the catalogue is read once more, for prompts are long."""
    written = 0
    of_table: dict[str, list[PreferencePair]] = {}
    for pair in pairs:
        of_table.setdefault(pair.table.table_id, []).append(pair)
    budget = DescribeSettings().table_tokens
    for table in tables:
        if not (of_this := of_table.get(table.raw.table_id)):
            continue
        expansion = tables.expansion(table.raw)
        messages = prompt_for(table_text(table.raw, expansion, budget))
        prompt = [{"role": one.role, "content": one.content} for one in messages]
        for pair in of_this:
            yield _line(pair_record(pair, prompt))
        written += len(of_this)
        progress.written(written, len(pairs))


def _scores(table: RankedTable, *, paired: bool) -> Mapping[str, Any]:
    return {
        "table_id": table.table_id,
        "scores": list(table.means),
        "best": table.best,
        "worst": table.worst,
        "pair": paired,
    }


def _made(pair: PreferencePair, place: int) -> Mapping[str, Any]:
    return {"place": place, **pair.table.candidates[place].made}


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False)
