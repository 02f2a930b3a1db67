"""Progress bars on stderr, drawn from what the steps report; silent where nobody watches."""

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from polaris_search.cli.output import tell
from polaris_search.lifecycle.progress import Step


class IngestBar:
    """The ingest's Progress: how many tables were read, how many of them are described."""

    def __init__(self) -> None:
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._reading = self._bar.add_task("reading tables", total=None)
        self._describing = self._bar.add_task("describing", total=None, visible=False)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def read(self, seen: int, rejected: int) -> None:
        """Show how many tables were read."""
        text = f"reading tables ({rejected} rejected)" if rejected else "reading tables"
        self._bar.update(self._reading, completed=seen, description=text)

    def describing(self, total: int) -> None:
        """Show how many descriptions there will be."""
        self._bar.update(self._describing, total=total, visible=total > 0)

    def described(self, described: int, failed: int) -> None:
        """Show how many descriptions there are."""
        text = f"describing ({failed} failed)" if failed else "describing"
        self._bar.update(self._describing, completed=described + failed, description=text)


class EvaluationBar(IngestBar):
    """An evaluation's Progress: its ingest, then how many queries were searched."""

    def __init__(self) -> None:
        super().__init__()
        self._searching = self._bar.add_task("searching", total=None, visible=False)

    def searched(self, done: int, total: int) -> None:
        """Show how many queries were searched."""
        self._bar.update(self._searching, completed=done, total=total, visible=True)


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

    def __init__(self) -> None:
        super().__init__()
        self._step: Step | None = None

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
        self._bar.update(self._reading, description=AFTER[step])

    def copied(self, tables: int) -> None:
        """Show how many tables came by."""
        self._bar.update(self._reading, completed=tables)
