"""What an ingest did, in counts and in the first of what went wrong."""

from collections.abc import Iterable, Mapping
from dataclasses import astuple, dataclass
from operator import add
from pathlib import Path

from ingest.estimate import NOTHING_ASKED, Estimate
from ingest.rejected import Rejected

MAX_SHOWN = 20
"""As many rejected rows, and kinds of failure, a report holds; the dead letters hold every row."""


@dataclass(frozen=True, slots=True)
class NamesReport:
    """What became of the names. `seen` = `stored` + `unchanged` + what the store refused.

    Attributes:
        seen: tables that were read.
        stored: tables written because they are new or differ from what was there.
        unchanged: tables whose names were there already.
        reused: tables that keep the description they had.
        to_describe: tables that want a description.
        rejected: rows not taken, by a reader or by the store.
        first_rejected: the first MAX_SHOWN of these.
        rejected_kinds: the first MAX_SHOWN kinds of problem of all, and how many rows had each.
        estimate: in a dry run, what the model would be asked.
    """

    seen: int = 0
    stored: int = 0
    unchanged: int = 0
    reused: int = 0
    to_describe: int = 0
    rejected: int = 0
    first_rejected: tuple[Rejected, ...] = ()
    rejected_kinds: tuple[tuple[str, int], ...] = ()
    estimate: Estimate = NOTHING_ASKED


@dataclass(frozen=True, slots=True)
class ModelNames:
    """What became of the names that a model was to read beside the lexical expander.

    Attributes:
        tables: tables whose names were settled so, sure ones without a request.
        failed: tables of which a request failed; they are asked about again by the next ingest.
        asked: columns that it was asked about.
        sure: columns that were left to the lexical reading, which was sure of them.
        calls: requests made.
        saved_calls: requests that asking about every column would have taken besides.
        prompt_tokens: tokens sent, as the server counts.
        completion_tokens: tokens received, as the server counts.
    """

    tables: int = 0
    failed: int = 0
    asked: int = 0
    sure: int = 0
    calls: int = 0
    saved_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def plus(self, other: "ModelNames") -> "ModelNames":
        """Return the counts of both."""
        return ModelNames(*map(add, astuple(self), astuple(other)))


@dataclass(frozen=True, slots=True)
class DescribeReport:
    """What became of the descriptions asked for.

    Attributes:
        described: tables that got a description.
        failed: tables that got none; they are asked for again by the next ingest.
        reasons: the first MAX_SHOWN different reasons, and how many failed of each.
        notices: the first MAX_SHOWN different things to know of those described, counted alike.
        prompt_tokens: tokens sent for descriptions, as the server counts.
        completion_tokens: tokens received for them, as the server counts.
        model_names: what became of names that a model was to read.
    """

    described: int = 0
    failed: int = 0
    reasons: tuple[tuple[str, int], ...] = ()
    notices: tuple[tuple[str, int], ...] = ()
    prompt_tokens: int = 0
    completion_tokens: int = 0
    model_names: ModelNames = ModelNames()


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What an ingest did; in a dry run, what it would do. The counts are those of its two passes.

    Attributes:
        to_describe: descriptions that were to be asked for. With a describer,
            `seen` = `to_describe` + `reused` + what the store refused.
        dead_letters: the file that holds every rejected row, None if there is none.
        seconds: how long it took.
        dry_run: whether nothing was written and nothing asked.
        notices: sentences on what else a person should know, such as dead letters not kept.
    """

    seen: int
    stored: int
    unchanged: int
    reused: int
    rejected: int
    first_rejected: tuple[Rejected, ...]
    rejected_kinds: tuple[tuple[str, int], ...]
    to_describe: int
    described: int
    failed: int
    reasons: tuple[tuple[str, int], ...]
    prompt_tokens: int
    completion_tokens: int
    model_names: ModelNames
    estimate: Estimate
    dead_letters: Path | None
    seconds: float
    dry_run: bool
    notices: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether every row was taken and every table described, and its names read, as asked."""
        return not self.rejected and not self.failed and not self.model_names.failed

    @property
    def tables_per_second(self) -> float:
        """Tables read a second, over both passes."""
        return self.seen / self.seconds if self.seconds else 0.0


def whole_report(
    names: NamesReport,
    descriptions: DescribeReport,
    *,
    dead_letters: Path | None,
    seconds: float,
    dry_run: bool,
    notices: tuple[str, ...] = (),
) -> IngestReport:
    """Return the report of an ingest from those of its passes."""
    return IngestReport(
        seen=names.seen,
        stored=names.stored,
        unchanged=names.unchanged,
        reused=names.reused,
        rejected=names.rejected,
        first_rejected=names.first_rejected,
        rejected_kinds=names.rejected_kinds,
        to_describe=names.to_describe,
        described=descriptions.described,
        failed=descriptions.failed,
        reasons=descriptions.reasons,
        prompt_tokens=descriptions.prompt_tokens,
        completion_tokens=descriptions.completion_tokens,
        model_names=descriptions.model_names,
        estimate=names.estimate,
        dead_letters=dead_letters,
        seconds=seconds,
        dry_run=dry_run,
        notices=notices
        + tuple(f"{notice} ({count} tables)" for notice, count in descriptions.notices),
    )


def counted(
    before: Mapping[str, int], more: Iterable[tuple[str, int]]
) -> tuple[tuple[str, int], ...]:
    """Return the counts of both; of reasons beyond MAX_SHOWN only those already there go on."""
    counts = dict(before)
    for reason, count in more:
        if reason in counts or len(counts) < MAX_SHOWN:
            counts[reason] = counts.get(reason, 0) + count
    return tuple(counts.items())
