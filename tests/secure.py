"""A server with TLS and users: who asks it, as what, and what must never be shown of them."""

import base64
import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from elasticsearch import Elasticsearch

from polaris_search.store.elasticsearch.server.address import parse_address

TABLES = "polaris-tables"
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Credentials:
    """How somebody is known to the server.

    Attributes:
        environment: what makes the product ask as this one.
        secret: the texts that must never be shown.
    """

    environment: Mapping[str, str]
    secret: tuple[str, ...]


@dataclass(frozen=True)
class SecureServer:
    """A server whose address names its superuser; tests may drop the tables that it holds."""

    address: str = field(repr=False)
    ca_certs: Path

    @property
    def url(self) -> str:
        """The address without credentials."""
        return parse_address(self.address).url

    @property
    def superuser(self) -> Credentials:
        """The one who may do everything."""
        parsed = parse_address(self.address)
        return self.with_password(parsed.user or "", parsed.password or "")

    def client(self) -> Elasticsearch:
        """Return a client with all rights; the caller closes it."""
        parsed = parse_address(self.address)
        auth = (parsed.user or "", parsed.password or "")
        return Elasticsearch(parsed.url, ca_certs=str(self.ca_certs), basic_auth=auth)

    def with_password(self, user: str, password: str) -> Credentials:
        """Return what asks as this user."""
        written = f"{quote(user, safe='')}:{quote(password, safe='')}"
        encoded = base64.b64encode(f"{user}:{password}".encode()).decode()
        store = self.url.replace("//", f"//{written}@")
        return Credentials(
            {"POLARIS_STORE": store, "POLARIS_ES_CA_CERTS": str(self.ca_certs)},
            (password, quote(password, safe=""), encoded, encoded.rstrip("=")),
        )

    def with_key(self, encoded: str) -> Credentials:
        """Return what asks with this API key."""
        plain = base64.b64decode(encoded).decode()
        return Credentials(
            {
                "POLARIS_STORE": self.url,
                "POLARIS_ES_API_KEY": encoded,
                "POLARIS_ES_CA_CERTS": str(self.ca_certs),
            },
            (encoded, encoded.rstrip("="), plain, plain.partition(":")[2]),
        )

    @contextmanager
    def user(self, *roles: str) -> Iterator[Credentials]:
        """A user with these roles and a password of odd characters; gone afterwards."""
        name = f"polaris-test-{secrets.token_hex(4)}"
        password = f"p@ss:w/rd?#%é{secrets.token_hex(8)}"
        with self.client() as client:
            client.security.put_user(username=name, password=password, roles=list(roles))
            yield self.with_password(name, password)
            client.security.delete_user(username=name)

    @contextmanager
    def key(self, role: Mapping[str, Any]) -> Iterator[Credentials]:
        """An API key with the rights of this role; invalidated afterwards."""
        rights = {name: part for name, part in role.items() if name != "description"}
        with self.client() as client:
            made = client.security.create_api_key(
                name="polaris-test", role_descriptors={"rights": rights}, expiration="1d"
            )
            yield self.with_key(made["encoded"])
            client.security.invalidate_api_key(ids=[made["id"]])

    def drop_tables(self) -> None:
        """Leave nothing of the tables there."""
        with self.client() as client:
            for index in client.indices.get(index=f"{TABLES}*", expand_wildcards="all"):
                client.indices.delete(index=index)
            for name in (TABLES, f"{TABLES}-dead-letters"):
                client.options(ignore_status=404).indices.delete_index_template(name=name)
            client.options(ignore_status=404).ingest.delete_pipeline(id=TABLES)


def command(credentials, *words, **environment):
    """Run polaris-admin; whatever it prints and writes must not tell the credentials."""
    given = {**credentials.environment, **environment}
    done = subprocess.run(
        [sys.executable, "-m", "polaris_search.cli.main", *map(str, words)],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "COLUMNS": "300",
            "POLARIS_CONFIG": os.devnull,
            **given,
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    shown = done.stdout + done.stderr
    assert not [secret for secret in credentials.secret if secret and secret in shown]
    return done


def refused(done):
    """Return the one sentence that a refused command says."""
    assert done.returncode == 1, done.stdout + done.stderr
    lines = [line for line in done.stderr.splitlines() if line]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("Error: ")
    return lines[0]


def asked(done):
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def checks(done):
    return {one["name"]: one for one in asked(done)["checks"]}
