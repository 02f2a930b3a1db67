"""The requests that a page of docs/ shows, to be sent as they stand there."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from elasticsearch import Elasticsearch

DOCS = Path(__file__).parents[1] / "docs"


@dataclass(frozen=True)
class Request:
    """One block: its first line is method and path, the rest the body."""

    method: str
    path: str
    body: str

    def sent(self, client: Elasticsearch, names: Mapping[str, str] | None = None):
        """Send it, with names of the page replaced by others, and return the answer."""
        path, body = self.path, self.body
        for name, other in (names or {}).items():
            path, body = path.replace(name, other), body.replace(name, other)
        kind = "application/x-ndjson" if "_bulk" in path else "application/json"
        headers = {"accept": "application/json"} | ({"content-type": kind} if body else {})
        path, _, query = path.partition("?")
        params = dict(part.split("=", 1) for part in query.split("&")) if query else None
        return client.perform_request(
            self.method, f"/{path}", params=params, headers=headers, body=body.encode() or None
        ).body


def requests(page: str, heading: str) -> list[Request]:
    """Return the requests between a heading of a page and the next of any level."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.search(
        rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", text, re.DOTALL | re.MULTILINE
    )
    assert found, f"{page} has no heading {heading!r}"
    blocks = re.findall(r"^```console\n(\w+) (\S+)\n(.*?)^```", found[1], re.DOTALL | re.MULTILINE)
    return [Request(*block) for block in blocks]
