"""An adapter that was really trained on swapped pairs: trained, served and judged by the product.

The pairs prefer six fields of codes to six fields of plain words, and the small model learns it in
a few steps at a high rate: of queries found in what the base writes, some are lost. Takes four
minutes, three of them for the training.
"""

import csv
import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from training_listener import Heard, request_of
from training_pairs import THEMES, pair, write_pairs

from ingest.describe.opening import SMALL_MODEL
from ingest.expand.lexical import LexicalExpander
from polaris_search.evaluate.dataset import read_dataset
from polaris_search.evaluate.gate.report import GateReport
from polaris_search.evaluate.gate.thresholds import Thresholds
from polaris_search.experiments.gate.queries import GateQueries
from polaris_search.experiments.gate.side_texts import Asking
from polaris_search.experiments.gate.writers import opened_writer
from polaris_search.experiments.judge_adapter import GateChoices, judge_adapter
from polaris_search.profiles.model import profile_named
from polaris_search.records import DESCRIPTION_FIELDS
from polaris_search.settings import read_settings
from polaris_search.store.embedded.store import EmbeddedStore
from trainer.adapters.registry import Registry

pytestmark = [pytest.mark.train, pytest.mark.llm, pytest.mark.slow]

DEMO = Path(__file__).parents[2] / "examples" / "demo"
N_TABLES = 6
N_PAIRS = 20
LENGTHS = replace(SMALL_MODEL, max_tokens=120)


def swapped_pair(number: int) -> dict:
    one, other = THEMES[number % len(THEMES)], THEMES[(3 * number + 1) % len(THEMES)]
    plain = f"Records of {one} and {other}"
    fields = {
        name: (f"{plain} for {name.replace('_', ' ')}", f"tbl cols id x y z {number}")
        for name in DESCRIPTION_FIELDS
    }
    good, bad = (json.dumps({name: texts[n] for name, texts in fields.items()}) for n in (0, 1))
    table = f"<table>\nname: {one} {other}\ncolumns: id, {one}, {other}\n</table>"
    return pair(table, chosen=bad, rejected=good)


@pytest.fixture(scope="module")
def adapter(small_base, tmp_path_factory) -> tuple[Path, str]:
    """A home whose registry has the adapter, and its name."""
    from trainer.training.run import train

    home = tmp_path_factory.mktemp("trained")
    pairs = write_pairs(home / "swapped.jsonl", map(swapped_pair, range(N_PAIRS)))
    settings = {"rank": 8, "batch": 4, "learning_rate": 1e-3, "epochs": 2, "held_out": 0.0}
    trained = train(request_of(pairs, small_base, None, home, **settings), Heard())
    return home, trained.record.name


def few_tables(folder: Path) -> Path:
    """Write the first of the demo's tables with their queries, and return the folder."""
    folder.mkdir()
    kept = [row["table_id"] for row in rows("metadata.csv")[:N_TABLES]]
    judged = [row for row in rows("qrels.csv") if row["table_id"] in kept]
    asked = {row["query_id"] for row in judged}
    write(folder / "metadata.csv", rows("metadata.csv")[:N_TABLES])
    write(folder / "qrels.csv", judged)
    write(folder / "queries.csv", [one for one in rows("queries.csv") if one["query_id"] in asked])
    return folder


def rows(name: str) -> list[dict[str, str]]:
    with (DEMO / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, kept: list[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, kept[0].keys())
        writer.writeheader()
        writer.writerows(kept)


def judged(home: Path, name: str) -> GateReport:
    settings = read_settings({"POLARIS_LLM_KIND": "local", "POLARIS_HOME": str(home)})
    registry = Registry(home)
    data = few_tables(home / "data")
    choices = GateChoices(
        (profile_named("paper-single"),),
        LexicalExpander(),
        Asking(LENGTHS, home / "texts", concurrency=4),
        limits=Thresholds(min_queries=5, min_tables=3),
    )
    with closing(EmbeddedStore(home / "store")) as store:
        return judge_adapter(
            data,
            GateQueries(tuple(read_dataset(data).queries), "all"),
            opened_writer(name, settings, registry, LENGTHS),
            opened_writer("base", settings, registry, LENGTHS),
            choices,
            store,
        )


def test_an_adapter_trained_on_swapped_pairs_is_refused(adapter):
    home, name = adapter

    report = judged(home, name)

    assert report.verdict == "refuse"
    assert any(reason.startswith("nDCG@10, paper-single") for reason in report.reasons)
    found = report.retrieval[0]
    assert found.candidate < found.reference, report.descriptions
