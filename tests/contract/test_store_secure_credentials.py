"""Credentials and certificates of no use, on whole commands: what is said, and what is never shown.

Every command here is searched for the credentials that it ran with; see `command`.
"""

import json
import subprocess
from contextlib import closing

import pytest
from secure import Credentials, command

import mappings
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.store import open_elasticsearch

pytestmark = pytest.mark.es

UNUSABLE = {
    "wrong password": (1, "it does not know this user with this password. Correct user and"),
    "unknown user": (1, "it does not know this user with this password. Correct user and"),
    "no credentials": (1, "it does not know who asks. Write user:password@ before the host"),
    "invalidated key": (1, "the API key was invalidated. Make another one, and set POLARIS_ES_"),
    "unknown key": (1, "it knows no such API key. Set POLARIS_ES_API_KEY to the `encoded`"),
    "half a key": (1, "POLARIS_ES_API_KEY"),
    "no CA": (3, "its certificate is signed by nobody who is trusted here. Set POLARIS_ES_CA"),
    "another CA": (3, "its certificate is signed by nobody who is trusted here. Set POLARIS_ES_CA"),
    "a CA file that is not there": (2, "POLARIS_ES_CA_CERTS names"),
    "http": (3, "If it uses TLS, write https:// in POLARIS_STORE."),
}


@pytest.fixture(scope="module")
def unusable(secure_es, tmp_path_factory):
    """Return credentials that are of no use, by what is wrong with them."""
    folder = tmp_path_factory.mktemp("certificates")
    known = secure_es.superuser
    with secure_es.key({"cluster": ["all"]}) as made:
        invalidated = made
    changed = {
        "no CA": {"POLARIS_ES_CA_CERTS": ""},
        "another CA": {"POLARIS_ES_CA_CERTS": str(_another_ca(folder))},
        "a CA file that is not there": {"POLARIS_ES_CA_CERTS": str(folder / "absent.crt")},
        "http": {"POLARIS_STORE": known.environment["POLARIS_STORE"].replace("https", "http")},
        "no credentials": {"POLARIS_STORE": secure_es.url},
    }

    def credentials(trouble):
        if trouble in changed:
            return Credentials({**known.environment, **changed[trouble]}, known.secret)
        return {
            "wrong password": secure_es.with_password("elastic", "sesame 4711/é"),
            "unknown user": secure_es.with_password("polaris-nobody", "sesame 4711/é"),
            "invalidated key": invalidated,
            "unknown key": secure_es.with_key("c2VzYW1lMTpzZXNhbWUy"),
            "half a key": Credentials(
                {**invalidated.environment, "POLARIS_ES_API_KEY": invalidated.secret[0][:20]},
                (invalidated.secret[0][:20],),
            ),
        }[trouble]

    return credentials


@pytest.mark.parametrize("trouble", UNUSABLE)
def test_credentials_of_no_use_are_told_in_one_sentence(unusable, tmp_path, trouble):
    exit_code, sentence = UNUSABLE[trouble]
    source = tmp_path / "tables.jsonl"
    source.write_text(json.dumps({"table_id": "a", "name": "n", "columns": []}) + "\n")

    for words in (["search", "x"], ["ingest", source]):
        done = command(unusable(trouble), *words)

        (line,) = done.stderr.strip().splitlines()
        assert (done.returncode, done.stdout) == (exit_code, "")
        assert line.startswith("Error: ")
        assert sentence in line


@pytest.mark.parametrize("trouble", UNUSABLE)
def test_no_trace_and_no_doctor_tells_credentials(unusable, trouble):
    exit_code, sentence = UNUSABLE[trouble]

    traced = command(unusable(trouble), "--debug", "search", "x")  # searched for the secrets
    told = command(unusable(trouble), "doctor", "--json")

    assert "Traceback" in traced.stderr
    assert told.returncode == exit_code
    assert sentence in (told.stdout + told.stderr)


def test_nothing_that_is_logged_tells_credentials(secure_es, caplog):
    rights = mappings.roles()["polaris-admin"]
    with secure_es.user("superuser") as user, secure_es.key(rights) as key:
        caplog.set_level("DEBUG")
        caplog.clear()
        for credentials in (user, key):
            with closing(open_elasticsearch(read_settings(credentials.environment))) as store:
                store.status()

            assert "/polaris-tables" in caplog.text  # with its headers
            assert not [secret for secret in credentials.secret if secret in caplog.text]


def _another_ca(folder):
    path = folder / "another.crt"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        + ["-nodes", "-days", "2", "-subj", "/CN=another", "-keyout", "/dev/null", "-out", path],
        check=True,
        capture_output=True,
    )
    return path
