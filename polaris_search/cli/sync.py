"""`ingest --sync`: remove what a completely read source no longer has, but not by mistake."""

import os
from collections.abc import Sequence

from ingest.seen import SeenIds
from ingest.spool import id_spool
from ingest.sync import removed_since
from polaris_search.errors import PolarisError, UsageError
from polaris_search.lifecycle.verify import delete_all
from polaris_search.store.protocol import TableStore

MOST_REMOVED = 0.2
"""More than this share of all tables is removed only with --yes: a half-read source looks the same
as one whose tables are gone."""


def refuse_partial_sync(sources: Sequence[str], format: str | None, partition: str | None) -> None:
    """Refuse a sync of which only a part of the source is read.

    Raises:
        UsageError: a share of the tables is asked for, or one format of a folder.
    """
    if partition:
        raise UsageError("--sync needs the whole source; run it without --partition.")
    if format and any(map(os.path.isdir, sources)):
        raise UsageError(
            "--sync needs all of a folder; --format reads a part of it. Leave one of them out."
        )


def removed_or_why_not(
    store: TableStore, seen: SeenIds, yes: bool, dry_run: bool
) -> tuple[PolarisError | None, int]:
    """Return how many tables were removed, or why none was: the report of the rest comes first."""
    try:
        return None, _remove_gone(store, seen, yes, dry_run)
    except PolarisError as refusal:
        return refusal, 0


def _remove_gone(store: TableStore, seen: SeenIds, yes: bool, dry_run: bool) -> int:
    with id_spool() as gone:
        for table_id in removed_since(store, seen):
            gone.add(table_id)
        held = store.status().tables
        if not yes and len(gone) > MOST_REMOVED * held:
            raise PolarisError(
                f"--sync would remove {len(gone)} of {held} tables. "
                "Check the source, or confirm with --yes."
            )
        if dry_run or not gone:
            return len(gone)
        removed = delete_all(store, gone)
    store.refresh()
    return removed
