"""The gate with a real model: adapters of random weights and of none, served by llama.cpp.

The adapters are folders in a registry, converted and served as the product does. The small model
writes poorly, and tables are few, so that each run takes seconds: what is tested is that nonsense
is told from what the base writes, and the base from itself.
"""

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from gate_world import World, query_id
from peft_folder import SMALL, peft_folder

from ingest.describe.opening import SMALL_MODEL
from ingest.steps import NoExpander
from polaris_search.evaluate.gate.report import GateReport
from polaris_search.evaluate.gate.thresholds import Thresholds
from polaris_search.experiments.gate.queries import GateQueries
from polaris_search.experiments.gate.side_texts import Asking
from polaris_search.experiments.gate.writers import opened_writer
from polaris_search.experiments.judge_adapter import GateChoices, judge_adapter
from polaris_search.profiles.model import profile_named
from polaris_search.settings import read_settings
from polaris_search.store.embedded.store import EmbeddedStore
from trainer.adapters.registry import Registry

pytestmark = pytest.mark.llm

LENGTHS = replace(SMALL_MODEL, max_tokens=70)
WORLD = World(n_tables=2, n_asked=2)


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Path:
    """A home with two adapters; what the base writes is asked for once."""
    folder = tmp_path_factory.mktemp("gate")
    for name, strength in (("noise", 0.1), ("nothing", 0.0)):
        peft_folder(folder / "adapters" / name, strength=strength, sizes=SMALL)
    return folder


def judged(home: Path, name: str) -> GateReport:
    settings = read_settings({"POLARIS_LLM_KIND": "local", "POLARIS_HOME": str(home)})
    registry = Registry(home)
    choices = GateChoices(
        (profile_named("default"), profile_named("paper-single")),
        NoExpander(),
        Asking(LENGTHS, home / "texts", concurrency=4),
        limits=Thresholds(min_queries=1, min_tables=1),
    )
    with closing(EmbeddedStore(home / "store")) as store:
        return judge_adapter(
            WORLD.folder(home / "data"),
            GateQueries(tuple(query_id(n, 0) for n in WORLD.tables), "all"),
            opened_writer(name, settings, registry, LENGTHS),
            opened_writer("base", settings, registry, LENGTHS),
            choices,
            store,
        )


def numbers(report: GateReport) -> dict[str, tuple[float, float]]:
    return {one.name: (one.candidate, one.reference) for one in report.descriptions}


def test_random_weights_are_refused(home):
    report = judged(home, "noise")

    assert report.verdict == "refuse"
    of_texts = " ".join(report.reasons)
    assert "tables described" in of_texts.lower() or "prompt does not hold" in of_texts, of_texts
    assert report.same in (None, 0.0)


def test_an_adapter_that_changes_nothing_is_told_from_the_base_by_no_letter_and_refused(home):
    report = judged(home, "nothing")

    assert report.same == 1.0
    assert any("not in use, or does nothing" in reason for reason in report.reasons)
    # Both served by llama.cpp, one with an adapter of zeros: the same number for each of the two.
    assert all(candidate == reference for candidate, reference in numbers(report).values())
