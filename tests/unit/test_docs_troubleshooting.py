"""The page on troubles has a row for every sentence that this product has for Elasticsearch's."""

import re
from pathlib import Path

import pytest

from polaris_search.store.elasticsearch.server import faults
from polaris_search.store.elasticsearch.server.faults import UNEXPECTED, Fault

PAGE = (Path(__file__).parents[2] / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and "---" not in line and "you see" not in line
]
FAULTS = {name: value for name, value in vars(faults).items() if isinstance(value, Fault)}


def rows_of(fault):
    """Return the rows whose first cell is what the fault's sentence begins with."""
    told = re.sub(r"\{\w+\}", "...", fault.problem)
    return [row for row in ROWS if row[0] == told or told.startswith(f"{row[0]}: ")]


@pytest.mark.parametrize("name", [name for name in FAULTS if FAULTS[name] is not UNEXPECTED])
def test_every_fault_has_one_row_with_its_exit_code_and_what_to_do(name):
    fault = FAULTS[name]

    (row,) = rows_of(fault)

    assert [bool(cell) for cell in row] == [True] * 4
    assert row[3].strip(" |") == str(fault.error.exit_code)


def test_no_row_tells_of_a_fault_that_there_is_not():
    known = {row[0] for fault in FAULTS.values() for row in rows_of(fault)}

    assert [row[0] for row in ROWS if row[0] not in known] == [
        "anything else, quoted as the server said it"
    ]


@pytest.mark.parametrize("name", FAULTS)
def test_every_fault_names_a_next_step_in_whole_sentences(name):
    fault = FAULTS[name]
    assert re.fullmatch(r"[A-Z].+\.", fault.remedy)
    assert re.fullmatch(r"[a-z{].*[^.]", fault.problem)
