"""`experiment train` with the real small model: from two tiny data sets to the table, resumed."""

import json
from pathlib import Path

import pytest
from commands import Commands
from data_sets import data_set, read_csv

from polaris_search.llm.local.gguf import find_gguf

pytestmark = [pytest.mark.train, pytest.mark.llm, pytest.mark.slow]

QUICK = "--rank 2 --min-pairs 1 --held-out 0 --batch 1"


@pytest.fixture
def polaris(tmp_path: Path) -> Commands:
    return Commands(tmp_path, f"file:{tmp_path / 'store'}")


def test_a_row_is_trained_without_its_data_set_and_a_second_run_repeats_nothing(polaris, tmp_path):
    rivers = data_set(
        tmp_path / "rivers",
        [("r1", ["RivName", "LenKm"], {"caption": "rivers"}), ("r2", ["LakeName"], {})],
        {"q1": "length of rivers"},
        [("q1", "r1", 1)],
    )
    staff = data_set(
        tmp_path / "staff",
        [("s1", ["EmpNo", "Sal"], {"caption": "payroll"}), ("s2", ["OffCode"], {})],
        {"q1": "salary of an employee"},
        [("q1", "s1", 1)],
    )
    asked = ("experiment", "train", "ablations", rivers, staff, "--base", find_gguf(None))
    options = ("--out", "run", "--row", "polaris", "--row", "no-dpo", "--train", QUICK)
    local = {"POLARIS_LLM_KIND": "local", "OMP_NUM_THREADS": "1"}

    first = polaris(*asked, *options, **local)
    again = polaris.answer(*asked, *options, **local)

    assert first.returncode == 0, first.stderr.decode()
    assert again["ran"] == 0
    run = tmp_path / "run"
    table = read_csv(run / "table" / "table.csv")
    assert {(one["dataset"], one["row"]) for one in table} == {
        ("rivers", "Polaris"),
        ("rivers", "without DPO"),
        ("staff", "Polaris"),
        ("staff", "without DPO"),
    }
    assert {one["described"] for one in table} == {"2"}
    record = json.loads(
        (run / "training-sets" / "base-k3" / "rivers.jsonl.record.json").read_text()
    )
    assert (record["left_out"], list(record["from"])) == ("rivers", ["staff"])
    adapter = json.loads((run / "adapters" / "polaris" / "rivers" / "record.json").read_text())
    written = (run / "descriptions" / "polaris" / "rivers.jsonl").read_text()
    assert json.loads(written.splitlines()[0])["candidates"][0]["adapter"] == adapter["name"]
    assert adapter["pairs"]["trained"] == 1
