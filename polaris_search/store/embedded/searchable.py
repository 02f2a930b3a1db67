"""What searches read: index files of one content, opened once and kept while they are fresh.

Fresh means: not older than the last refresh. Where there are no such files they are built, of the
tables as they are then. Another process's refresh is noticed, because the generation's state is
read anew for each search.
"""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polaris_search.bm25.documents import DocumentIds
from polaris_search.bm25.field import FieldIndex
from polaris_search.errors import StoreProblem
from polaris_search.store.embedded.database import Database
from polaris_search.store.embedded.generations import Generation
from polaris_search.store.embedded.index_build import built_index
from polaris_search.store.embedded.index_fields import IndexField
from polaris_search.store.embedded.index_files import IndexFiles


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One content of a generation, open for searching; `fields` by their path."""

    number: int
    content: str
    revision: int
    documents: DocumentIds
    fields: Mapping[str, FieldIndex]


class Searchable:
    """Keeps the snapshot that searches use; several threads may ask.

    Args:
        database: the store's database.
        files: the store's index files.
    """

    def __init__(self, database: Database, files: IndexFiles) -> None:
        self._database = database
        self._files = files
        self._held: Snapshot | None = None
        self._lock = threading.Lock()

    def snapshot(
        self, generation: Generation, fields: Sequence[IndexField], companions: Sequence[IndexField]
    ) -> Snapshot:
        """Return a fresh snapshot with these fields open.

        Args:
            generation: the state of the generation to search.
            fields: the fields to open.
            companions: fields to build too if files must be built, since the next search will
                want them and one pass over the tables is enough for all.

        Raises:
            StoreProblem: files must be built and cannot be.
        """
        held = self._fresh(generation)
        if held and all(field.path in held.fields for field in fields):
            return held
        with self._lock:
            self._held = self._opened(generation, fields) or self._built(
                generation, fields, companions
            )
            return self._held

    def forget(self) -> None:
        """Let go of the snapshot: one of its files turned out to be damaged."""
        self._held = None

    def _fresh(self, generation: Generation) -> Snapshot | None:
        held = self._held
        if (
            held
            and held.number == generation.number
            and held.revision >= generation.refreshed_revision
        ):
            return held
        return None

    def _opened(self, generation: Generation, fields: Sequence[IndexField]) -> Snapshot | None:
        held = self._fresh(generation)
        if held and (opened := self._with_fields(held, fields)):
            return opened
        for content, revision in (
            (generation.refreshed_content, generation.refreshed_revision),
            (generation.content, generation.revision),
        ):
            # What one search has shown, the next must not lose.
            if held and revision < held.revision:
                continue
            documents = self._files.open_documents(content)
            if documents is not None:
                bare = Snapshot(generation.number, content, revision, documents, {})
                if opened := self._with_fields(bare, fields):
                    return opened
        return None

    def _built(
        self, generation: Generation, fields: Sequence[IndexField], companions: Sequence[IndexField]
    ) -> Snapshot:
        wanted = list(dict.fromkeys([*fields, *companions]))
        with built_index(self._database, self._files, generation.number, wanted) as built:
            opened = self._opened(built, fields)
        if opened is None:
            raise StoreProblem(
                f"The index files in {self._files.folder} are removed or changed while they are "
                "read. Let no other program write there, and run the command again."
            )
        return opened

    def _with_fields(self, bare: Snapshot, fields: Sequence[IndexField]) -> Snapshot | None:
        opened = dict(bare.fields)
        for field in fields:
            if field.path not in opened:
                index = self._files.open_field(bare.content, field)
                if index is None:
                    return None
                opened[field.path] = index
        return Snapshot(bare.number, bare.content, bare.revision, bare.documents, opened)
