"""What is told of each answer that is no good: what is wrong, the next step, and the exit code.

Answers that a real server can be made to give are in tests/contract/test_store_elasticsearch_*.
"""

import re
from contextlib import closing

import pytest
from http_server import PRODUCT, Reply, Script, http_server
from unhappy import at, error_body, search_error, told, told_of

from polaris_search.errors import StoreProblem
from polaris_search.profiles.model import BestFields
from polaris_search.profiles.plan import QueryPlan
from polaris_search.store.elasticsearch.server.connection import connect
from polaris_search.store.elasticsearch.store import ElasticsearchStore

PLAN = QueryPlan("paper", "zebra", best_fields=BestFields(("context",), 0.1))
HTML = {"content-type": "text/html"}
LIVE = {
    "polaris-tables-v1-x": {
        "aliases": {"polaris-tables": {}},
        "mappings": {"_meta": {"schema_version": 1}},
        "settings": {"index": {}},
    }
}

ANSWERS = {
    # Something else than Elasticsearch, or something in front of it
    "json of another product": (200, {"count": 1}, {}, 1, "is not Elasticsearch", "OpenSearch"),
    "a web page": (200, b"<html>hello</html>", HTML, 1, "is not Elasticsearch", "POLARIS_STORE"),
    "a page that is not there": (404, b"<html>nginx</html>", HTML, 1, "is not Elast", "Correct"),
    "a proxy that forbids": (403, b"<html>no</html>", HTML, 1, r"refuses .*\(status 403\)", "let"),
    "a gateway that forbids": (403, {"message": "Forbidden"}, {}, 1, "status 403", "let requests"),
    "a proxy that asks who": (401, b"<html></html>", HTML, 1, "does not know who asks", "Write"),
    "a proxy before a stopped server": (502, b"<html>", HTML, 3, r"no answer .*502", "Start"),
    "a proxy out of service": (503, b"<html>", HTML, 3, r"status 503", "Start Elasticsearch"),
    "a proxy that ran out of time": (504, b"<html>", HTML, 3, "status 504", "behind the proxy"),
    "a proxy that takes no long request": (413, b"<html>", HTML, 1, "larger", "client_max_body"),
    "a proxy that counts requests": (429, b"slow down", HTML, 1, "too busy", "again later"),
    "a proxy that wants TLS": (
        400,
        b"<html>The plain HTTP request was sent to HTTPS port</html>",
        HTML,
        3,
        "nothing but TLS",
        "https://",
    ),
    "a way to elsewhere": (
        302,
        b"",
        {"location": "https://ann:hunter2@login.example:444/in?token=c2VjcmV0"},
        1,
        r"on to https://login\.example:444/in\.",
        "that address",
    ),
    "a way to another path": (301, b"", {"location": "/es"}, 1, "on to /es", "that address"),
    # Another version
    "an Elasticsearch 8": (
        400,
        error_body("media_type_header_exception", "Invalid media-type value on headers [Accept]"),
        PRODUCT,
        1,
        r"the client here, 9\.[0-9.]+, needs 9 or newer",
        "Upgrade the server",
    ),
    "an Elasticsearch 7": (
        406,
        {"error": "Content-Type header [..; compatible-with=9] is not supported", "status": 406},
        {},
        1,
        "needs 9 or newer",
        "Upgrade the server",
    ),
    # Elasticsearch itself
    "a server that is starting": (
        503,
        error_body(
            "cluster_block_exception", "blocked by: [SERVICE_UNAVAILABLE/1/state not recovered];"
        ),
        PRODUCT,
        3,
        r"is not ready \(status 503\)",
        "Wait until it has started",
    ),
    "an odd 503": (503, error_body("odd_exception", "odd"), PRODUCT, 3, "is not ready", "log"),
    "a licence that ran out": (
        403,
        error_body("security_exception", "current license is non-compliant for [security]"),
        PRODUCT,
        1,
        r"licence does not allow that \(current license",
        "_license",
    ),
    "a user that may authenticate only": (
        403,
        error_body("security_exception", "action [..user/authenticate] is unauthorized for x"),
        PRODUCT,
        1,
        r"lacks a right \(action \[\.\.user/authenticate\] is unauthorized\)",
        "role polaris-searcher",
    ),
    "a server with too many scrolls open": (
        429,
        error_body(
            "too_many_scroll_contexts_exception", "Trying to create too many scroll contexts"
        ),
        PRODUCT,
        1,
        "read page by page",
        "search.max_open_scroll_context",
    ),
    "a server without a master": (
        503,
        error_body("master_not_discovered_exception", None),
        PRODUCT,
        3,
        "no elected master",
        "Start the master nodes",
    ),
    "an alias whose name an index has": (
        400,
        error_body("invalid_alias_name_exception", "an index exists with the same name"),
        PRODUCT,
        1,
        "an index has the name that the alias needs",
        "delete it, then run",
    ),
    "an index of another program": (
        400,
        search_error(
            "query_shard_exception", "No mapping found for [table_id] in order to sort on"
        ),
        PRODUCT,
        1,
        "not an index of this product",
        "ingest again",
    ),
    "a list that was lost": (
        404,
        search_error("search_context_missing_exception", "No search context found for id [7]"),
        PRODUCT,
        1,
        "read too slowly, or the index was replaced",
        "Run the command again",
    ),
    "an error nobody foresaw": (
        400,
        error_body("x_content_parse_exception", "odd"),
        PRODUCT,
        1,
        r"x_content_parse_exception \(odd\)",
        "report this",
    ),
    "an error without a type": (
        400,
        {"error": "no handler found for uri [/a]"},
        PRODUCT,
        1,
        r"status 400 \(.*no handler found for uri \[/a\]",
        "report this",
    ),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_each_answer_is_told_in_one_sentence_with_a_next_step(name):  # X13, X14
    status, body, headers, exit_code, problem, remedy = ANSWERS[name]

    error = told_of(Reply(status, body, headers))

    assert error.exit_code == exit_code
    assert re.search(f"{problem}.*{remedy}", str(error)), error


CREDENTIALS = {
    "missing authentication credentials for REST request [/]": "does not know who asks",
    "unable to authenticate user [ann] for REST request [/]": "this user with this password",
    "API key: api key is expired": "the API key has expired",
    "API key: api key [c2VjcmV0] has been invalidated": "the API key was invalidated",
    "API key: unable to find apikey with id c2VjcmV0": "knows no such API key",
    "API key: invalid ApiKey value": "knows no such API key",
}


@pytest.mark.parametrize("reason", CREDENTIALS)
def test_whoever_is_not_known_is_told_what_is_wrong_with_the_credentials(reason):
    of_a_key = reason.startswith("API key")
    outer = "unable to authenticate with provided credentials" if of_a_key else reason
    more = {"additional_unsuccessful_credentials": reason} if of_a_key else {}

    error = told_of(Reply(401, error_body("security_exception", outer, **more), {}))

    assert isinstance(error, StoreProblem)
    assert CREDENTIALS[reason] in str(error)
    assert re.search("POLARIS_ES_API_KEY|POLARIS_STORE", str(error))


def test_an_older_server_is_told_with_both_versions_and_the_remedy():  # X13
    def as_version_8(asked):
        if "compatible-with=9" in asked.headers.get("accept", ""):
            return Reply(400, error_body("media_type_header_exception", "Invalid media-type value"))
        return Reply(200, {"version": {"number": "8.13.4"}})

    with http_server(as_version_8) as server:
        error = told(server.address)

    assert isinstance(error, StoreProblem)
    assert re.search(r"it has version 8\.13\.4, .* 9\..* Upgrade the server", str(error))


def test_a_query_beyond_the_servers_clause_limit_says_to_shorten_it():
    reason = "Query contains too many nested clauses; maxClauseCount is set to 1024"
    cause = [{"type": "query_shard_exception", "reason": f"failed to create query: {reason}"}]
    error = {"type": "search_phase_execution_exception", "root_cause": cause, "reason": "all"}

    error = told_of(Reply(400, {"error": error, "status": 400}), ask=lambda s: s.search(PLAN, 10))

    assert "more terms than this server takes. Shorten it." in str(error)


def test_a_key_that_may_not_search_is_told_which_right_it_lacks_and_not_its_id():
    reason = "action [indices:data/read/search] is unauthorized for API key id [c2VjcmV0] of user"

    error = told_of(
        Reply(403, error_body("security_exception", reason)), ask=lambda s: s.search(PLAN, 10)
    )

    assert "lacks a right (action [indices:data/read/search] is unauthorized)" in str(error)


def test_a_key_that_may_search_but_not_look_at_the_index_can_search():
    hit = {"_score": 1.5, "sort": [1.5, "a"]}
    script = Script(
        Reply(403, error_body("security_exception", "view_index_metadata")),
        Reply(200, {"hits": {"total": {"value": 1}, "hits": [hit]}}),
    )

    with http_server(script) as server, closing(store_at(server.address)) as store:
        assert store.search(PLAN, 10).hits[0].table_id == "a"


def store_at(address):
    return ElasticsearchStore(connect(at(address)))


def test_warnings_of_the_server_do_not_reach_the_person(recwarn):
    warned = {**PRODUCT, "Warning": '299 Elasticsearch-9.4.3 "deprecated"'}

    with http_server(Script(Reply(200, LIVE, warned))) as server:
        with closing(store_at(server.address)) as store:
            store.refresh()
        assert server.asked

    assert len(recwarn) == 0
