"""What a real Elasticsearch makes of thousands of texts, asked with the standard library alone.

It makes an index that holds nothing but analyzers, asks `_analyze`, and removes the index at the
end.
"""

import json
import urllib.request
from base64 import b64encode
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from polaris_search.text.filters import utf16_units

MAX_TOKENS_PER_REQUEST = 5_000_000
MAX_UNITS_PER_REQUEST = 400_000


@dataclass(frozen=True, slots=True)
class ServerToken:
    """One token of a text: its term, its type, its place in UTF-16 units from the text's begin."""

    term: str
    type: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class AnalysisServer:
    """An index of a running Elasticsearch whose analyzers can be asked."""

    url: str
    index: str

    def terms(self, analyzer: str, texts: Sequence[str]) -> list[list[str]]:
        """Return the terms of each text, in order."""
        return [[token.term for token in tokens] for tokens in self.tokens(analyzer, texts)]

    def tokens(self, analyzer: str, texts: Sequence[str]) -> Iterator[list[ServerToken]]:
        """Yield the tokens of each text, in order."""
        for batch in _batches(texts):
            yield from self._batch_tokens(analyzer, batch)

    def _batch_tokens(self, analyzer: str, texts: Sequence[str]) -> list[list[ServerToken]]:
        body = {"analyzer": analyzer, "text": texts}
        fields = "tokens.token,tokens.type,tokens.start_offset,tokens.end_offset"
        answer = _ask(f"{self.url}/{self.index}/_analyze?filter_path={fields}", "POST", body)
        # The server counts offsets through all texts, one unit between two of them.
        begins = [0]
        for text in texts:
            begins.append(begins[-1] + utf16_units(text) + 1)
        tokens: list[list[ServerToken]] = [[] for _ in texts]
        for token in answer.get("tokens", []):
            place = bisect_right(begins, token["start_offset"]) - 1
            start, end = (token[key] - begins[place] for key in ("start_offset", "end_offset"))
            tokens[place].append(ServerToken(token["token"], token["type"], start, end))
        return tokens


@contextmanager
def analysis_server(
    url: str, index: str, analysis: Mapping[str, object]
) -> Iterator[AnalysisServer]:
    """Make an index with this analysis section to be asked in the block; then remove it."""
    settings = {
        "number_of_shards": 1,
        "number_of_replicas": 0,
        "index.analyze.max_token_count": MAX_TOKENS_PER_REQUEST,
        "analysis": analysis,
    }
    _ask(f"{url}/{index}", "PUT", {"settings": settings})
    try:
        yield AnalysisServer(url, index)
    finally:
        _ask(f"{url}/{index}", "DELETE", None)


def _batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    start = units = 0
    for place, text in enumerate(texts):
        units += utf16_units(text) + 1
        if units > MAX_UNITS_PER_REQUEST and place > start:
            yield texts[start:place]
            start, units = place, utf16_units(text) + 1
    if start < len(texts):
        yield texts[start:]


def _ask(url: str, method: str, body: object) -> Any:
    parts = urlsplit(url)
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    if parts.username:
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["authorization"] = "Basic " + b64encode(login.encode()).decode()
        url = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
    request = urllib.request.Request(url, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.load(answer)
