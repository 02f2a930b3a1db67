"""What one item of an answer means: for its table alone, or for every further one."""

import pytest

from polaris_search.errors import ServiceUnreachable, StoreProblem
from polaris_search.store.elasticsearch.server.failures import (
    item_failure,
    item_reason,
    read_failure,
)


@pytest.mark.parametrize(
    ("kind", "reason", "error_class", "problem"),
    [
        ("unavailable_shards_exception", "timeout", ServiceUnreachable, "no node serves"),
        ("cluster_block_exception", "[SERVICE_UNAVAILABLE/2/no master]", ServiceUnreachable, "mas"),
        ("cluster_block_exception", "index [x] blocked by: [8/index write]", StoreProblem, "block"),
        ("cluster_block_exception", "disk usage exceeded flood-stage", StoreProblem, "disk"),
        ("strict_dynamic_mapping_exception", "[a] is not allowed", StoreProblem, "reindex"),
        ("illegal_argument_exception", "no write index is defined", StoreProblem, "several"),
    ],
)
def test_what_one_item_says_of_the_whole_index_ends_the_write(kind, reason, error_class, problem):
    error = item_failure({"type": kind, "reason": reason}, "http://es:9200")

    assert isinstance(error, error_class)
    assert problem in str(error)


@pytest.mark.parametrize(
    "reason",
    ["failed to parse 'no write index is defined'", "'too many clauses'", "search.max_keep_alive"],
)
def test_a_reason_that_quotes_a_document_is_not_taken_for_the_servers_own_words(reason):
    error = {"type": "document_parsing_exception", "reason": reason}

    assert item_failure(error, "http://es:9200") is None
    assert item_reason(error).endswith("Correct the table and ingest it again.")


def test_a_busy_server_is_no_fault_of_the_table():
    error = {"type": "es_rejected_execution_exception", "reason": "rejected"}

    assert item_failure(error, "http://es:9200") is None
    assert item_reason(error) == (
        "Elasticsearch did not take it: the server is too busy. "
        "Run the command again later, or give the server more memory."
    )


def test_a_quoted_reason_holds_the_innermost_and_stays_short():
    inner = {"type": "illegal_argument_exception", "reason": "immense term " + "x" * 30_000}
    error = {"type": "parsing", "reason": "failed to parse [name]\n", "caused_by": inner}

    reason = item_reason(error)

    assert reason.startswith(
        "Elasticsearch did not take it (failed to parse [name]: immense term xxx"
    )
    assert len(reason) < 400


def test_braces_in_what_a_server_says_are_quoted_as_they_are():
    error = read_failure({"type": "odd_exception", "reason": "{reason} {0}"}, "http://es:9200")

    assert "odd_exception ({reason} {0})" in str(error)
