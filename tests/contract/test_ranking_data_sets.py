"""The closed form against one index for each of fifty gold tables of real data."""

import pytest
from ranked import verified

from polaris_search.experiments.build_pairs import PairChoices
from polaris_search.profiles.model import profile_named

pytestmark = pytest.mark.es


@pytest.mark.slow
@pytest.mark.parametrize("k", [3, 5])
@pytest.mark.parametrize("name", ["snails_native", "spider_dev", "wikitables"])
def test_fifty_gold_tables_of_real_data_rank_as_with_an_index_each(
    elasticsearch_store, data_folder, name, k
):
    choices = PairChoices(profile_named("paper-single"))

    found = verified(data_folder / name, elasticsearch_store, choices, k, n_tables=50)

    assert (found.largest_difference, found.other_orders) == (0.0, 0)
    assert (found.tables, found.means) == (50, 50 * k)
