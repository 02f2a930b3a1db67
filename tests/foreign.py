"""Another program that writes tables: plain requests, as Logstash or curl make them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from elasticsearch import Elasticsearch

import mappings
from polaris_search.store.elasticsearch.bulk.writing import DEFAULT_LIMITS

JSON = {"content-type": "application/json", "accept": "application/json"}
LINES = {"content-type": "application/x-ndjson", "accept": "application/json"}


def shipped(max_bytes: int = DEFAULT_LIMITS.document_bytes) -> dict[str, Any]:
    """Return the pipeline as `_simulate` takes it, with another limit where wanted."""
    pipeline = mappings.ingest_pipeline()
    del pipeline["version"]
    scripts = [one["script"] for one in pipeline["processors"] if "script" in one]
    (raw_table,) = [one for one in scripts if one["tag"] == "raw_table"]
    assert raw_table["params"] == {"max_bytes": DEFAULT_LIMITS.document_bytes}
    raw_table["params"] = {"max_bytes": max_bytes}
    return pipeline


def simulated(
    client: Elasticsearch, sent: Sequence[object], pipeline: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return what the pipeline makes of each document; nothing is written."""
    docs = [{"_index": "polaris-tables", "_id": "given", "_source": one} for one in sent]
    body = json.dumps({"pipeline": pipeline, "docs": docs}).encode()  # ASCII: \ud800 gets through
    answer = client.perform_request("POST", "/_ingest/pipeline/_simulate", headers=JSON, body=body)
    return [one["doc"] for one in answer["docs"]]


def send(
    client: Elasticsearch, target: str, *rows: object, verb: str = "index", **options: str
) -> list[dict[str, Any]]:
    """Write rows in one bulk, and return the outcome of each.

    A row may be a pair: what stands in its action beside the index, and the document.
    """
    lines = []
    for row in rows:
        given, document = row if isinstance(row, tuple) else ({}, row)
        lines += [json.dumps({verb: {"_index": target, **given}}), _text(document)]
    body = ("\n".join(lines) + "\n").encode()
    answer = client.perform_request("POST", "/_bulk", params=options, headers=LINES, body=body)
    return [outcome for item in answer["items"] for outcome in item.values()]


def _text(document: object) -> str:
    return document if isinstance(document, str) else json.dumps(document)
