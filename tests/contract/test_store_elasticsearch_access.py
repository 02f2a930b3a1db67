"""Who is let in, and over which line: credentials, certificates and proxies, each with a sentence.

Credentials are tried on a real server with users; certificates and proxies that none would have on
a small server of the test's own, which passes on what a real one answers where that matters.
"""

import dataclasses
import re
import ssl
from contextlib import closing
from pathlib import Path

import pytest
from certificates import authority
from http_server import Reply, Script, http_server, passed_on

from polaris_search.errors import PolarisError, ServiceUnreachable, StoreProblem, UsageError
from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.records import EnrichedTable, Provenance, RawTable
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.server.connection import connect
from polaris_search.store.elasticsearch.store import ElasticsearchStore

pytestmark = pytest.mark.es

PAPER = plan_query(profile_named("paper"), "zebra")
TABLE = EnrichedTable(RawTable("a", "zebra"), Provenance("h"))
SETTINGS = read_settings({}, Path("/nonexistent"))
A_DAY = {"not_before": "20200101", "not_after": "20990101"}


def told(ask=lambda store: store.status(), **settings):
    """Return the error raised at a store with these settings."""
    store = ElasticsearchStore(connect(dataclasses.replace(SETTINGS, **settings)), "polaris-none")
    with closing(store), pytest.raises(PolarisError) as raised:
        ask(store)
    assert "\n" not in str(raised.value)
    for secret in ("hunter2", settings.get("es_api_key") or "hunter2"):
        assert secret not in str(raised.value)
    return raised.value


@pytest.fixture
def client(secure_es):
    with closing(secure_es.client()) as opened:
        yield opened.options(request_timeout=30)


@pytest.fixture
def key(client):
    """Return a function that makes an API key and returns what was answered."""

    def make(**options):
        return client.security.create_api_key(name="of-a-test", **options).body

    return make


def test_a_wrong_password_is_told_apart_from_none(secure_es):
    ca = secure_es.ca_certs
    wrong = secure_es.url.replace("//", "//elastic:hunter2@")

    with_wrong = told(store=wrong, es_ca_certs=ca)
    with_none = told(store=secure_es.url, es_ca_certs=ca)

    assert isinstance(with_wrong, StoreProblem)
    assert "it does not know this user with this password. Correct user" in str(with_wrong)
    assert isinstance(with_none, StoreProblem)
    assert "it does not know who asks. Write user:password@ before the host" in str(with_none)


def test_a_key_that_ended_is_told_apart_from_one_that_never_was(secure_es, client, key):
    at = {"store": secure_es.url, "es_ca_certs": secure_es.ca_certs}
    invalidated = key()
    client.security.invalidate_api_key(ids=[invalidated["id"]])
    expired = key(expiration="1ms")

    assert "the API key was invalidated. Make another one" in str(
        told(es_api_key=invalidated["encoded"], **at)
    )
    assert "the API key has expired. Make another one" in str(
        told(es_api_key=expired["encoded"], **at)
    )
    for unknown in ("YWJjOmRlZg==", "no-key"):
        assert "it knows no such API key. Set POLARIS_ES_API_KEY" in str(
            told(es_api_key=unknown, **at)
        )


def test_a_key_that_may_only_read_is_told_what_writing_needs(secure_es, key):
    reads = {"r": {"index": [{"names": ["polaris-none*"], "privileges": ["read"]}]}}

    error = told(
        lambda store: store.put([TABLE]),
        store=secure_es.url,
        es_ca_certs=secure_es.ca_certs,
        es_api_key=key(role_descriptors=reads)["encoded"],
    )

    assert isinstance(error, StoreProblem)
    assert re.search(r"lacks a right \(action \[\S+\] is unauthorized\)", str(error))
    assert "polaris-ingester to write" in str(error)


def test_a_ca_that_is_not_set_is_what_is_asked_for(secure_es):
    error = told(store=secure_es.address)

    assert isinstance(error, ServiceUnreachable)
    assert "signed by nobody who is trusted here. Set POLARIS_ES_CA_CERTS" in str(error)


