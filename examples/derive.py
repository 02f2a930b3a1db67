"""Queries and their answers, derived from what packages say of their tables.

A title or a definition that somebody wrote for one table becomes a query, and that table its
answer; nothing is written for the occasion. Every rule is one of the constants or functions below.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256

from examples.documented import Documented

MIN_TITLE_WORDS = 2
MIN_DEFINITION_WORDS = 3
MAX_DEFINITION_WORDS = 12
MAX_ANSWERS = 5
DEFINITIONS_PER_TABLE = 2

_WORD = re.compile(r"[^\W_]+")
STOP_WORDS = frozenset(
    _WORD.findall(
        "a an and are as at be but by can for from has have if in into is it its no not of on or "
        "other per that the their this to true false was were which with data dataset datasets"
    )
)
_LEAD = re.compile(r"^data (?:from|on) (?:the )?", re.IGNORECASE)
_TAIL = re.compile(r"\s+data(?: ?set)?$", re.IGNORECASE)
_CITATION = re.compile(r"(?:,? [A-Z]\w+,?)*(?: and)? [A-Z]\w+ \(\d{4}\)")
_SENTENCE_END = re.compile(r"(?<!\b[A-Z])\.\s|;|\s=")  # the full stop of "U.S." ends nothing
_BRACKETS = re.compile(r"\([^()]*\)|\([^()]*$")  # the last may have lost its end to a code list
_CODE = re.compile(r"_|\\")


@dataclass(frozen=True, slots=True)
class Query:
    """One query; `answers` are the tables whose documentation says all of its content words."""

    query_id: str
    text: str
    answers: tuple[str, ...]


def derive_queries(tables: list[Documented]) -> list[Query]:
    """Return the queries of all tables, by query_id; of texts with the same words, the first."""
    titles = [(table.table_id, content_words(title_text(table.title))) for table in tables]
    definitions = [
        (table.table_id, content_words(first_sentence(text)))
        for table in tables
        for text in table.definitions.values()
    ]
    drafts = [(draft, titles) for draft in _title_drafts(tables)]
    drafts += [(draft, definitions) for draft in _definition_drafts(tables)]
    queries: dict[frozenset[str], Query] = {}
    for (query_id, text), said in drafts:
        words = content_words(text)
        answers = _tables_saying(words, said)
        if words not in queries and len(answers) <= MAX_ANSWERS:
            queries[words] = Query(query_id, text, answers)
    return sorted(queries.values(), key=lambda query: query.query_id)


def title_text(title: str) -> str:
    """Return a title as a query: its first sentence, less `Data on` before and `data set` after."""
    return _TAIL.sub("", _LEAD.sub("", first_sentence(title))).strip("'")


def first_sentence(text: str) -> str:
    """Return a text up to its first full stop, semicolon or code, less what is in brackets."""
    line = " ".join(_BRACKETS.sub(" ", " ".join(text.split())).split())
    return _SENTENCE_END.split(line, maxsplit=1)[0].strip(" .,:-?")


def content_words(text: str) -> frozenset[str]:
    """Return the words of a text in small letters, without stop words."""
    return frozenset(_WORD.findall(text.casefold())) - STOP_WORDS


def _title_drafts(tables: Iterable[Documented]) -> Iterator[tuple[str, str]]:
    for table in tables:
        text = title_text(table.title)
        # "Data from Fetter (2013)" asks for nothing.
        beside_citation = content_words(_CITATION.sub("", table.title))
        if len(content_words(text) & beside_citation) >= MIN_TITLE_WORDS and not _CODE.search(text):
            yield f"title.{table.table_id}", text


def _definition_drafts(tables: Iterable[Documented]) -> Iterator[tuple[str, str]]:
    for table in tables:
        fit = [(column, text) for column, text in _definitions(table) if _asks_enough(column, text)]
        # Order by hash: a choice that nobody made, the same on every run.
        fit.sort(key=lambda pair: sha256(f"{table.table_id}.{pair[0]}".encode()).hexdigest())
        for column, text in fit[:DEFINITIONS_PER_TABLE]:
            yield f"column.{table.table_id}.{column}", text


def _definitions(table: Documented) -> Iterator[tuple[str, str]]:
    return ((column, first_sentence(text)) for column, text in table.definitions.items())


def _asks_enough(column: str, text: str) -> bool:
    """Tell whether a definition is a query: some words of English, not the column's own name."""
    repeats_name = column.casefold() in re.split(r"[\s,]+", text.casefold())
    enough = MIN_DEFINITION_WORDS <= len(content_words(text)) <= MAX_DEFINITION_WORDS
    return enough and not repeats_name and not _CODE.search(text)


def _tables_saying(
    words: frozenset[str], said: Iterable[tuple[str, frozenset[str]]]
) -> tuple[str, ...]:
    return tuple(sorted({table_id for table_id, spoken in said if words <= spoken}))
