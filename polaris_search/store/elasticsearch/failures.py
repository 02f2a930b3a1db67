"""What goes wrong with Elasticsearch, as sentences with a next step.

Comes in as the client's exceptions or as one item of a bulk answer, goes out as an error of the
product's tree. Knows the server's error types by name; anything else is quoted, cut to a readable
length.
"""

from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any

from elastic_transport import ConnectionTimeout, SerializationError, TlsError, TransportError
from elasticsearch import ApiError, UnsupportedProductError

from polaris_search.errors import PolarisError, ServiceUnreachable, StoreProblem

MAX_QUOTED_CHARS = 200
"""The server may quote a whole document back."""

NOT_READY_STATUSES = (502, 503, 504)

_SENTENCES = {
    "index_not_found_exception": (
        "there is no index behind the alias: it was deleted meanwhile, or the user or key may not "
        "create it. Run the command again, or with rights to create_index and manage."
    ),
    "search_context_missing_exception": (
        "the list was read too slowly, or the index was replaced meanwhile. Run the command again."
    ),
    "no_shard_available_action_exception": (
        "the index has no shard that answers. Look at the server's log, then run the command again."
    ),
    "index_closed_exception": (
        "the index is closed. Open it (POST /INDEX/_open), then run the command again."
    ),
    "es_rejected_execution_exception": (
        "the server is too busy. Run the command again later, or give the server more memory."
    ),
    "circuit_breaking_exception": (
        "the server is short of memory. Give it more, or run the command again later."
    ),
    "invalid_alias_name_exception": (
        "an index has the name that the alias needs. Delete it, then run the command again."
    ),
    "strict_dynamic_mapping_exception": (
        "the index was made by another version of this product. Index the tables into a new one."
    ),
}

_OF_THE_INDEX = (
    "index_not_found_exception",
    "index_closed_exception",
    "cluster_block_exception",
    "security_exception",
    "strict_dynamic_mapping_exception",
    "no_shard_available_action_exception",
    "unavailable_shards_exception",
)
"""Bulk errors that say nothing about the table: each further one would fail alike."""


def failure(
    error: ApiError | TransportError, address: str, server_version: Callable[[], str]
) -> PolarisError:
    """Return the product's error for what the client raised.

    Args:
        error: what the client raised.
        address: the server's URL, without credentials.
        server_version: asks the server's version; called only where the versions do not fit.
    """
    if isinstance(error, ApiError):
        return _refusal(error, address, server_version)
    if isinstance(error, TlsError):
        return ServiceUnreachable(
            f"Elasticsearch at {address} offers a certificate that cannot be trusted, or none. "
            "Set POLARIS_ES_CA_CERTS to the file of the CA that signed it; "
            "for a server without TLS write http:// in POLARIS_STORE."
        )
    if isinstance(error, ConnectionTimeout):
        return ServiceUnreachable(
            f"Elasticsearch at {address} did not answer in time. "
            "Look whether it is overloaded, or raise POLARIS_ES_TIMEOUT_S."
        )
    if isinstance(error, SerializationError):
        return _foreign(address)
    return ServiceUnreachable(
        f"Elasticsearch at {address} does not answer. "
        "Start it, or correct POLARIS_STORE (https:// where the server uses TLS)."
    )


def item_failure(error: Mapping[str, Any], address: str) -> PolarisError | None:
    """Return the error that one item of a bulk answer means for all, None if only for its table."""
    kind = str(error.get("type"))
    if kind not in _OF_THE_INDEX and not _points_at_several(_reason(error)):
        return None
    return read_failure(error, address)


def read_failure(error: Mapping[str, Any], address: str) -> PolarisError:
    """Return the error that one item of an answer means, for whoever asked for all of them."""
    sentence = _sentence(str(error.get("type")), _reason(error))
    return StoreProblem(f"Elasticsearch at {address}: {sentence}")


def item_reason(error: Mapping[str, Any]) -> str:
    """Return why the server refused one table, as a sentence with a next step."""
    kind = str(error.get("type"))
    if kind in _SENTENCES:
        return f"Elasticsearch did not take it: {_SENTENCES[kind]}"
    return (
        f"Elasticsearch did not take it ({_reason(error)}). Correct the table and ingest it again."
    )


