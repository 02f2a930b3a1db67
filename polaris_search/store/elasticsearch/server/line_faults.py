"""Which fault it is that no whole answer came: found by what lies beneath the client's exception.

Knows nothing of Elasticsearch: names, sockets, certificates and broken transfers only.
"""

import http.client
import socket
import ssl
import zlib
from collections.abc import Iterator

from elastic_transport import ConnectionTimeout, SerializationError, TransportError

from polaris_search.store.elasticsearch.server.faults import (
    BROKEN_ANSWER,
    CERTIFICATE_DATES,
    CERTIFICATE_NAMES,
    FOREIGN,
    HUNG_UP,
    NO_ANSWER_IN_TIME,
    NO_TLS,
    NO_WAY,
    NOT_LISTENING,
    TLS_REFUSED,
    UNKNOWN_CA,
    UNKNOWN_HOST,
    Fault,
)

_NOT_YET_VALID, _EXPIRED, _OTHER_HOST, _OTHER_IP = 9, 10, 62, 64
"""OpenSSL's numbers of what is wrong with a certificate (X509_V_ERR_*)."""

_CERTIFICATE_FAULTS = {
    _NOT_YET_VALID: CERTIFICATE_DATES,
    _EXPIRED: CERTIFICATE_DATES,
    _OTHER_HOST: CERTIFICATE_NAMES,
    _OTHER_IP: CERTIFICATE_NAMES,
}

_NO_TLS_REASONS = ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST")


def line_fault(error: TransportError) -> tuple[Fault, str]:
    """Return the fault, and the reason that its sentence may quote."""
    if isinstance(error, ConnectionTimeout):
        return NO_ANSWER_IN_TIME, ""
    if isinstance(error, SerializationError):
        return (FOREIGN if _is_of_another_type(error) else BROKEN_ANSWER), ""
    for cause in _causes(error):
        found = _found(cause)
        if found is not None:
            return found, _reason(cause)
    return HUNG_UP, ""


def _found(cause: BaseException) -> Fault | None:
    """Return the fault that this exception alone tells of; the order of the tests matters."""
    if isinstance(cause, ssl.SSLError):
        return _tls_fault(cause)
    if isinstance(cause, socket.gaierror):
        return UNKNOWN_HOST
    if isinstance(cause, ConnectionRefusedError):
        return NOT_LISTENING
    if isinstance(cause, http.client.IncompleteRead | zlib.error):
        return BROKEN_ANSWER
    if isinstance(cause, ConnectionError):  # reset, aborted, a broken pipe, RemoteDisconnected
        return HUNG_UP
    if isinstance(cause, http.client.HTTPException):  # what came is no HTTP
        return FOREIGN
    return NO_WAY if isinstance(cause, OSError) and cause.errno else None


def _tls_fault(error: ssl.SSLError) -> Fault:
    if isinstance(error, ssl.SSLCertVerificationError):
        return _CERTIFICATE_FAULTS.get(error.verify_code, UNKNOWN_CA)
    if isinstance(error, ssl.SSLEOFError):
        return HUNG_UP
    return NO_TLS if error.reason in _NO_TLS_REASONS else TLS_REFUSED


def _reason(cause: BaseException) -> str:
    """Return the exception's own words, without where in a library it was raised."""
    if isinstance(cause, ssl.SSLCertVerificationError):
        return cause.verify_message.rstrip(".")
    if isinstance(cause, ssl.SSLError):
        return str(cause.reason).lower().replace("_", " ")
    return str(getattr(cause, "strerror", None) or cause)


def _is_of_another_type(error: SerializationError) -> bool:
    """Return whether the answer says that it is something else than JSON."""
    return "mimetype" in str(error)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the exception, and what it was raised for, one beneath the other."""
    cause: BaseException | None = error
    while cause is not None:
        yield cause
        cause = cause.__cause__ or cause.__context__
