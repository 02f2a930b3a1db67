"""A store at an address where something is wrong, and what it tells of that."""

import dataclasses
from contextlib import closing
from pathlib import Path

import pytest
from http_server import Script, http_server

from polaris_search.errors import PolarisError
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.server.connection import connect
from polaris_search.store.elasticsearch.store import ElasticsearchStore

SETTINGS = read_settings({}, Path("/nonexistent"))
SECRETS = ("hunter2", "c2VjcmV0")


def error_body(kind, reason, **more):
    cause = {"type": kind, "reason": reason, **more}
    return {"error": {"root_cause": [cause], **cause}, "status": 0}


def search_error(kind, reason):
    cause = {"type": kind, "reason": reason}
    outer = {"type": "search_phase_execution_exception", "reason": "all shards failed"}
    return {"error": {**outer, "root_cause": [cause]}, "status": 0}


def at(address, **changes):
    return dataclasses.replace(SETTINGS, store=address, **changes)


def told(address, ask=lambda store: store.status(), **settings):
    """Return the error that a store at this address raises, having checked its form."""
    store = ElasticsearchStore(connect(at(address, **{"es_timeout_s": 2.0, **settings})))
    with closing(store), pytest.raises(PolarisError) as raised:
        ask(store)
    message = str(raised.value)
    assert message.startswith(f"Elasticsearch at {address.replace('ann:hunter2@', '')}: ")
    assert message.endswith(".")
    assert "\n" not in message
    assert not any(secret in message for secret in SECRETS)
    return raised.value


def told_of(*replies, ask=lambda store: store.status()):
    with http_server(Script(*replies)) as server:
        address = server.address.replace("//", "//ann:hunter2@")
        return told(address, ask)
