"""What is told of each answer that is no good: what is wrong, the next step, and the exit code.

Answers that a real server can be made to give are in tests/contract/test_store_elasticsearch_*.
"""

import dataclasses
import re
import threading
from contextlib import closing
from pathlib import Path

import pytest
from http_server import CUT_OFF, PRODUCT, Reply, Script, http_server

from polaris_search.errors import PolarisError, ServiceUnreachable, StoreProblem
from polaris_search.profiles.model import BestFields
from polaris_search.profiles.plan import QueryPlan
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.connection import connect
from polaris_search.store.elasticsearch.failures import item_failure, item_reason, read_failure
from polaris_search.store.elasticsearch.store import ElasticsearchStore

SETTINGS = read_settings({}, Path("/nonexistent"))
PLAN = QueryPlan("paper", "zebra", best_fields=BestFields(("context",), 0.1))
HTML = {"content-type": "text/html"}
LIVE = {"polaris-tables-v1-x": {"mappings": {"_meta": {"schema_version": 1}}}}
SECRETS = ("hunter2", "c2VjcmV0")


def error_body(kind, reason, **more):
    cause = {"type": kind, "reason": reason, **more}
    return {"error": {"root_cause": [cause], **cause}, "status": 0}


def search_error(kind, reason):
    cause = {"type": kind, "reason": reason}
    outer = {"type": "search_phase_execution_exception", "reason": "all shards failed"}
    return {"error": {**outer, "root_cause": [cause]}, "status": 0}


def at(address, **changes):
    return dataclasses.replace(SETTINGS, store=address, **changes)


def told(address, ask=lambda store: store.status(), **settings):
    """Return the error that a store at this address raises, having checked its form."""
    store = ElasticsearchStore(connect(at(address, **{"es_timeout_s": 2.0, **settings})))
    with closing(store), pytest.raises(PolarisError) as raised:
        ask(store)
    message = str(raised.value)
    assert message.startswith(f"Elasticsearch at {address.replace('ann:hunter2@', '')}: ")
    assert message.endswith(".")
    assert "\n" not in message
    assert not any(secret in message for secret in SECRETS)
    return raised.value


def told_of(*replies, ask=lambda store: store.status()):
    with http_server(Script(*replies)) as server:
        address = server.address.replace("//", "//ann:hunter2@")
        return told(address, ask)


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


BROKEN = {
    "half an answer": b'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"a":',
    "a broken gzip": b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\nabc",
    "a broken chunk": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nZZ\r\n{",
}


@pytest.mark.parametrize("name", BROKEN)
def test_an_answer_that_breaks_off_is_told_as_such(name):
    error = told_of(Reply(raw=BROKEN[name]))

    assert isinstance(error, ServiceUnreachable)
    assert "broke off, or came garbled. Look at its log, and at any proxy" in str(error)


def test_json_that_ends_too_early_is_told_as_an_answer_that_broke_off():
    error = told_of(Reply(200, b'{"polaris-tables-v1-x": {"mappings"'))

    assert isinstance(error, ServiceUnreachable)
    assert "broke off" in str(error)


def test_a_server_that_speaks_no_http_is_told_as_foreign():
    error = told_of(Reply(raw=b"SSH-2.0-OpenSSH_9.2\r\n"))

    assert isinstance(error, StoreProblem)
    assert "is not Elasticsearch" in str(error)


def test_a_connection_that_ends_without_an_answer_hints_at_tls():
    error = told_of(CUT_OFF)

    assert isinstance(error, ServiceUnreachable)
    assert "ended the connection without an answer. If it uses TLS, write https://" in str(error)


def test_a_server_that_is_not_there_is_named_without_its_password():
    error = told("http://ann:hunter2@127.0.0.1:9")

    assert str(error) == (
        "Elasticsearch at http://127.0.0.1:9: nothing answers there. "
        "Start it, or correct host and port in POLARIS_STORE."
    )
    assert error.exit_code == 3


def test_a_request_that_is_made_only_once_is_told_as_well_as_one_that_is_repeated():
    with closing(connect(at("http://127.0.0.1:9"))) as connection:
        once = connection.at_once.options(max_retries=0)

        with (
            pytest.raises(ServiceUnreachable, match="nothing answers there"),
            connection.answering(),
        ):
            once.count(index="tables")


def test_a_host_to_which_there_is_no_way_is_told_with_what_the_system_says():
    error = told("http://ann:hunter2@255.255.255.255:9200")

    assert isinstance(error, ServiceUnreachable)
    assert re.search(r"cannot be reached from here \([\w ]+\)\. Look at the network", str(error))


def test_a_host_that_nobody_knows_is_told_apart_from_a_server_that_is_down():
    error = told("http://ann:hunter2@no-such-host.invalid:9200")

    assert isinstance(error, ServiceUnreachable)
    assert "no computer of that name is known here. Correct the host" in str(error)


def test_a_server_without_tls_behind_an_https_address_says_what_to_write():
    with http_server(Script(Reply(200, LIVE))) as server:
        error = told(server.address.replace("http:", "https:"))

    assert isinstance(error, ServiceUnreachable)
    assert "it does not use TLS there. Write http:// in POLARIS_STORE" in str(error)


WHY_SILENT = {
    "it is overloaded": (
        Reply(200, {"status": "green"}),
        "it did not answer in time. Look whether",
    ),
    "shards are missing": (Reply(200, {"status": "red"}), "has shards that no node serves. Start"),
    "there is no master": (
        Reply(503, error_body("master_not_discovered_exception", None)),
        "no elected master",
    ),
    "nobody may ask": (
        Reply(403, error_body("security_exception", "action [health] is unauthorized")),
        "it did not answer in time. Look whether",
    ),
}


@pytest.mark.parametrize("why", WHY_SILENT)
def test_a_server_that_is_silent_is_asked_why_as_far_as_one_may(why):
    health, sentence = WHY_SILENT[why]
    over = threading.Event()

    def silent_but_for_its_health(asked):
        if not asked.path.startswith("/_cluster/health"):
            over.wait(30)
        return health

    with http_server(silent_but_for_its_health) as server:
        error = told(server.address, lambda store: store.search(PLAN, 10), es_timeout_s=0.2)
        over.set()

    assert isinstance(error, ServiceUnreachable)
    assert sentence in str(error)


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
