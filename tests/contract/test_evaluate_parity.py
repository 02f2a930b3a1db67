"""An evaluation gives the same run on both stores, also where tables get described on the way."""

from pathlib import Path

import pytest

from ingest.expand.lexical import LexicalExpander
from ingest.readers.sources import read_sources
from polaris_search.experiments.evaluate_folder import evaluate_folder
from polaris_search.experiments.given_descriptions import GivenDescriptions
from polaris_search.profiles.model import comparison_profiles, measured_profile_named
from polaris_search.records import Description

pytestmark = pytest.mark.es

EXAMPLES = Path(__file__).parents[2] / "examples" / "tables"


def described_by_their_own_names():
    texts = {
        table.table_id: " ".join(column.name.replace("_", " ") for column in table.columns)
        for table in read_sources([str(EXAMPLES)])
    }
    written = {
        table_id: Description(text, text[:40], "", "", text[::-1], "")
        for table_id, text in texts.items()
    }
    return GivenDescriptions(EXAMPLES, written)


@pytest.mark.parametrize("profile", ["paper", "paper-single", "default", *comparison_profiles()])
def test_both_stores_give_the_same_run_of_described_tables(
    embedded_and_elasticsearch, tmp_path, profile
):
    runs = []
    for name, store in zip(("embedded", "server"), embedded_and_elasticsearch, strict=True):
        evaluate_folder(
            EXAMPLES,
            store,
            measured_profile_named(profile),
            LexicalExpander(),
            described_by_their_own_names(),
            ["nDCG@10"],
            run_path=tmp_path / name,
        )
        runs.append((tmp_path / name).read_text())

    assert runs[0].count("\n") > 1000
    assert runs[0] == runs[1]
