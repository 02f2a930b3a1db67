"""How far a command is, shown on stderr: each step's Progress, on top of the stages."""

from types import TracebackType

from polaris_search.cli.output import tell
from polaris_search.cli.stages import Stages
from polaris_search.cli.stages_bar import StagesBar
from polaris_search.lifecycle.progress import Step


class IngestBar(StagesBar):
    """The ingest's Progress: how many tables were read, how many of them are described.

    Args:
        tables: about how many tables there are to read; None where nobody knows.
        stages: shows them; None: stderr, as it can.
    """

    def __init__(self, tables: int | None = None, stages: Stages | None = None) -> None:
        super().__init__(stages=stages)
        self._tables = tables
        self._to_describe = 0

    def read(self, seen: int, rejected: int) -> None:
        """Show how many tables were read."""
        text = f"reading tables ({rejected:,} rejected)" if rejected else "reading tables"
        total = None if self._tables is None else max(self._tables, seen)
        self._stages.show("reading", text, seen, total)

    def describing(self, total: int) -> None:
        """Show how many descriptions there will be."""
        self._to_describe = total
        if total:
            self.described(0, 0)

    def described(self, described: int, failed: int) -> None:
        """Show how many descriptions there are."""
        text = f"describing ({failed:,} failed)" if failed else "describing"
        self._stages.show("describing", text, described + failed, self._to_describe)


class EvaluationBar(IngestBar):
    """An evaluation's Progress: its ingest, then how many queries were searched."""

    def searched(self, done: int, total: int) -> None:
        """Show how many queries were searched."""
        self._stages.show("searching", "searching", done, total)


AFTER: dict[Step, str] = {
    "staged": "copying tables",
    "copied": "catching up",
    "caught_up": "verifying",
    "verified": "going live",
    "live": "settling",
    "settled": "done",
}

STOPPED_BEFORE = (
    "Stopped before the new generation went live: the old one serves. Run the same command again "
    "to go on, or `polaris-admin index prune` to remove what was begun."
)
STOPPED_AFTER = (
    "Stopped as the new generation went live: it serves. The next reindex, rollback or prune "
    "brings over what was being written at that moment."
)


class ReindexBar(IngestBar):
    """A reindex's ReindexProgress; if it is stopped, says what serves now and how to go on."""

    def __init__(self, stages: Stages | None = None) -> None:
        super().__init__(stages=stages)
        self._step: Step | None = None
        self._copied = 0

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        if error is not None and self._step is not None:
            tell(STOPPED_AFTER if self._step in ("live", "settled") else STOPPED_BEFORE)

    def reached(self, step: Step) -> None:
        """Name what comes after the step."""
        self._step = step
        self._stages.show("reindexing", AFTER[step], self._copied, None)

    def copied(self, tables: int) -> None:
        """Show how many tables came by."""
        self._copied = tables
        self._stages.show("reindexing", AFTER[self._step or "staged"], tables, None)
