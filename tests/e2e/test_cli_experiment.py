"""`experiment` as a person runs it: measured once, read again, written as tables."""

import csv
import json
from pathlib import Path

import pytest
from commands import Commands

EXAMPLES = Path(__file__).parents[2] / "examples" / "tables"


@pytest.fixture
def polaris(tmp_path: Path) -> Commands:
    return Commands(tmp_path, f"file:{tmp_path / 'store'}")


def test_an_experiment_writes_its_tables_and_a_second_run_measures_nothing_anew(polaris, tmp_path):
    out = tmp_path / "run"

    first = polaris.answer("experiment", "run", "expansion", EXAMPLES, "--out", out)
    again = polaris("experiment", "run", "expansion", EXAMPLES, "--out", out, "--json")

    assert json.loads(again.stdout) == first
    assert again.stderr.count(b"measured before") == 4
    rows = {cell["row"]: cell["measures"]["nDCG@10"] for cell in first["cells"]}
    assert rows["paper, expanded"] > rows["paper, as given"]
    with (out / "table.csv").open() as file:
        table = list(csv.DictReader(file))
    assert len(table) == 4 * 10
    assert json.loads((out / "run.json").read_text())["datasets"] == ["tables"]


def test_descriptions_of_any_system_are_a_row_each(polaris, tmp_path):
    with (EXAMPLES / "metadata.csv").open(newline="", encoding="utf-8") as file:
        ids = [row["table_id"] for row in csv.DictReader(file)]
    given = tmp_path / "theirs.jsonl"
    lines = [{"table_id": key, "description": "rivers and lakes"} for key in ids]
    given.write_text("".join(json.dumps(line) + "\n" for line in lines))

    answer = polaris.answer(
        "experiment", "run", "overall", EXAMPLES, "--descriptions", f"theirs={given}"
    )

    assert [cell["row"] for cell in answer["cells"]] == [
        "names as given",
        "names expanded",
        "description alone (theirs)",
        "three fields (theirs)",
        "default profile (theirs)",
    ]
    page = (Path(polaris.folder) / answer["out"] / "table.md").read_text()
    assert "| theirs | 3.0 | 1.00 |" in page


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing", EXAMPLES], b"No experiment 'nothing'"),
        (["expansion", EXAMPLES, EXAMPLES], b"Two data sets are called tables"),
        (["expansion", "missing"], b"There is no missing/metadata.csv"),
        (["overall", EXAMPLES, "--descriptions", "file"], b"NAME=FILE"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_measured(polaris, arguments, said):
    refused = polaris("experiment", "run", *arguments)

    assert refused.returncode == 2
    assert said in refused.stderr
