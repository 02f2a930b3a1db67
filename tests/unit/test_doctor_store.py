"""What `doctor` says of a store's index and of its generations."""

from contextlib import closing

import pytest
from generations import reindex, unheard
from tables import fill, table

from polaris_search.cli.doctor_store import generations_text, index_check, store_checks
from polaris_search.settings import read_settings
from polaris_search.store.embedded.store import EmbeddedStore
from polaris_search.store.generations import GenerationInfo
from polaris_search.store.protocol import StoreStatus


def status(**more):
    return StoreStatus("elasticsearch", "https://host:9200", "9.4.3", "t-v1-x", 90, **more)


def info(name, state, **more):
    return GenerationInfo(name, state, 1, None, None, current=True, **more)


@pytest.mark.parametrize(("replaced", "advised"), [(0, False), (10, False), (11, True)])
def test_a_reindex_is_advised_where_over_a_tenth_of_the_documents_are_replaced(replaced, advised):
    check = index_check(status(replaced=replaced))  # beside 90 tables: 10 of 100 is a tenth

    assert check.ok
    assert ("polaris-admin reindex" in check.found) == advised
    assert f"{replaced / (90 + replaced):.0%}" in check.found


def test_another_mapping_is_a_failure_that_says_to_reindex():
    check = index_check(status(current=False))

    assert (check.ok, check.exit_code) == (False, 1)
    assert "t-v1-x has another mapping" in check.found
    assert "Run `polaris-admin reindex`" in check.found


def test_what_interrupted_runs_left_is_named_with_what_to_do():
    text = generations_text(
        [info("new", "live", settled=False), info("half", "staged"), info("old", "kept")]
    )

    assert text.startswith("1 live, 1 kept")
    assert "half is being built, or left by an interrupted run" in text
    assert "`polaris-admin index prune`" in text
    assert "killed as it went live" in text


def test_where_all_is_well_there_is_nothing_to_do():
    text = generations_text([info("new", "live"), info("old", "kept")])

    assert text == "1 live, 1 kept for `polaris-admin index rollback`"


def test_a_store_that_works_is_told_in_three_lines(tmp_path):
    with closing(EmbeddedStore(tmp_path)) as store:
        fill(store, table("a"))
        reindex(store)
        with store.generations.stage("r", unheard) as staged:
            left = staged.name

    checks = store_checks(read_settings({"POLARIS_STORE": f"file:{tmp_path}"}))

    assert [(check.name, check.ok) for check in checks] == [
        ("store", True),
        ("index", True),
        ("generations", True),
    ]
    assert "1 tables" in checks[0].found
    assert left in checks[2].found
