"""Which fault it is that an answer tells of: by its status, and by the error types of the server.

Knows the server's error types by name; anything else is quoted, cut to a readable length. Pure.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from polaris_search.store.elasticsearch.server import faults
from polaris_search.store.elasticsearch.server.faults import Fault

MAX_QUOTED_CHARS = 200
"""The server may quote a whole document back."""

NOT_READY_STATUSES = (502, 503, 504)

_BY_TYPE = {
    "index_not_found_exception": faults.NO_INDEX,
    "search_context_missing_exception": faults.LOST_PLACE,
    "no_shard_available_action_exception": faults.NO_SHARD,
    "unavailable_shards_exception": faults.NO_SHARD,
    "master_not_discovered_exception": faults.NO_MASTER,
    "index_closed_exception": faults.CLOSED,
    "es_rejected_execution_exception": faults.BUSY,
    "circuit_breaking_exception": faults.NO_MEMORY,
    "too_many_scroll_contexts_exception": faults.TOO_MANY_CONTEXTS,
    "invalid_alias_name_exception": faults.NAME_TAKEN,
    "strict_dynamic_mapping_exception": faults.OTHER_FIELDS,
}

_BY_REASON: tuple[tuple[str, Fault], ...] = (
    ("has more than one ind", faults.SEVERAL_INDICES),
    ("no write index is defined", faults.SEVERAL_INDICES),
    ("No mapping found for [table_id]", faults.NOT_OURS),
    ("too many nested clauses", faults.TOO_MANY_TERMS),
    ("too many clauses", faults.TOO_MANY_TERMS),
    ("maximum normal shards open", faults.TOO_MANY_SHARDS),
    ("search.max_keep_alive", faults.SHORT_KEEP_ALIVE),
    ("missing shards", faults.NO_SHARD),
)

_VAGUE_TYPES = (
    "illegal_argument_exception",
    "illegal_state_exception",
    "search_phase_execution_exception",
    "validation_exception",
)
"""Types that say little come with a reason that says more; of others it may quote a document."""

_BLOCKS: tuple[tuple[str, Fault], ...] = (
    ("flood-stage", faults.NO_DISK),
    ("no master", faults.NO_MASTER),
    ("state not recovered", faults.NOT_READY),
    ("cluster read-only", faults.CLUSTER_READ_ONLY),
)

_CREDENTIALS: tuple[tuple[str, Fault], ...] = (
    ("expired", faults.KEY_EXPIRED),
    ("invalidated", faults.KEY_INVALIDATED),
    ("API key", faults.KEY_UNKNOWN),
    ("unable to authenticate user", faults.WRONG_PASSWORD),
)

_FOREIGN_STATUSES = {
    401: faults.UNKNOWN_USER,
    403: faults.PROXY_REFUSES,
    405: faults.PROXY_REFUSES,
    407: faults.PROXY_REFUSES,
    413: faults.TOO_LARGE,
    429: faults.BUSY,
    **dict.fromkeys(NOT_READY_STATUSES, faults.PROXY_FINDS_NOTHING),
}


def answer_fault(error: Mapping[str, Any]) -> Fault:
    """Return what an error of Elasticsearch means, be it of a request or of one item of it."""
    kind, reason = str(error.get("type")), reason_of(error)
    if kind == "security_exception":
        return _security_fault(error)
    if kind == "cluster_block_exception":
        return _first(_BLOCKS, reason) or faults.BLOCKED
    if kind in _BY_TYPE:
        return _BY_TYPE[kind]
    for cause in _root_causes(error):
        if cause.get("type") in _BY_TYPE:
            return _BY_TYPE[cause["type"]]
    found = _first(_BY_REASON, reason) if kind in _VAGUE_TYPES else None
    return found or faults.UNEXPECTED


def foreign_fault(status: int, body: object) -> Fault:
    """Return what an answer means that is not of Elasticsearch's making."""
    if 300 <= status < 400:
        return faults.SENT_ELSEWHERE
    if status == 400 and "HTTPS port" in str(body):  # as nginx says it
        return faults.NEEDS_TLS
    return _FOREIGN_STATUSES.get(status, faults.FOREIGN)


def is_of_another_version(status: int, body: object) -> bool:
    """Return whether a server says that it does not take this client's media types."""
    if error_type(body) == "media_type_header_exception":
        return True
    return status == 406 and "Content-Type header" in str(body)


def error_of(body: object) -> Mapping[str, Any]:
    """Return the error object of an answer, empty where it has none as Elasticsearch's have."""
    error = body.get("error") if isinstance(body, Mapping) else None
    return error if isinstance(error, Mapping) else {}


def error_type(body: object) -> str | None:
    """Return the type that an error answer names, None where it is not Elasticsearch's."""
    error = error_of(body)
    return str(error["type"]) if "type" in error else None


def reason_of(error: Mapping[str, Any]) -> str:
    """Return what the server says: the first reason, and the innermost where it is another one."""
    outer = innermost = _root_causes(error)[0]
    while isinstance(cause := innermost.get("caused_by"), Mapping):
        innermost = cause
    texts = dict.fromkeys(
        _quoted(one.get("reason") or one.get("type")) for one in (outer, innermost)
    )
    reason = ": ".join(texts)
    if error.get("type") == "security_exception":
        return reason.partition(" for ")[0]  # what follows names the key or the user
    return reason


def place_of(location: str) -> str:
    """Return where a redirect leads, without what may be secret in it."""
    parts = urlsplit(location)
    if not parts.hostname:
        return parts.path
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"


def _security_fault(error: Mapping[str, Any]) -> Fault:
    """Return which of the credentials are wrong, or that they are good and do not suffice."""
    told = f"{error.get('reason')} {error.get('additional_unsuccessful_credentials')}"
    if "license" in told:
        return faults.NO_LICENCE
    if "is unauthorized" in told or "authenticat" not in told:
        return faults.NO_RIGHT
    return _first(_CREDENTIALS, told) or faults.UNKNOWN_USER


def _root_causes(error: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return error.get("root_cause") or [error]


def _first(table: tuple[tuple[str, Fault], ...], text: str) -> Fault | None:
    return next((fault for part, fault in table if part in text), None)


def _quoted(text: object) -> str:
    line = " ".join(str(text).split()).rstrip(";.")
    return line if len(line) <= MAX_QUOTED_CHARS else line[:MAX_QUOTED_CHARS] + "..."
