"""What a person reads when the server is absent, old, busy or foreign; it answers as real ones."""

import dataclasses
import json
import threading
from collections import deque
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from polaris_search.errors import ServiceUnreachable, StoreProblem
from polaris_search.profiles.model import BestFields
from polaris_search.profiles.plan import QueryPlan
from polaris_search.records import EnrichedTable, Provenance, RawTable
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.connection import connect
from polaris_search.store.elasticsearch.failures import item_reason
from polaris_search.store.elasticsearch.store import ElasticsearchStore
from polaris_search.store.elasticsearch.writing import BulkLimits

SETTINGS = read_settings({}, Path("/nonexistent"))
PLAN = QueryPlan("paper", "zebra", best_fields=BestFields(("context",), 0.1))
PRODUCT = {"X-Elastic-Product": "Elasticsearch"}
NO_BACKOFF = BulkLimits(backoff_s=0.0)
LIVE = {"polaris-tables-v1-x": {"mappings": {"_meta": {"schema_version": 1}}}}


class FakeElasticsearch:
    """Answers with what was enqueued, then with the last of it for ever; keeps what was asked."""

    def __init__(self):
        self.answers = deque()
        self.asked = []
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                length = int(self.headers.get("content-length") or 0)
                fake.asked.append((self.command, self.path, self.rfile.read(length)))
                accepts = self.headers.get("accept", "")
                status, body, headers = fake.next_answer(accepts)
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in {"content-type": "application/json", **headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_DELETE = answer

            def log_message(self, *_):
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.01,))
        self.thread.start()

    def enqueue(self, status, body, headers=PRODUCT):
        self.answers.append((status, body, headers))

    def next_answer(self, accepts):
        return self.answers.popleft() if len(self.answers) > 1 else self.answers[0]

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


class FakeElasticsearch8(FakeElasticsearch):
    """Refuses the media types of a newer client, as 8.13 does, and answers any other."""

    def next_answer(self, accepts):
        if "compatible-with=9" in accepts:
            error = error_body("media_type_header_exception", "Invalid media-type value on headers")
            return 400, error, PRODUCT
        return 200, {"version": {"number": "8.13.4"}}, PRODUCT


def error_body(kind, reason, **more):
    return {"error": {"root_cause": [], "type": kind, "reason": reason, **more}, "status": 0}


def serve(fake):
    with closing(ElasticsearchStore(connect(at(fake.address)), limits=NO_BACKOFF)) as store:
        yield fake, store
    fake.stop()


def at(address, **changes):
    return dataclasses.replace(SETTINGS, store=address, **changes)


@pytest.fixture
def fake_and_store():
    yield from serve(FakeElasticsearch())


def test_a_server_that_is_not_there_is_named_without_its_password():
    settings = at("http://ann:hunter2@127.0.0.1:9")

    store = ElasticsearchStore(connect(settings))
    with closing(store), pytest.raises(ServiceUnreachable) as failed:
        store.search(PLAN, 10)

    assert str(failed.value) == (
        "Elasticsearch at http://127.0.0.1:9 does not answer. "
        "Start it, or correct POLARIS_STORE (https:// where the server uses TLS)."
    )
    assert failed.value.exit_code == 3


def test_a_server_without_tls_behind_an_https_address_says_what_to_set(fake_and_store):
    fake, _ = fake_and_store
    settings = at(fake.address.replace("http:", "https:"))

    store = ElasticsearchStore(connect(settings))
    with (
        closing(store),
        pytest.raises(ServiceUnreachable, match="certificate .* POLARIS_ES_CA_CERTS"),
    ):
        store.status()


@pytest.mark.parametrize(
    ("status", "kind", "reason", "expected"),
    [
        (401, "security_exception", "unable to authenticate user", "does not know who asks"),
        (400, "x_content_parse_exception", "odd", r"x_content_parse_exception \(odd\)"),
        (429, "circuit_breaking_exception", "Data too large", "short of memory"),
    ],
)
def test_each_refusal_is_one_sentence_with_a_next_step(
    fake_and_store, status, kind, reason, expected
):
    fake, store = fake_and_store
    fake.enqueue(status, error_body(kind, reason))

    with pytest.raises(StoreProblem, match=expected) as failed:
        store.search(PLAN, 10)

    assert "\n" not in str(failed.value)


def test_a_query_beyond_the_servers_clause_limit_says_to_shorten_it(fake_and_store):
    fake, store = fake_and_store
    reason = (
        "failed to create query: Query contains too many nested clauses; maxClauseCount is 1024"
    )
    cause = [{"type": "query_shard_exception", "reason": reason}]
    error = {
        "type": "search_phase_execution_exception",
        "root_cause": cause,
        "reason": "all failed",
    }
    fake.enqueue(400, {"error": error, "status": 400})

    with pytest.raises(StoreProblem, match="more terms than this server takes. Shorten it"):
        store.search(PLAN, 10)


def test_a_key_that_may_not_search_is_told_which_rights_it_lacks(fake_and_store):
    fake, store = fake_and_store
    reason = "action [indices:data/read/search] is unauthorized for API key id [abc]"
    fake.enqueue(403, error_body("security_exception", reason))

    with pytest.raises(
        StoreProblem, match=r"lacks a right \(action .* searching needs read"
    ) as told:
        store.search(PLAN, 10)

    assert "abc" not in str(told.value)


