"""The line to one Elasticsearch server: made from the settings, its failures turned into sentences.

Nothing is asked when a connection is made; the first request finds out whether the server is there.
"""

import base64
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from elastic_transport import ConnectionTimeout, TransportError
from elastic_transport.client_utils import DEFAULT, DefaultType
from elasticsearch import ApiError, Elasticsearch

from polaris_search.errors import PolarisError, UsageError
from polaris_search.settings import Settings
from polaris_search.store.elasticsearch.server import faults
from polaris_search.store.elasticsearch.server.address import Address, parse_address
from polaris_search.store.elasticsearch.server.answer_faults import (
    answer_fault,
    error_of,
    is_of_another_version,
)
from polaris_search.store.elasticsearch.server.failures import failure
from polaris_search.store.elasticsearch.server.faults import Fault
from polaris_search.store.elasticsearch.server.node import PatientNode, QuietNode

UNKNOWN_VERSION = "unknown"
MIN_POOLED = 10
"""Sockets kept open for one server, for searches at the same time; writes may want more."""

HEALTH_S = 3.0
"""Wait for the answer to why another one did not come."""


@dataclass(frozen=True, slots=True)
class Connection:
    """Two clients of one server, and its address without credentials.

    Attributes:
        client: waits for a server that answered before and went away; see PatientNode. For what
            may be asked twice.
        at_once: gives up at once; for those who know better how to go on.
        address: the server's URL.
        timeout_s: longest wait for one answer.
    """

    client: Elasticsearch
    at_once: Elasticsearch
    address: str
    timeout_s: float = 30.0

    @property
    def server_wait(self) -> str:
        """How long the server may wait for a shard or a master before it says what is missing.

        A fifth less than its answer is waited for, so that the reason arrives.
        """
        return f"{int(self.timeout_s * 800)}ms"

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Turn what the client raises inside the block into the product's errors.

        Raises:
            ServiceUnreachable: the server does not answer.
            StoreProblem: it refuses, or answers with something unexpected.
        """
        try:
            yield
        except (ApiError, TransportError) as error:
            raise self.failure(error) from error

    def failure(self, error: ApiError | TransportError) -> PolarisError:
        """Return the product's error for what a client raised; may ask the server for more."""
        if isinstance(error, ConnectionTimeout):
            return self._fault_of_silence().at(self.address)
        if isinstance(error, ApiError) and is_of_another_version(error.status_code, error.body):
            versions = {"server": self.server_version(), "client": version("elasticsearch")}
            return faults.OTHER_VERSION.at(self.address, **versions)
        return failure(error, self.address)

    def server_version(self) -> str:
        """Return the server's version, or "unknown" where it cannot be seen with these credentials.

        Asks for any media type: a server of an older major version refuses the client's own.
        """
        try:
            answer = self.client.perform_request("GET", "/", headers={"accept": "*/*"}).body
        except (ApiError, TransportError):
            return UNKNOWN_VERSION
        version = answer.get("version") if isinstance(answer, dict) else None
        return str(version["number"]) if version and "number" in version else UNKNOWN_VERSION

    def close(self) -> None:
        """Close the sockets that are kept open."""
        self.client.close()
        self.at_once.close()

    def _fault_of_silence(self) -> Fault:
        """Return why an answer did not come in time, as far as the cluster may be asked."""
        asked = self.at_once.options(request_timeout=HEALTH_S, max_retries=0)
        try:
            health = asked.cluster.health(master_timeout="1s", timeout="1s")
        except ApiError as error:
            no_master = answer_fault(error_of(error.body)) is faults.NO_MASTER
            return faults.NO_MASTER if no_master else faults.NO_ANSWER_IN_TIME
        except TransportError:
            return faults.NO_ANSWER_IN_TIME
        return faults.RED_CLUSTER if health["status"] == "red" else faults.NO_ANSWER_IN_TIME


def connect(settings: Settings) -> Connection:
    """Return a connection to the server that POLARIS_STORE names. Asks the server nothing.

    Raises:
        UsageError: the address, the key or the certificate's path cannot be used.
    """
    address = parse_address(settings.store)
    basic_auth, api_key = _basic_auth(address, settings), _api_key(settings)
    ca_certs = _ca_certs(address, settings)
    patient, quiet = (
        Elasticsearch(
            hosts=[address.url],
            basic_auth=basic_auth,
            api_key=api_key,
            ca_certs=ca_certs,
            request_timeout=settings.es_timeout_s,
            connections_per_node=max(MIN_POOLED, settings.es_connections),
            node_class=node_class,
        )
        for node_class in (PatientNode, QuietNode)
    )
    return Connection(patient, quiet, address.url, settings.es_timeout_s)


def _basic_auth(address: Address, settings: Settings) -> str | None:
    """Return user and password as the header carries them; the client would encode ASCII only."""
    if address.user is None:
        return None
    if settings.es_api_key:
        raise UsageError(
            "POLARIS_STORE names a user and POLARIS_ES_API_KEY is set; one of them can be used. "
            "Remove user:password@ from the address, or unset the key."
        )
    return base64.b64encode(f"{address.user}:{address.password or ''}".encode()).decode()


def _api_key(settings: Settings) -> str | None:
    key = settings.es_api_key.strip() if settings.es_api_key else ""
    if not (key.isascii() and key.isprintable()):  # would break the header that carries it
        raise UsageError(
            "POLARIS_ES_API_KEY holds characters that no key has. "
            "Copy the `encoded` value that Elasticsearch gave when the key was made."
        )
    return key or None


def _ca_certs(address: Address, settings: Settings) -> str | DefaultType:
    path = settings.es_ca_certs
    if path is None or address.url.startswith("http://"):
        return DEFAULT
    if not path.is_file():
        raise UsageError(
            f"POLARIS_ES_CA_CERTS names {path}, which is no file. "
            "Give the path of the CA certificate (PEM)."
        )
    _check_certificate(path)
    return str(path)


def _check_certificate(path: Path) -> None:
    """Raise UsageError where no certificate can be read from the file."""
    try:
        ssl.create_default_context(cafile=path)
    except OSError as error:  # ssl.SSLError is one
        reason = error.strerror if not isinstance(error, ssl.SSLError) else "no certificate in it"
        raise UsageError(
            f"POLARIS_ES_CA_CERTS names {path}, which cannot be used ({reason}). "
            "Give the path of the CA certificate (PEM: -----BEGIN CERTIFICATE-----)."
        ) from None
