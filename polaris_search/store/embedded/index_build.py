"""Builds the index files that are missing for a generation, in one pass over its tables.

Everything is read in one transaction, so that the files agree with each other and with the content
they are named by, whatever is written meanwhile.
"""

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager

from polaris_search.bm25.collect import PostingCollector
from polaris_search.bm25.documents import write_documents
from polaris_search.bm25.write import write_field
from polaris_search.records import table_from_json
from polaris_search.store.document import searched_texts
from polaris_search.store.embedded.database import Database
from polaris_search.store.embedded.generations import Generation, contents, read_generation
from polaris_search.store.embedded.index_fields import IndexField, facet_terms
from polaris_search.store.embedded.index_files import (
    IndexFiles,
    documents_identity,
    field_identity,
)
from polaris_search.store.embedded.index_texts import TextCollector
from polaris_search.store.embedded.problems import told_plainly
from polaris_search.store.embedded.process_lock import locked, try_lock

BUILD_WAIT_S = 3600.0
"""Longest wait for another process that builds; it may be building what this one needs."""

_RECORDS = "SELECT record FROM tables WHERE generation = ? ORDER BY table_id"
_IDS = "SELECT table_id FROM tables WHERE generation = ? ORDER BY table_id"

Collectors = Mapping[IndexField, PostingCollector]


@contextmanager
def built_index(
    database: Database, files: IndexFiles, number: int, fields: Sequence[IndexField]
) -> Iterator[Generation]:
    """Build what is missing of the fields' files; yield the state of the generation they are of.

    During the block nobody removes the files, so that they can be opened.

    Raises:
        StoreProblem: the folder cannot be written.
        GenerationGone: there is no generation of this number any more.
    """
    with told_plainly(database.folder), locked(files.lock_path, BUILD_WAIT_S):
        files.folder.mkdir(exist_ok=True)
        with closing(database.again()) as own, own.reading() as connection:
            generation = read_generation(connection, number)
            _build_missing(connection, files, generation, fields)
            files.remove_all_but(contents(connection) | {generation.content})
        yield generation


def remove_unused(database: Database, files: IndexFiles) -> None:
    """Remove the files that no generation needs; leave that to a builder who is at work."""
    with told_plainly(database.folder):
        lock = try_lock(files.lock_path)
        if lock is not None:
            with database.reading() as connection:
                files.remove_all_but(contents(connection))
            lock.release()


def _build_missing(
    connection: sqlite3.Connection,
    files: IndexFiles,
    generation: Generation,
    fields: Sequence[IndexField],
) -> None:
    content = generation.content
    if files.open_documents(content) is None:
        ids = [table_id for (table_id,) in connection.execute(_IDS, (generation.number,))]
        write_documents(files.documents_path(content), documents_identity(content), ids)
    missing = [field for field in fields if files.open_field(content, field) is None]
    with _collectors(files, missing) as collectors:
        _collect(connection, generation.number, collectors)
        for field, collector in collectors.items():
            path = files.field_path(content, field)
            write_field(path, field_identity(content, field), collector, field.k1, field.b)


@contextmanager
def _collectors(files: IndexFiles, fields: Iterable[IndexField]) -> Iterator[Collectors]:
    with ExitStack() as stack:
        collectors = {field: PostingCollector(files.folder) for field in fields}
        for collector in collectors.values():
            stack.callback(collector.close)
        yield collectors


def _collect(connection: sqlite3.Connection, number: int, collectors: Collectors) -> None:
    texts = {field: collectors[field] for field in collectors if field.facet is None}
    if texts:
        _collect_texts(connection, number, texts)
    for field, collector in collectors.items():
        if field.facet is not None:
            _collect_facet(connection, number, field.facet, collector)


def _collect_texts(connection: sqlite3.Connection, number: int, collectors: Collectors) -> None:
    plan = [
        (field.sources, TextCollector(collector, field.analyzer))
        for field, collector in collectors.items()
    ]
    needed = {source for field in collectors for source in field.sources}
    for (record,) in connection.execute(_RECORDS, (number,)):
        searched = searched_texts(table_from_json(record), needed)
        for sources, texts in plan:
            texts.add(text for source in sources for text in searched[source])


def _collect_facet(
    connection: sqlite3.Connection, number: int, facet: str, collector: PostingCollector
) -> None:
    statement = f"SELECT {facet} FROM tables WHERE generation = ? ORDER BY table_id"
    for (value,) in connection.execute(statement, (number,)):
        collector.add(facet_terms(facet, value))
