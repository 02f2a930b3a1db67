"""`experiment` as a person runs it: measured once, read again, written as tables."""

import csv
import hashlib
import json
import shutil
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
    assert "## nDCG@K" in (out / "table.md").read_text()


def test_a_run_records_all_that_is_needed_to_run_it_again(polaris, tmp_path):
    out = tmp_path / "run"

    polaris.answer("experiment", "run", "expansion", EXAMPLES, "--out", out, POLARIS_ES_API_KEY="k")

    record = json.loads((out / "run.json").read_text())
    assert record["command"][:4] == ["polaris-admin", "experiment", "run", "expansion"]
    assert record["settings"]["POLARIS_STORE"] == polaris.store_url
    assert record["settings"]["POLARIS_ES_API_KEY"] == "(set)"
    hashes = record["datasets"]["tables"]
    metadata = hashlib.sha256((EXAMPLES / "metadata.csv").read_bytes()).hexdigest()
    assert hashes["metadata.csv"] == metadata
    assert record["bootstrap"] == {"seed": 20261130, "draws": 4000, "confidence": 0.95}
    assert {"python", "polaris-search", "numpy", "ir-measures"} <= set(record["versions"])
    again = polaris(*record["command"][1:-1], POLARIS_ES_API_KEY="k")
    assert again.returncode == 0
    assert again.stderr.count(b"measured before") == 4


def test_the_analyzer_of_the_published_code_is_a_row_and_no_search(polaris):
    answer = polaris.answer("experiment", "run", "analysis", EXAMPLES)
    evaluated = polaris.answer("evaluate", EXAMPLES, "--profile", "paper-reference")
    searched = polaris("search", "rivers", "--profile", "paper-reference")

    rows = {one["row"]: one["measures"]["nDCG@10"] for one in answer["cells"]}
    assert evaluated["measures"]["nDCG@10"] == rows["names, code's analyzer"]
    assert rows["names, code's analyzer"] != rows["names, paper's analyzer"]
    assert searched.returncode == 2
    assert b"is for comparisons" in searched.stderr


def test_a_smaller_data_set_is_one_that_can_be_evaluated(polaris, tmp_path):
    small = tmp_path / "small"

    found = polaris.answer("experiment", "downsample", EXAMPLES, small, "--top", "1")
    again = polaris("experiment", "downsample", EXAMPLES, small)
    evaluated = polaris.answer("evaluate", small, "--profile", "paper")

    assert found["read"] == 139
    assert found["relevant"] <= found["kept"] < found["read"]
    assert evaluated["queries"] == found["queries"]
    assert again.returncode == 2
    assert b"Name another folder" in again.stderr


def test_a_dry_run_of_a_training_shows_commands_and_makes_nothing(polaris, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(EXAMPLES, other)
    sets = (EXAMPLES, other)
    asked = ("experiment", "train", "sensitivity", *sets, "--base", "m.gguf", "--out", "runs/s")

    shown = polaris(*asked, "--dry-run")
    steps = polaris.answer(*asked, "--row", "polaris", "--row", "k-5", "--dry-run")["steps"]

    lines = shown.stdout.decode().splitlines()
    assert lines[0].startswith("POLARIS_HOME=runs/s/home POLARIS_ADAPTER=none polaris-admin candid")
    assert sum(" train " in line for line in lines) == 2 * 4  # all rows but that of another model
    assert sum(" train " in step["command"] for step in steps) == 2 * 2
    assert {step["done"] for step in steps} == {False}
    assert not (polaris.folder / "runs").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["train", "expansion", "--base", "m"], b"no rows to train for"),
        (
            ["train", "sensitivity", "--base", "m", "--row", "model"],
            b"Name the other: --other-base",
        ),
        (["train", "ablations", "--base", "m", "--row", "k-5"], b"Choose among: polaris, no-dpo"),
    ],
)
def test_a_training_that_cannot_be_is_refused_before_anything_is_asked(
    polaris, tmp_path, arguments, said
):
    other = tmp_path / "other"
    shutil.copytree(EXAMPLES, other)
    command, name, *options = arguments

    refused = polaris("experiment", command, name, EXAMPLES, other, *options, "--out", "runs/s")

    assert refused.returncode == 2
    assert said in refused.stderr


def test_training_sets_leave_a_data_set_out_each(polaris, tmp_path):
    named = []
    for name in ("a", "b", "c"):
        path = tmp_path / f"{name}.jsonl"
        path.write_text(json.dumps({"prompt": name}) + "\n")
        named.append(f"{name}={path}")

    answer = polaris.answer("experiment", "leave-one-out", *named, "--out", tmp_path / "sets")

    assert answer["b"]["pairs"] == {"a": 1, "c": 1}
    assert Path(answer["b"]["file"]).read_text().count("\n") == 2


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
    assert "| tables | theirs | 139 | 3.0 |  | 16 | 1.00 |" in page
    assert "tables: not a data set of the paper." in page


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
