"""When a process began, by the system's own account."""

import subprocess
import sys
import time

PROGRAM = """
from polaris_search.cli.process_start import process_start
early = process_start().timestamp()
import time, polaris_search.llm.serving  # takes its time
print(early, process_start().timestamp(), time.time())
"""


def test_a_process_knows_when_it_began_however_late_it_asks():
    before = time.time()

    said = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, check=True)

    early, late, now = map(float, said.stdout.split())
    assert before - 0.05 < early < now - 0.05
    assert abs(early - late) < 0.02
