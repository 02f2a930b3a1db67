"""A live CKAN portal, stood in for by a server that answers as CKAN's API does."""

from urllib.parse import parse_qs, urlsplit

import pytest
from http_server import CUT_OFF, Reply, http_server

from ingest.readers.ckan.portal import open_portal, read_portal
from ingest.readers.row import Row
from ingest.readers.sources import read_sources
from polaris_search.errors import SourceUnreadable
from polaris_search.records import Column

NAMES = [f"p{number:03d}" for number in range(250)]


class Ckan:
    """Answers package_search and datastore_search; `fail` may answer instead."""

    def __init__(self, names=NAMES, fail=lambda asked, count: None, most=1000):
        self.names = names
        self.fail = fail
        self.most = most
        self.failures = 0

    def __call__(self, asked):
        path, query = urlsplit(asked.path).path, parse_qs(urlsplit(asked.path).query)
        failed = self.fail(asked, self.failures)
        if failed is not None:
            self.failures += 1
            return failed
        if path.endswith("/datastore_search"):
            assert query["limit"] == ["0"]
            fields = [{"id": "_id", "type": "int"}, {"id": "stp", "type": "text"}]
            return Reply(200, {"success": True, "result": {"fields": fields, "records": []}})
        start, rows = int(query["start"][0]), min(int(query["rows"][0]), self.most)
        found = [self.package(name) for name in self.names[start : start + rows]]
        result = {"count": len(self.names), "results": found}
        return Reply(200, {"help": "", "success": True, "result": result})

    @staticmethod
    def package(name):
        resource = {"id": f"r-{name}", "name": name, "datastore_active": name == "p001"}
        return {"name": name, "title": name, "notes": "", "resources": [resource]}


@pytest.fixture
def portal():
    """Return a function that starts a portal, reads it, and returns its items and the server."""

    def read(answer, path="/api/3/action/package_search", waits=None):
        with http_server(answer) as server:
            opened = open_portal(server.address + path, ([] if waits is None else waits).append)
            return list(read_portal(opened)), server

    return read


def ids(items):
    return [item.table.table_id for item in items if isinstance(item, Row)]


@pytest.mark.parametrize("path", ["/api/3/action/package_search", "", "/"])
def test_every_page_is_read_whatever_form_the_address_has(portal, path):
    items, server = portal(Ckan(), path)

    assert ids(items) == [f"r-{name}" for name in NAMES]
    assert all(asked.path.startswith("/api/3/action/") for asked in server.asked)


def test_a_portal_that_gives_fewer_packages_than_asked_for_is_read_whole(portal):
    items, _ = portal(Ckan(most=7))

    assert ids(items) == [f"r-{name}" for name in NAMES]


def test_the_datastore_is_asked_for_fields_and_never_for_rows(portal):
    items, server = portal(Ckan())

    fields = [asked.path for asked in server.asked if "datastore_search" in asked.path]
    assert [urlsplit(path).query for path in fields] == ["resource_id=r-p001&limit=0"]
    assert items[1].table.columns == (Column("stp", "text"),)


def test_a_datastore_that_refuses_costs_columns_alone(portal):
    items, _ = portal(
        Ckan(fail=lambda asked, _: Reply(403, {}) if "datastore" in asked.path else None)
    )

    assert ids(items) == [f"r-{name}" for name in NAMES]
    assert items[1].table.columns == ()


def test_a_datastore_that_fails_is_asked_no_more_and_that_is_said(portal):
    class Stored(Ckan):
        @staticmethod
        def package(name):
            package = Ckan.package(name)
            package["resources"][0]["datastore_active"] = True
            return package

    fail = lambda asked, _: Reply(500, b"") if "datastore" in asked.path else None  # noqa: E731

    items, server = portal(Stored(names=NAMES[:20], fail=fail))

    *tables, notice = items
    assert ids(tables) == [f"r-{name}" for name in NAMES[:20]]
    assert "Its DataStore does not answer" in notice.sentence
    assert len([asked for asked in server.asked if "datastore" in asked.path]) == 3 * 4


