"""How far a training is, shown on stderr: a bar of its steps with what the last one said."""

from collections.abc import Mapping
from types import TracebackType

from polaris_search.cli.output import tell
from polaris_search.cli.stages import Stages
from polaris_search.cli.stages_bar import StagesBar

STAGE = "training"


class TrainingBar(StagesBar):
    """The training's Listener.

    Args:
        stages: shows the steps; None: stderr, as it can.
    """

    def __init__(self, stages: Stages | None = None) -> None:
        super().__init__(stages=stages)
        self._begun = False

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        super().__exit__(kind, error, trace)
        if self._begun and isinstance(error, KeyboardInterrupt | SystemExit):
            tell("Stopped. The same command goes on from the last checkpoint.")

    def say(self, sentence: str) -> None:
        """Print it."""
        tell(sentence)

    def doing(self, what: str) -> None:
        """Show it as a stage without a count."""
        self._stages.doing(what)

    def referred(self, done: int, total: int) -> None:
        """Show for how many pairs the reference has been computed."""
        self._begun = True
        self._stages.show("reference", "computing the reference", done, total)

    def stepped(self, step: int, total: int, metrics: Mapping[str, float]) -> None:
        """Move the bar; beside it are loss, margin and accuracy of the last step."""
        self._begun = True
        said = [
            f"{name} {metrics[name]:.3f}"
            for name in ("loss", "margin", "accuracy")
            if name in metrics
        ]
        self._stages.show(STAGE, f"training ({', '.join(said)})", step, total)
