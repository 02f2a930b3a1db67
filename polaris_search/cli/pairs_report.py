"""What `pairs` did, for a person and as JSON."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from polaris_search.cli.output import print_text

if TYPE_CHECKING:
    from polaris_search.experiments.build_pairs import BuiltPairs
    from polaris_search.experiments.candidate_tables import CandidateTables
    from polaris_search.experiments.verify_ranking import Verified


def left_out_sentences(built: "BuiltPairs", tables: "CandidateTables") -> list[str]:
    """Return a sentence on each kind of what could not be ranked."""
    left_out = built.left_out
    counted = [
        (left_out.rejected_rows, "rows of metadata.csv were not taken"),
        (left_out.gold_without_candidates, "tables with relevant queries have no candidate"),
        (left_out.all_held_out, "tables are relevant for held-out queries alone"),
        (left_out.unknown_candidates, "tables of the candidates file are not in metadata.csv"),
        (left_out.unknown_judged, "tables that are judged relevant are not in metadata.csv"),
        (built.unmatched, "(table, query) pairs share no word with any candidate, and count as 0"),
    ]
    return [*tables.dataset.notices, *(f"{count} {what}." for count, what in counted if count)]


def report_json(
    built: "BuiltPairs", tables: "CandidateTables", verified: "Verified | None"
) -> dict[str, object]:
    """Return what was ranked and paired as one JSON object."""
    held_out = tables.held_out
    return {
        "tables": built.report.tables,
        "pairs": built.report.pairs,
        "rounds": len(built.ranking.changed),
        "ended": built.ranking.ended,
        "changed": list(built.ranking.changed),
        "mean_margins": list(built.ranking.mean_margins),
        "report": asdict(built.report),
        "held_out": {
            "share": held_out.share,
            "seed": held_out.seed,
            "queries": len(held_out.query_ids),
        },
        "left_out": asdict(built.left_out) | {"unmatched": built.unmatched},
        "verified": asdict(verified) if verified else None,
        "seconds": round(built.seconds, 3),
    }


def print_report(
    built: "BuiltPairs", tables: "CandidateTables", verified: "Verified | None"
) -> None:
    """Print what was ranked and paired."""
    report, ranking = built.report, built.ranking
    print_text(
        f"{report.tables} tables ranked, {report.pairs} pairs; left without: "
        f"{report.small_margin} for a small margin, {report.same_text} for equal texts, "
        f"{report.one_candidate} with a single candidate. {built.seconds:.1f} s."
    )
    if held_out := tables.held_out.query_ids:
        print_text(f"{len(held_out)} queries held out of {len(tables.dataset.queries)}.")
    for number, (changed, margin) in enumerate(
        zip(ranking.changed, ranking.mean_margins, strict=True), start=1
    ):
        print_text(f"Round {number}: {changed} winners changed, mean margin {margin:.3f}.")
    print_text(f"Ended: {ranking.ended}.")
    print_text(
        "Distinct stems and length, chosen against rejected: "
        f"{report.chosen.distinct_share:.2f} against {report.rejected.distinct_share:.2f}, "
        f"{report.chosen.stems:.0f} against {report.rejected.stems:.0f} stems."
    )
    if verified:
        print_text(
            f"Verified on the store: {verified.tables} tables, {verified.means} means, largest "
            f"difference {verified.largest_difference:g}, other orders {verified.other_orders}."
        )