def test_a_key_that_may_not_create_an_index_is_told_so_and_not_of_a_deleted_one(fake_and_store):
    fake, store = fake_and_store
    for _ in range(3):  # the mapping, the new index, the mapping once more
        fake.enqueue(403, error_body("security_exception", "action [create] is unauthorized"))

    with pytest.raises(StoreProblem, match="lacks a right"), store.scratch():
        pass


def test_a_key_that_may_search_but_not_look_at_the_index_can_search(fake_and_store):
    fake, store = fake_and_store
    fake.enqueue(403, error_body("security_exception", "view_index_metadata"))
    hit = {"_score": 1.5, "sort": [1.5, "a"]}
    fake.enqueue(200, {"hits": {"total": {"value": 1}, "hits": [hit]}})

    assert store.search(PLAN, 10).hits[0].table_id == "a"


def test_a_key_without_cluster_rights_gets_a_status_with_an_unknown_version(fake_and_store):
    fake, store = fake_and_store
    fake.enqueue(200, LIVE)
    fake.enqueue(403, error_body("security_exception", "cluster:monitor/main"))
    fake.enqueue(200, {"count": 7})

    status = store.status()

    assert (status.version, status.tables) == ("unknown", 7)
    assert status.generation == "polaris-tables-v1-x"


def test_an_older_server_is_told_with_both_versions_and_the_remedy():  # X13
    for _, store in serve(FakeElasticsearch8()):
        with pytest.raises(
            StoreProblem, match=r"has version 8\.13\.4, .* 9\..* Upgrade the server"
        ):
            store.status()


@pytest.mark.parametrize(
    ("status", "body"),
    [(200, {"count": 1}), (404, b"<html>nginx</html>"), (200, b"<html>hello</html>")],
)
def test_what_is_not_elasticsearch_is_told_in_one_sentence(fake_and_store, status, body):  # X14
    fake, store = fake_and_store
    kind = "text/html" if isinstance(body, bytes) else "application/json"
    fake.enqueue(status, body, {"content-type": kind})

    with pytest.raises(StoreProblem, match="is not Elasticsearch, or a proxy drops its X-Elastic"):
        store.search(PLAN, 10)


def test_a_server_that_is_still_starting_is_a_service_not_reachable(fake_and_store):
    fake, store = fake_and_store
    fake.enqueue(503, error_body("cluster_block_exception", "state not recovered"))

    with pytest.raises(ServiceUnreachable, match=r"is not ready \(status 503\)"):
        store.search(PLAN, 10)


def test_warnings_of_the_server_do_not_reach_the_person(fake_and_store, recwarn):
    fake, store = fake_and_store
    fake.enqueue(404, error_body("index_not_found_exception", "no such index"))
    fake.enqueue(200, LIVE, {**PRODUCT, "Warning": '299 Elasticsearch-9.4.3 "deprecated"'})

    store.search(PLAN, 10)
    store.refresh()

    assert len(recwarn) == 0


def put_through(fake, *bulk_answers):
    fake.enqueue(200, LIVE)
    for status, *items in bulk_answers:
        fake.enqueue(status, {"errors": True, "items": [{"index": item} for item in items]})


def table(table_id):
    return EnrichedTable(RawTable(table_id, "t"), Provenance("h"))


def test_a_table_refused_once_by_a_busy_server_arrives(fake_and_store):  # X11
    fake, store = fake_and_store
    busy = error_body("es_rejected_execution_exception", "rejected")["error"]
    put_through(
        fake,
        (200, {"_id": "a", "status": 201}, {"_id": "b", "status": 429, "error": busy}),
        (200, {"_id": "b", "status": 201}),
    )

    report = store.put([table("a"), table("b")])

    assert (report.stored, report.refused) == (2, ())
    (_, path, last) = fake.asked[-1]
    assert "require_alias=true" in path
    assert json.loads(last.splitlines()[0]) == {"index": {"_id": "b"}}
    assert len(last.splitlines()) == 2


def test_a_table_refused_for_ever_by_a_busy_server_is_reported(fake_and_store):
    fake, store = fake_and_store
    busy = error_body("es_rejected_execution_exception", "rejected")["error"]
    put_through(fake, (200, {"_id": "a", "status": 429, "error": busy}))

    (refused,) = store.put([table("a")]).refused

    assert refused.table_id == "a"
    assert "the server is too busy. Run the command again later" in refused.reason


def test_a_full_disk_is_told_once_with_the_remedy(fake_and_store):
    fake, store = fake_and_store
    reason = (
        "index [x] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark]"
    )
    block = error_body("cluster_block_exception", reason)["error"]
    put_through(fake, (200, {"_id": "a", "status": 429, "error": block}))

    with pytest.raises(StoreProblem, match=r"disk is so full .* Free space there"):
        store.put([table("a")])


def test_a_quoted_reason_holds_the_innermost_and_stays_short():
    inner = {"type": "illegal_argument_exception", "reason": "immense term " + "x" * 30_000}
    error = {"type": "parsing", "reason": "failed to parse [name]\n", "caused_by": inner}

    reason = item_reason(error)

    assert reason.startswith(
        "Elasticsearch did not take it (failed to parse [name]: immense term xxx"
    )
    assert len(reason) < 400
