"""Database addresses: what of them is shown, stored, and refused."""

import pytest

from ingest.readers.address import has_stray_at, shown_address, without_secrets
from ingest.readers.sources import read_sources
from polaris_search.errors import SourceUnreadable


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://host/db", "postgresql://host/db"),
        ("postgresql+psycopg://u:secret@host:5432/db?sslmode=require", "postgresql+psycopg://host:5432/db"),
        ("postgresql://u@host/db", "postgresql://host/db"),
        ("postgresql://u:sec@ret@host/db", "postgresql://host/db"),
        ("postgresql://u:sec?ret@host/db", "postgresql://host/db"),
        ("postgresql://u:sec/re@t@host/db", "postgresql://host/db"),
        ("postgresql://u:sec@ret@[bad/db", "postgresql://[bad/db"),
        ("postgresql://host/db?password=secret", "postgresql://host/db"),
        ("postgresql://h/db?user=a@b&password=secret", "postgresql://b"),
        ("sqlite:///data/a@b.db?mode=ro", "sqlite:///data/a@b.db"),
        ("sqlite://", "sqlite://"),
        ("postgresql:/u:secret@host/db", "postgresql:/host/db"),
        ("u:secret@host/db", "u:host/db"),
        ("data/a@b.csv", "data/a@b.csv"),
        (r"C:\data\a@b.csv", r"C:\data\a@b.csv"),
    ],
)  # fmt: skip
def test_only_what_is_no_secret_is_shown(address, shown):
    assert shown_address(address) == shown


@pytest.mark.parametrize(
    ("address", "stray"),
    [
        ("postgresql://u:secret@host/db", False),
        ("postgresql://u@tenant:secret@host/db", False),
        ("postgresql://u:sec%40ret@host/db?x=a%40b", False),
        ("sqlite:////home/a@b/shop.db", False),
        ("postgresql://u:sec@ret@host/db", True),
        ("postgresql://us/er:secret@host/db", True),
        ("postgresql://u:secret@host:port@x/db", True),
        ("postgresql://u:secret@host/db?x=a@b", True),
    ],
)
def test_an_at_that_nobody_escaped_is_noticed(address, stray):
    assert has_stray_at(address) == stray


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://u:sec@ret@[bad/db",
        "postgresql://u:sec@ret@host/db",
        "postgresql://u:secret@host:port/db",
        "postgresql://u:se@host:ret@host/db",
        "nonsense://u:sec@ret@host/db",
        "sqlite://u:sec@ret/x.db",
        "mysql://u:secret@host/db?password=ret",
        "sqlite://u:secret@host/x.db",
        "postgresql:/u:sec@ret@host/db",
        "://u:secret@host/db",
    ],
)
def test_a_refusal_shows_nothing_of_the_password(address):
    with pytest.raises(SourceUnreadable) as refused:
        read_sources([address])

    assert "sec" not in str(refused.value)
    assert "ret" not in str(refused.value).replace("interpreted", "")
    assert "u:" not in str(refused.value)


def test_an_address_with_too_many_ats_is_refused_with_the_way_out():
    with pytest.raises(SourceUnreadable, match=r"^postgresql://\[bad/db: .*as %40\."):
        read_sources(["postgresql://u:sec@ret@[bad/db"])


def test_an_option_that_the_driver_cannot_take_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "shop.db").touch()

    with pytest.raises(SourceUnreadable, match="Check the address"):
        read_sources([f"sqlite:///{tmp_path}/shop.db?timeout=long"])


def test_addresses_in_the_text_of_an_error_lose_their_secrets():
    assert without_secrets("cannot reach x://u:s@e@host/db now") == "cannot reach x://host/db now"
