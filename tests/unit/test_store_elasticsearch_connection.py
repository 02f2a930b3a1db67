import dataclasses
from pathlib import Path

import pytest

from polaris_search.errors import UsageError
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.server.address import parse_address
from polaris_search.store.elasticsearch.server.connection import connect

SETTINGS = read_settings({}, Path("/nonexistent"))


def settings(**changes):
    return dataclasses.replace(SETTINGS, **changes)


def test_user_and_password_are_taken_out_of_the_address():
    address = parse_address("https://ann:p%40ss%2Fword@es.example:9200/proxy/")

    assert address.url == "https://es.example:9200/proxy"
    assert (address.user, address.password) == ("ann", "p@ss/word")
    assert "p@ss" not in repr(address)


def test_an_ipv6_address_keeps_its_brackets():
    assert parse_address("http://[::1]:9200").url == "http://[::1]:9200"


@pytest.mark.parametrize(
    "url",
    [
        "http://es.example",
        "http://:9200",
        "http:es.example:9200",
        "https://ann:hunter2@es.example:9200?x=1",
        "https://ann:hunter2/x@es.example:9200",
        "https://ann:hunter2@es.example:port",
        "https://ann:hunter2@[::1:9200",
    ],
)
def test_a_bad_address_is_refused_with_an_example_and_without_the_password(url):
    with pytest.raises(UsageError, match=r"https://user:password@host:9200") as refused:
        parse_address(url)

    assert "hunter2" not in str(refused.value)


@pytest.mark.parametrize("special", "/?#@[]:%\\ ")
@pytest.mark.parametrize("host", ["es.example:9200", "es.example", "es.example:9200/x?y", ""])
def test_no_character_in_a_password_brings_a_part_of_it_into_a_message(special, host):
    text = f"https://zoe:hunter2{special}hunter3@{host}"

    try:
        address = parse_address(text)
    except UsageError as refused:
        message = str(refused)
        assert "percent-encoded" in message
    else:
        message = address.url

    assert "hunter" not in message
    assert "zoe" not in message


def test_blanks_around_an_address_are_no_part_of_it():
    assert parse_address("  http://es.example:9200\n").url == "http://es.example:9200"


def test_a_user_and_a_key_at_once_are_refused():
    both = settings(store="http://ann:hunter2@localhost:9200", es_api_key="a-key")

    with pytest.raises(UsageError, match="one of them can be used") as refused:
        connect(both)

    assert "hunter2" not in str(refused.value)
    assert "a-key" not in str(refused.value)


def test_a_key_that_would_break_its_header_is_refused_without_showing_it():
    with pytest.raises(UsageError, match="characters that no key has") as refused:
        connect(settings(store="http://localhost:9200", es_api_key="abc\ndef"))

    assert "abc" not in str(refused.value)


def test_a_missing_certificate_file_is_named():
    wrong = settings(store="https://localhost:9200", es_ca_certs=Path("/no/such/ca.pem"))

    with pytest.raises(UsageError, match=r"/no/such/ca\.pem, which is no file"):
        connect(wrong)
