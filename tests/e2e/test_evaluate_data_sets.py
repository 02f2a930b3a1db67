"""Floors of retrieval quality on real data sets, names as given and no descriptions."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ingest.steps import NoExpander
from polaris_search.experiments.evaluate_folder import evaluate_folder
from polaris_search.profiles.model import profile_named
from polaris_search.store.embedded.store import EmbeddedStore

SETS = (
    "snails_native",
    "wikitables",
    "spider_dev",
    "spider20_native",
    "spider20_least",
    "adventureworks",
    "adventureworks_cryptic",
    "kaggledbqa",
)


@pytest.fixture(scope="module")
def ndcg(
    data_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[tuple[str, str], float]]:
    """nDCG@10 of each set under each profile."""
    with closing(EmbeddedStore(tmp_path_factory.mktemp("measured"))) as store:
        yield {
            (name, profile): evaluate_folder(
                data_folder / name,
                store,
                profile_named(profile),
                NoExpander(),
                measures=["nDCG@10"],
            ).measures["nDCG@10"]
            for name in SETS
            for profile in ("paper", "default")
        }


def test_default_reaches_its_macro_average(ndcg):
    assert sum(ndcg[name, "default"] for name in SETS) / len(SETS) >= 0.70


def test_default_reaches_its_floor_on_real_cryptic_names(ndcg):
    assert ndcg["snails_native", "default"] >= 0.65


@pytest.mark.parametrize("name", SETS)
def test_default_is_not_below_paper(ndcg, name):
    assert ndcg[name, "default"] >= ndcg[name, "paper"]
