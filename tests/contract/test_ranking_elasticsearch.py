"""The closed form against one index for each gold table on a real Elasticsearch."""

from pathlib import Path

import pytest
from ranked import verified

from polaris_search.experiments.build_pairs import PairChoices
from polaris_search.profiles.model import profile_named

pytestmark = pytest.mark.es

EXAMPLES = Path(__file__).parents[2] / "examples" / "tables"


@pytest.mark.parametrize(
    "choices",
    [
        PairChoices(profile_named("paper-single"), rounds=9),
        PairChoices(profile_named("paper"), corpus="first", keep_own=True),
        PairChoices(profile_named("paper-single"), objective="terms-once"),
        PairChoices(profile_named("paper-single"), objective="ndcg"),
    ],
    ids=["paper's, in rounds", "three fields, own member kept", "terms once", "by place"],
)
def test_a_ranking_is_that_of_an_index_each(elasticsearch_store, choices):
    found = verified(EXAMPLES, elasticsearch_store, choices, k=3, n_tables=4)

    assert (found.largest_difference, found.other_orders) == (0.0, 0)
    assert (found.tables, found.means) == (4, 12)
