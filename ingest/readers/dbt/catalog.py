"""Reads dbt's catalog.json, the columns that the warehouse really has, for lookups by unique_id."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from ingest.readers.json_documents.member import JsonBroken, Member
from ingest.readers.json_documents.member_spool import MemberSpool, member_spool
from ingest.readers.json_documents.stream import members_at
from ingest.readers.json_documents.values import object_of

CATALOG = "catalog.json"


class Catalog:
    """What the warehouse has; on disk, for it may be as large as the manifest."""

    def __init__(self, spool: MemberSpool | None) -> None:
        self._spool = spool

    def table(self, unique_id: str) -> Mapping[str, object]:
        """Return the catalog's entry of a node, empty where it has none.

        Raises:
            TableInvalid: the entry cannot be read, or is no object.
        """
        found = self._spool.get(unique_id) if self._spool else None
        if found is None:
            return {}
        where = f"Its entry in {CATALOG}"
        return object_of(Member(unique_id, 1, found).value(where), where)


def read_catalog(path: Path, opened: ExitStack) -> tuple[Catalog, str]:
    """Return the catalog, empty if there is no such file, and what is wrong with it.

    `opened` holds it until it is closed. What is wrong is a sentence, "" for nothing; what could be
    read is there all the same.
    """
    if not path.is_file():
        return Catalog(None), ""
    spool = opened.enter_context(member_spool())
    try:
        for section in ("nodes", "sources"):
            for entry in members_at(path, (section,)):
                spool.put(entry.key, entry.text)
    except JsonBroken as error:
        return Catalog(spool), f"{CATALOG} beside it cannot be read on: {error.problem}."
    except OSError as error:
        return Catalog(spool), f"{CATALOG} beside it cannot be read ({error.strerror or error})."
    return Catalog(spool), ""
