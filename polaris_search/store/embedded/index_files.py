"""The index files of a store: `index/CONTENT-FIELD-DEFINITION.bm25` and `index/CONTENT.ids`.

They are caches. A file is found by what it was built from; what is missing or damaged is absent,
and is built again. A file that another process has mapped stays readable for it after its removal.
"""

from collections.abc import Collection
from pathlib import Path

from polaris_search.bm25.documents import DocumentIds
from polaris_search.bm25.field import FieldIndex
from polaris_search.bm25.layout import IndexDamaged, identity
from polaris_search.store.embedded.index_fields import IndexField

CONTENT_DIGITS = 32
DEFINITION_DIGITS = 16


class IndexFiles:
    """The folder of a store's index files.

    Args:
        folder: the store's folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "index"
        self.lock_path = folder / "locks" / "index.lock"

    def documents_path(self, content: str) -> Path:
        """Return where the ids of the documents of a content lie."""
        return self.folder / f"{content[:CONTENT_DIGITS]}.ids"

    def field_path(self, content: str, field: IndexField) -> Path:
        """Return where the index of a field over a content lies."""
        definition = field.definition[:DEFINITION_DIGITS]
        return self.folder / f"{content[:CONTENT_DIGITS]}-{field.path}-{definition}.bm25"

    def open_documents(self, content: str) -> DocumentIds | None:
        """Return the document ids of a content, None where they must be written."""
        path = self.documents_path(content)
        try:
            return DocumentIds(path, documents_identity(content))
        except FileNotFoundError:
            return None
        except IndexDamaged:
            remove(path)
            return None

    def open_field(self, content: str, field: IndexField) -> FieldIndex | None:
        """Return the index of a field over a content, None where it must be built."""
        path = self.field_path(content, field)
        try:
            return FieldIndex(path, field_identity(content, field), field.k1)
        except FileNotFoundError:
            return None
        except IndexDamaged:
            remove(path)
            return None

    def remove_all_but(self, contents: Collection[str]) -> None:
        """Remove the files of other contents, and what killed builders left. Hold the lock."""
        kept = {content[:CONTENT_DIGITS] for content in contents}
        for path in self.folder.glob("*"):
            if path.suffix == ".tmp" or path.name[:CONTENT_DIGITS] not in kept:
                remove(path)


def documents_identity(content: str) -> bytes:
    """Return the identity of the file of document ids."""
    return identity("documents", content)


def field_identity(content: str, field: IndexField) -> bytes:
    """Return the identity of a field's file."""
    return identity("field", content, field.path, field.definition)


def remove(path: Path) -> None:
    """Remove a file unless it is gone, or a system that locks mapped files keeps it for now."""
    try:
        path.unlink(missing_ok=True)
    except PermissionError:
        return
