"""The block within which the stages of a long command are shown on stderr."""

from types import TracebackType
from typing import Self

from rich.console import Console

from polaris_search.cli.stages import Silence, Stages, stages_on


class StagesBar:
    """Shows stages within a block; what a step tells of itself is for whoever extends it.

    Args:
        quiet: show nothing.
        stages: shows them; None: stderr, as it can.
    """

    def __init__(self, *, quiet: bool = False, stages: Stages | None = None) -> None:
        self._stages = stages or (Silence() if quiet else stages_on(Console(stderr=True)))

    def __enter__(self) -> Self:
        self._stages.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stages.stop()
