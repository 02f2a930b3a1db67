"""What users of comparable products met with in their index, and the test that keeps it away here.

The rows are those of the project's list of reports. Each names the tests whose promise is the right
value of the fault; renaming one of them without this list fails.
"""

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

REPORTS = {
    # a reindex that drops the live index first
    "X1": [
        "contract/test_reindex_while_searched.py::"
        "test_no_search_is_empty_half_mixed_or_an_error_while_generations_are_swapped",
    ],
    # complete by its own account, and the swap failed
    "X2": [
        "contract/test_reindex_killed.py::"
        "test_killed_before_the_swap_the_old_one_serves_and_the_rerun_goes_on",
        "contract/test_server_killed.py::"
        "test_a_reindex_whose_server_dies_at_a_step_without_an_answer_finds_out_and_goes_on",
    ],
    # live writes make the check of counts fail for ever
    "X3": [
        "contract/test_reindex_while_searched.py::"
        "test_everything_written_and_deleted_meanwhile_is_so_afterwards",
        "contract/test_generations.py::"
        "test_what_others_wrote_meanwhile_counts_neither_as_missing_nor_as_surplus",
    ],
    # a full staged index counted as empty, and deleted
    "X4": [
        "contract/test_reindex.py::"
        "test_one_table_that_is_refused_keeps_the_old_one_live_and_the_new_one_for_later",
    ],
    # names of columns become fields of the mapping
    "X6": [
        "contract/test_store_elasticsearch.py::"
        "test_columns_and_context_never_become_fields_of_the_mapping",
        "contract/test_table_store.py::"
        "test_five_thousand_columns_and_deeply_nested_names_are_searchable",
    ],
    # a text beyond a keyword's bytes rejects the document
    "X8": ["contract/test_table_store.py::test_values_beyond_every_byte_limit_reject_nothing"],
    # an id over 512 bytes fails the whole request
    "X9": [
        "contract/test_table_store.py::test_an_overlong_id_stops_none_of_the_others_in_its_batch"
    ],
    # the first bad chunk ends the bulk
    "X10": [
        "contract/test_store_elasticsearch.py::"
        "test_tables_the_server_refuses_are_reported_and_later_chunks_are_sent",
    ],
    # a refusal by a busy server is not tried again
    "X11": [
        "unit/test_store_elasticsearch_sending.py::"
        "test_a_write_refused_once_by_a_busy_server_is_sent_again_alone",
    ],
    # an older server, and no word of it
    "X13": [
        "e2e/test_broken_elasticsearch.py::test_an_elasticsearch_8_exits_1_with_both_versions",
    ],
    # a proxy without the product header
    "X14": [
        "e2e/test_broken_elasticsearch.py::test_a_proxy_that_drops_the_product_header_exits_1",
        "contract/test_store_elasticsearch_access.py::"
        "test_a_proxy_that_drops_the_product_header_is_told_in_one_sentence",
    ],
}


@pytest.mark.parametrize("row", REPORTS)
def test_every_report_has_its_tests(row):
    missing = [one for one in REPORTS[row] if not is_a_test(*one.split("::"))]

    assert missing == []


def is_a_test(file, name):
    tree = ast.parse((TESTS / file).read_text(encoding="utf-8"))
    return any(isinstance(one, ast.FunctionDef) and one.name == name for one in tree.body)
