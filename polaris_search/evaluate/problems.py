"""What is wrong with a data set's files: each fault with file, line and remedy, all at once."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from polaris_search.errors import PolarisError

MAX_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault of one file: a clause and a remedy, a sentence. No line: the file as a whole."""

    path: Path
    line: int | None
    problem: str
    remedy: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{place}: {self.problem}. {self.remedy}"


class EvaluationDataInvalid(PolarisError):
    """Queries, judgments or a run that cannot be measured as they are, with every fault."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        shown = [str(problem) for problem in self.problems[:MAX_SHOWN]]
        if len(self.problems) > MAX_SHOWN:
            shown.append(f"And {len(self.problems) - MAX_SHOWN} more.")
        super().__init__("\n".join(shown))
