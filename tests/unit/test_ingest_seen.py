"""The ids of one run: told apart in bounded memory, whatever their number."""

import subprocess
import sys

from ingest.seen import SeenIds


def test_an_id_is_new_once():
    seen = SeenIds()

    assert [seen.add(key, "s") for key in ("a", "b", "a", "", "é\udce9")] == [
        True, True, False, True, True
    ]  # fmt: skip
    assert len(seen) == 4
    assert [key in seen for key in ("a", "b", "c")] == [True, True, False]


def test_an_id_that_was_rejected_is_there_and_may_still_be_read():
    seen = SeenIds()
    seen.add_rejected("a")

    assert "a" in seen
    assert len(seen) == 0
    assert seen.add("a", "s")
    assert seen.complete


def test_a_rejected_row_without_an_id_makes_the_run_incomplete():
    seen = SeenIds()

    seen.add_rejected(None)

    assert not seen.complete


def test_only_sources_of_tables_that_were_read_are_known():
    seen = SeenIds()
    seen.add("a", "erp")
    seen.add("a", "crm")  # not taken: the first table of the id is kept
    seen.add_rejected("b")

    assert [seen.has_source(name) for name in ("erp", "crm", "", None)] == [
        True, False, False, False
    ]  # fmt: skip
    seen.add("c", None)
    assert [seen.has_source(name) for name in ("", None)] == [False, True]


GROWTH = """
from pathlib import Path
from ingest.seen import SeenIds

def resident_kb():
    line = next(x for x in Path("/proc/self/status").read_text().splitlines() if "VmRSS" in x)
    return int(line.split()[1])

seen = SeenIds(cache_kb=1_000)
for number in range(20_000):
    seen.add(f"t{number}", f"s{number}")
before = resident_kb()
for number in range(20_000, 120_000):
    seen.add(f"t{number}", f"s{number}")
print(resident_kb() - before, all(f"t{number}" in seen for number in range(0, 120_000, 1_000)))
"""


def test_memory_does_not_grow_with_ids_or_sources():
    finished = subprocess.run(
        [sys.executable, "-c", GROWTH], capture_output=True, text=True, check=True
    )

    growth_kb, all_known = finished.stdout.split()
    assert int(growth_kb) < 3_000  # 100,000 ids and sources take 20 MB as a set
    assert all_known == "True"


NO_ROOM = """
import resource, sys
from ingest.seen import SeenIds
from ingest.spool import id_spool
from polaris_search.errors import NoTemporaryFile

resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    if sys.argv[1] == "seen":
        seen = SeenIds(cache_kb=100)
        for number in range(50_000):
            seen.add(f"t{number}", "s")
    else:
        with id_spool() as spool:
            for number in range(50_000):
                spool.add(f"t{number}")
            print(sum(1 for _ in spool))
except NoTemporaryFile as error:
    print(error)
"""


def no_room_for(what):
    return subprocess.run(
        [sys.executable, "-c", NO_ROOM, what], capture_output=True, text=True, check=True
    ).stdout


def test_a_full_disk_is_told_in_a_sentence():
    for what in ("seen", "spool"):
        said = no_room_for(what)

        assert said.startswith("A temporary file cannot be written ("), said
        assert "Set TMPDIR to a folder with room, and start again" in said