def test_a_name_that_the_certificate_lacks_is_told_with_the_name(secure_es):
    error = told(store=secure_es.url.replace("localhost", "127.1"), es_ca_certs=secure_es.ca_certs)

    assert isinstance(error, ServiceUnreachable)
    assert re.search(r"for another name \(.*'127\.1'.*\)\. Write a name that", str(error))


def test_plain_http_to_a_server_with_tls_says_https(secure_es):
    error = told(store=secure_es.address.replace("https:", "http:"))

    assert isinstance(error, ServiceUnreachable)
    assert "If it uses TLS, write https:// in POLARIS_STORE" in str(error)


def test_tls_to_a_plain_server_says_http(es_url):
    error = told(store=es_url.replace("http:", "https:"))

    assert isinstance(error, ServiceUnreachable)
    assert "it does not use TLS there. Write http:// in POLARIS_STORE" in str(error)


@pytest.mark.parametrize(
    ("days", "reason"),
    [
        ({"not_before": "20200101", "not_after": "20200201"}, "certificate has expired"),
        ({"not_before": "20990101", "not_after": "20990201"}, "certificate is not yet valid"),
    ],
)
def test_a_certificate_out_of_its_days_is_told_as_such(tmp_path, days, reason):
    ca = authority(tmp_path)

    with http_server(Script(Reply(200, {})), ca.server("DNS:localhost", **days)) as server:
        error = told(store=server.address, es_ca_certs=ca.certificate)

    assert isinstance(error, ServiceUnreachable)
    assert f"its certificate is not valid today ({reason}). Renew" in str(error)


def test_a_server_that_wants_a_certificate_of_the_client_is_told_to_be_unsupported(tmp_path):
    ca = authority(tmp_path)
    context = ca.server("DNS:localhost", **A_DAY)
    context.maximum_version = ssl.TLSVersion.TLSv1_2  # where the refusal comes with the handshake
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(ca.certificate)

    with http_server(Script(Reply(200, {})), context) as server:
        error = told(store=server.address, es_ca_certs=ca.certificate)

    assert isinstance(error, ServiceUnreachable)
    assert re.search(r"no TLS connection could be made \(.+\)\. Look at its log", str(error))
    assert "certificates of clients are not supported" in str(error)


def test_a_good_certificate_of_an_own_ca_is_taken(tmp_path, es_url):
    ca = authority(tmp_path)

    with http_server(passed_on(es_url), ca.server("DNS:localhost", **A_DAY)) as server:
        settings = dataclasses.replace(SETTINGS, store=server.address, es_ca_certs=ca.certificate)
        with closing(ElasticsearchStore(connect(settings), "polaris-none")) as store:
            assert store.status().tables == 0


@pytest.mark.parametrize("content", ["", "no certificate\n", "-----BEGIN CERTIFICATE-----\nx\n"])
def test_a_ca_file_that_holds_no_certificate_is_refused_before_anything_is_asked(tmp_path, content):
    path = tmp_path / "ca.crt"
    path.write_text(content)

    with pytest.raises(UsageError, match=r"POLARIS_ES_CA_CERTS names .*ca\.crt.*PEM: -----BEGIN"):
        connect(dataclasses.replace(SETTINGS, store="https://localhost:9200", es_ca_certs=path))


def test_a_proxy_that_drops_the_product_header_is_told_in_one_sentence(es_url):  # X14
    real = passed_on(es_url)

    def without_the_header(asked):
        answer = real(asked)
        kept = {k: v for k, v in answer.headers.items() if k.lower() != "x-elastic-product"}
        return dataclasses.replace(answer, headers=kept)

    with http_server(without_the_header) as proxy:
        error = told(lambda store: store.search(PAPER, 10), store=proxy.address)

    assert error.exit_code == 1
    assert "or a proxy drops its X-Elastic-Product header. Correct POLARIS_STORE" in str(error)
