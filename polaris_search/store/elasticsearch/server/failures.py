"""What goes wrong with Elasticsearch, as errors of the product's tree with a next step each.

Comes in as the client's exceptions or as one item of an answer. Which fault it is, line_faults and
answer_faults find out; its words are in faults. Pure: asks the server nothing.
"""

from collections.abc import Mapping
from typing import Any

from elastic_transport import TransportError
from elasticsearch import ApiError, UnsupportedProductError

from polaris_search.errors import PolarisError
from polaris_search.store.elasticsearch.server import faults
from polaris_search.store.elasticsearch.server.answer_faults import (
    NOT_READY_STATUSES,
    answer_fault,
    error_of,
    error_type,
    foreign_fault,
    place_of,
    reason_of,
)
from polaris_search.store.elasticsearch.server.faults import Fault
from polaris_search.store.elasticsearch.server.line_faults import line_fault
from polaris_search.store.elasticsearch.server.node import PRODUCT_HEADER

__all__ = [
    "error_type",
    "failure",
    "is_missing_index",
    "item_failure",
    "item_reason",
    "read_failure",
]

_OF_THE_TABLE = (faults.BUSY, faults.NO_MEMORY, faults.UNEXPECTED)
"""What an item may be refused for without each further one being refused alike."""


def failure(error: ApiError | TransportError, address: str) -> PolarisError:
    """Return the product's error for what the client raised.

    Args:
        error: what the client raised.
        address: the server's URL, without credentials.
    """
    if isinstance(error, TransportError):
        fault, reason = line_fault(error)
        return fault.at(address, reason=reason)
    told = error_of(error.body)
    fields = {
        "status": str(error.status_code),
        "kind": str(told.get("type") or f"status {error.status_code}"),
        "reason": reason_of(told or {"reason": error.body}),
        "place": place_of(error.meta.headers.get("location") or ""),
    }
    return _refusal(error, told).at(address, **fields)


def item_failure(error: Mapping[str, Any], address: str) -> PolarisError | None:
    """Return the error that one item of a bulk answer means for all, None if only for its table."""
    if answer_fault(error) in _OF_THE_TABLE:
        return None
    return read_failure(error, address)


def read_failure(error: Mapping[str, Any], address: str) -> PolarisError:
    """Return the error that one item of an answer means, for whoever asked for all of them."""
    fault = answer_fault(error)
    kind = str(error.get("type"))
    return fault.at(address, reason=reason_of(error), kind=kind, status="503")


def item_reason(error: Mapping[str, Any]) -> str:
    """Return why the server refused one table, as a sentence with a next step."""
    fault, reason = answer_fault(error), reason_of(error)
    if fault is faults.UNEXPECTED:
        return f"Elasticsearch did not take it ({reason}). Correct the table and ingest it again."
    return f"Elasticsearch did not take it: {fault.sentence(reason=reason, status='503')}"


def is_missing_index(error: ApiError) -> bool:
    """Return whether the server said that the index or alias does not exist."""
    return error.status_code == 404 and error_type(error.body) == "index_not_found_exception"


def _refusal(error: ApiError, told: Mapping[str, Any]) -> Fault:
    if isinstance(error, UnsupportedProductError):
        return faults.FOREIGN
    if "type" not in told and PRODUCT_HEADER not in error.meta.headers:
        return foreign_fault(error.status_code, error.body)
    fault = answer_fault(told)
    if fault is faults.UNEXPECTED and error.status_code in NOT_READY_STATUSES:
        return faults.NOT_READY
    return fault
