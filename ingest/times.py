"""The time of day as the pipeline writes it. A clock is handed in; this is the one for real use."""

from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(UTC)


def utc_text(moment: datetime) -> str:
    """Return a moment as ISO 8601 in UTC, to the second: 2026-11-30T02:00:00Z."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
