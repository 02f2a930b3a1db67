"""What asking a model about tables would take: calls and tokens, estimated before any is asked."""

from dataclasses import astuple, dataclass
from operator import add


@dataclass(frozen=True, slots=True)
class Estimate:
    """Calls and tokens of some tables, retries not counted.

    Attributes:
        tables: tables that the model would be asked about.
        calls: requests.
        shared_tokens: tokens of the prompts' beginnings, which all requests of a kind have in
            common: a server with a prefix cache reads them once.
        prompt_tokens: tokens of the prompts' other parts, the tables.
        completion_tokens: tokens that the model would write.
    """

    tables: int = 0
    calls: int = 0
    shared_tokens: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def plus(self, other: "Estimate") -> "Estimate":
        """Return the counts of both."""
        return Estimate(*map(add, astuple(self), astuple(other)))


NOTHING_ASKED = Estimate()
