"""One thing that `polaris-admin doctor` looked at."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at: whether it is well, what was found, and what to do if it is not."""

    name: str
    ok: bool
    found: str
    exit_code: int = 1
