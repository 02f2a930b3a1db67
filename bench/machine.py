"""What this process and the machine are at: memory and load."""

import os
from pathlib import Path

STATUS = Path("/proc/self/status")
START_NEW_PEAK = "5"


def resident_mb() -> float:
    return _megabytes("VmRSS")


def peak_mb() -> float:
    return _megabytes("VmHWM")


def start_new_peak() -> None:
    Path("/proc/self/clear_refs").write_text(START_NEW_PEAK)


def load() -> str:
    return f"{os.getloadavg()[0]:.1f}"


def _megabytes(name: str) -> float:
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) / 1000
