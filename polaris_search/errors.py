"""The error tree. Every message is a sentence for the person who can act, with a next step.

The command line prints the message behind "Error:" and exits with the class's code; nothing below
it exits.
"""

from collections.abc import Sequence


class PolarisError(Exception):
    """Anything this product refuses or fails at, in words for the person who can act."""

    exit_code = 1


class UsageError(PolarisError):
    """The command, a setting or an argument is off; nothing was done."""

    exit_code = 2


class ServiceUnreachable(PolarisError):
    """A service that the command needs does not answer."""

    exit_code = 3


class SettingInvalid(UsageError):
    """A setting has a value that it cannot have."""

    def __init__(self, name: str, value: str, expected: str, origin: str) -> None:
        super().__init__(f"{name} is {value!r} ({origin}); {expected} was expected.")


class TableInvalid(PolarisError):
    """A table cannot be stored as it is. `problem` is a clause, `remedy` a sentence."""

    def __init__(self, problem: str, remedy: str) -> None:
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{problem}. {remedy}")


class CandidatesInvalid(PolarisError):
    """A file of candidate descriptions is not one; `reason` ends with a next step."""

    def __init__(self, path: object, reason: str) -> None:
        super().__init__(f"{path} holds no candidates that can be ranked: {reason}")


class PromptNotShareable(PolarisError):
    """The prompt of a pair cannot be computed once for both replies; `reason` is a clause."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"The prompt of a pair cannot be computed once for both replies: {reason}. "
            "Train with trl's own DPOTrainer instead: slower, and otherwise the same."
        )


class TableNotFound(PolarisError):
    """The id asked for is not in the live index."""

    def __init__(self, table_id: str) -> None:
        super().__init__(
            f"No table {table_id!r} in the live index. "
            "`polaris-admin search` lists what is there; `polaris-admin ingest` adds tables."
        )


class SourceUnreadable(PolarisError):
    """A source that cannot be read at all: nothing of it was stored."""

    def __init__(self, source: str, problem: str, remedy: str) -> None:
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{source}: {problem}. {remedy}")


class NoTemporaryFile(PolarisError):
    """A temporary file that a long run needs cannot be made or written."""

    def __init__(self, problem: object) -> None:
        super().__init__(
            f"A temporary file cannot be written ({problem}). Set TMPDIR to a folder with room, "
            "and start again: what is stored is not done twice."
        )


class StoreProblem(PolarisError):
    """The store answered, but refuses or holds something unexpected."""


class ProfileUnknown(UsageError):
    """No query profile has this name."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"No query profile {name!r}. Choose one of: {', '.join(known)}.")


class AlreadyHeld(PolarisError):
    """Another process does what only one may do at a time. `holder` says who and since when."""

    def __init__(self, task: str, holder: str) -> None:
        super().__init__(
            f"Another process holds the lease for {task}: {holder}. "
            "Wait until it is done, or stop it, then run the command again."
        )


class HolderLost(PolarisError):
    """This process was held to be gone, and another one took its lease over."""

    def __init__(self, task: str, holder: str) -> None:
        super().__init__(
            f"This process gave no sign of life for so long that {holder} took over {task}. "
            "The live index is whole; run the command again if it is still to be done."
        )


class GenerationUnknown(PolarisError):
    """No generation has this name."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        names = ", ".join(known) or "none"
        super().__init__(
            f"No kept generation {name!r}. Kept: {names}. See `polaris-admin index list`."
        )
