"""What `polaris-admin show` and `doctor` print for people."""

from dataclasses import replace

import pytest
from tables import fill, table

from polaris_search.cli.doctor import doctor
from polaris_search.cli.show import show
from polaris_search.settings import read_settings
from polaris_search.store.opening import open_store


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("POLARIS_STORE", f"file:{tmp_path / 'store'}")


@pytest.mark.parametrize(
    ("adapter", "told"),
    [
        ("night-1", "Described by smol with the adapter night-1 at 2026-11-30."),
        (None, "Described by smol at 2026-11-30."),
    ],
)
def test_a_described_table_says_which_adapter_wrote_if_any(capsys, adapter, told):
    orders = table("orders", overview="Orders of customers.")
    made_by = replace(orders.provenance, model="smol", adapter=adapter, enriched_at="2026-11-30")
    store = open_store(read_settings())
    fill(store, replace(orders, provenance=made_by))
    store.close()

    show("orders")

    assert capsys.readouterr().out.splitlines()[-1] == told


def test_a_setting_without_a_value_has_no_unit(capsys):
    doctor()

    lines = capsys.readouterr().out.splitlines()
    (unset,) = [line.split() for line in lines if line.startswith("POLARIS_LLM_DEADLINE_S ")]
    (set_,) = [line.split() for line in lines if line.startswith("POLARIS_LLM_TIMEOUT_S ")]
    assert unset[1] == "default"
    assert (set_[2], set_[3]) == ("s", "default")
