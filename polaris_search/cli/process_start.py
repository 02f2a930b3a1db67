"""When this process began: what a person who typed the command can have known of is older."""

import os
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

STAT = Path("/proc/self/stat")
START_FIELD = 19
"""Of the fields behind the program's name, the ticks from the system's start to the process's."""


def process_start() -> datetime:
    """Return when this process began, to a tick, in UTC; where the system does not tell, now."""
    now = datetime.now(UTC)
    try:
        ticks = int(STAT.read_text().rpartition(")")[2].split()[START_FIELD])
        # The tick is rounded down: what ended before this process began must not seem later.
        began_s = (ticks + 1) / os.sysconf("SC_CLK_TCK")
        age_s = time.clock_gettime(time.CLOCK_BOOTTIME) - began_s
    except (OSError, ValueError, IndexError, AttributeError):
        return now
    return now - timedelta(seconds=max(0.0, age_s))