def is_missing_index(error: ApiError) -> bool:
    """Return whether the server said that the index or alias does not exist."""
    return error.status_code == 404 and error_type(error.body) == "index_not_found_exception"


def error_type(body: Any) -> str | None:
    """Return the type that an error answer names, None where it is not Elasticsearch's."""
    error = _error_of(body)
    return str(error["type"]) if "type" in error else None


def _refusal(error: ApiError, address: str, server_version: Callable[[], str]) -> PolarisError:
    if isinstance(error, UnsupportedProductError):
        return _foreign(address)
    kind = error_type(error.body)
    if kind == "media_type_header_exception":
        return StoreProblem(
            f"Elasticsearch at {address} has version {server_version()}, and the client here, "
            f"{version('elasticsearch')}, needs 9 or newer. Upgrade the server."
        )
    if error.status_code == 401:
        return StoreProblem(
            f"Elasticsearch at {address} does not know who asks. "
            "Correct user:password in POLARIS_STORE, or set POLARIS_ES_API_KEY."
        )
    if error.status_code in NOT_READY_STATUSES:
        return ServiceUnreachable(
            f"Elasticsearch at {address} is not ready (status {error.status_code}). "
            "Wait until it has started, or look at its log, then run the command again."
        )
    if kind is None:
        return _foreign(address)
    return StoreProblem(
        f"Elasticsearch at {address}: {_sentence(kind, _reason(_error_of(error.body)))}"
    )


def _foreign(address: str) -> StoreProblem:
    return StoreProblem(
        f"What answers at {address} is not Elasticsearch, or a proxy drops its X-Elastic-Product "
        "header. Correct POLARIS_STORE, or the proxy; OpenSearch cannot be used."
    )


def _sentence(kind: str, reason: str) -> str:
    if kind == "security_exception":
        return (
            f"the user or key lacks a right ({reason.partition(' for ')[0]}). "
            "On the tables' indices, searching needs read; writing needs write, create_index and "
            "manage too."
        )
    if kind == "cluster_block_exception":
        return _block(reason)
    if "too many" in reason and "clauses" in reason:
        return "the query has more terms than this server takes. Shorten it."
    if _points_at_several(reason):
        return (
            "the alias points at several indices; it must point at one. "
            "Remove it from the others (POST /_aliases)."
        )
    if "No mapping found for [table_id]" in reason:
        return (
            "what is behind the alias is not an index of this product. "
            "Remove the alias from it, or delete it, and ingest again."
        )
    if kind in _SENTENCES:
        return _SENTENCES[kind]
    return f"{kind} ({reason}). Look at the server's log; if nothing is wrong there, report this."


def _points_at_several(reason: str) -> bool:
    return "has more than one ind" in reason or "no write index is defined" in reason


def _block(reason: str) -> str:
    if "flood-stage" in reason:
        return (
            "its disk is so full that it takes no more writes. "
            "Free space there, then run the command again; what was stored stays."
        )
    return (
        f"the index is blocked ({reason}). "
        "Lift the block (index.blocks in its settings), then run the command again."
    )


def _error_of(body: Any) -> Mapping[str, Any]:
    error = body.get("error") if isinstance(body, Mapping) else None
    return error if isinstance(error, Mapping) else {}


def _reason(error: Mapping[str, Any]) -> str:
    """Return what the server says: the first reason, and the innermost where it is another one."""
    roots = error.get("root_cause") or [error]
    outer = innermost = roots[0]
    while isinstance(cause := innermost.get("caused_by"), Mapping):
        innermost = cause
    texts = dict.fromkeys(
        _quoted(one.get("reason") or one.get("type")) for one in (outer, innermost)
    )
    return ": ".join(texts)


def _quoted(text: object) -> str:
    line = " ".join(str(text).split())
    return line if len(line) <= MAX_QUOTED_CHARS else line[:MAX_QUOTED_CHARS] + "..."