def test_a_search_keeps_what_it_searches_for_and_is_named_by_it(portal):
    with http_server(Ckan(NAMES[:1])) as server:
        address = f"{server.address.replace('://', '://me:secret@')}/api/3/action/package_search"
        (table,) = read_sources([f"{address}?fq=organization:a&rows=5&token=secret"])

    assert {parse_qs(urlsplit(asked.path).query)["fq"][0] for asked in server.asked} == {
        "organization:a"
    }
    assert table.source == f"{server.address}/api/3/action/package_search?fq=organization%3Aa"


def test_a_page_that_fails_is_asked_for_again_with_growing_waits(portal):
    waits = []
    fail = lambda asked, count: Reply(503, b"") if count < 3 and "start=100" in asked.path else None  # noqa: E731

    items, _ = portal(Ckan(fail=fail), waits=waits)

    assert ids(items) == [f"r-{name}" for name in NAMES]
    assert len(waits) == 3
    assert waits[0] < waits[1] < waits[2]


def test_a_portal_that_says_how_long_to_wait_is_believed(portal):
    waits = []
    busy = Reply(429, b"", {"Retry-After": "7"})

    portal(Ckan(fail=lambda asked, count: None if count else busy), waits=waits)

    assert 7 <= waits[0] < 9


def test_a_page_that_cannot_be_had_is_reported_and_the_others_are_read(portal):
    items, _ = portal(Ckan(fail=lambda asked, _: CUT_OFF if "start=100" in asked.path else None))

    assert ids(items) == [f"r-{name}" for name in NAMES[:100] + NAMES[200:]]
    (bad,) = [item for item in items if not isinstance(item, Row)]
    assert bad.problem.startswith("Packages 101 to 200: It does not answer (")


def test_pages_that_fail_here_and_there_do_not_end_the_reading(portal):
    bad = ("start=100&", "start=300&", "start=500&", "start=700&")
    names = [f"n{number:04d}" for number in range(900)]

    items, _ = portal(
        Ckan(names, lambda asked, _: CUT_OFF if any(one in asked.path for one in bad) else None)
    )

    assert len(ids(items)) == 500
    assert len(items) - 500 == len(bad)


def test_a_portal_that_is_gone_is_given_up_after_bounded_requests(portal):
    gone = lambda asked, _: None if "start=0" in asked.path else Reply(500, b"")  # noqa: E731

    items, server = portal(Ckan(names=[f"n{number}" for number in range(5000)], fail=gone))

    assert len(ids(items)) == 100
    assert len(items) - 100 == 3  # pages reported
    assert len(server.asked) == 2 + 3 * 4  # the look, the first page, three pages four times


def test_a_package_that_moves_between_pages_comes_once(portal):
    class Moving(Ckan):
        def __call__(self, asked):
            if "start=100" in asked.path:
                self.names = ["new", *NAMES]  # so that p099 stands on the second page too
            return super().__call__(asked)

    items, _ = portal(Moving())

    assert len(ids(items)) == len(set(ids(items))) == 250


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (Reply(404, b""), "It answers 404"),
        (Reply(403, {"success": False}), "It answers 403"),
        (Reply(200, b"<html>"), "It answers with something that is no JSON"),
        (Reply(200, {"hello": 1}), "It answers with something that is no CKAN reply"),
        (Reply(200, {"success": True, "result": {}}), "The answer is not that of a CKAN"),
        (Reply(302, b"", {"Location": "/api/3/action/package_search"}), "It cannot be asked"),
    ],
)
def test_what_is_no_portal_is_refused_in_a_sentence_without_the_password(reply, problem):
    waits = []
    with http_server(lambda asked: reply) as server:
        address = server.address.replace("://", "://me:secret@")
        with pytest.raises(SourceUnreadable, match=problem) as refused:
            open_portal(address, waits.append)

    assert "secret" not in str(refused.value)
    assert waits == []  # asking again would not help


def test_a_portal_that_does_not_answer_is_refused_with_the_next_step():
    with http_server(lambda asked: Reply()) as server:
        address = server.address

    with pytest.raises(SourceUnreadable, match=r"It does not answer .* Check the address and"):
        open_portal(address, [].append)
