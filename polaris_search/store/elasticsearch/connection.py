"""The line to one Elasticsearch server: made from the settings, its failures turned into sentences.

Nothing is asked when a connection is made; the first request finds out whether the server is there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from elastic_transport import HttpHeaders, TransportError, Urllib3HttpNode
from elastic_transport.client_utils import DEFAULT, DefaultType
from elasticsearch import ApiError, Elasticsearch

from polaris_search.errors import UsageError
from polaris_search.settings import Settings
from polaris_search.store.elasticsearch.address import Address, parse_address
from polaris_search.store.elasticsearch.failures import failure

if TYPE_CHECKING:
    from elastic_transport._node import NodeApiResponse  # the package exports it nowhere else

UNKNOWN_VERSION = "unknown"


@dataclass(frozen=True, slots=True)
class Connection:
    """A client and the address it talks to, without credentials."""

    client: Elasticsearch
    address: str

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
            raise failure(error, self.address, self.server_version) from error

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


def connect(settings: Settings) -> Connection:
    """Return a connection to the server that POLARIS_STORE names. Asks the server nothing.

    Raises:
        UsageError: the address, the key or the certificate's path cannot be used.
    """
    address = parse_address(settings.store)
    client = Elasticsearch(
        hosts=[address.url],
        basic_auth=_basic_auth(address, settings),
        api_key=_api_key(settings),
        ca_certs=_ca_certs(address, settings),
        request_timeout=settings.es_timeout_s,
        node_class=QuietNode,
    )
    return Connection(client, address.url)


class QuietNode(Urllib3HttpNode):
    """A node that leaves out the server's Warning headers.

    They tell developers of deprecations; the client would print them at whoever runs a command.
    """

    def perform_request(
        self,
        method: str,
        target: str,
        body: bytes | None = None,
        headers: HttpHeaders | None = None,
        request_timeout: DefaultType | float | None = DEFAULT,
    ) -> "NodeApiResponse":
        """Return the server's answer without its Warning headers."""
        response = super().perform_request(method, target, body, headers, request_timeout)
        response.meta.headers.pop("warning", None)
        return response


def _basic_auth(address: Address, settings: Settings) -> tuple[str, str] | None:
    if address.user is None:
        return None
    if settings.es_api_key:
        raise UsageError(
            "POLARIS_STORE names a user and POLARIS_ES_API_KEY is set; one of them can be used. "
            "Remove user:password@ from the address, or unset the key."
        )
    return address.user, address.password or ""


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
    return str(path)
