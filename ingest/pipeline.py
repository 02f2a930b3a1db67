"""The order of an ingest: read, expand and store the names of all tables, then describe them.

Every step is passed in. An ingest can be killed at any point and started again: what is stored is
not expanded again, what is described is not asked for again.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from ingest.dead_letters import DeadLetters
from ingest.describe_pass import DescribePass, describe_tables
from ingest.names_pass import NamesPass, store_names
from ingest.partition import Partition
from ingest.rejected import Rejected
from ingest.report import DescribeReport, IngestReport, whole_report
from ingest.spool import id_spool
from ingest.steps import Describer, Expander, NoProgress, Progress
from ingest.times import Clock, utc_now
from polaris_search.records import RawTable
from polaris_search.store.protocol import TableStore

UNWATCHED = NoProgress()


def ingest(
    items: Iterable[RawTable | Rejected],
    store: TableStore,
    expander: Expander,
    describer: Describer | None = None,
    *,
    concurrency: int = 4,
    partition: Partition | None = None,
    dry_run: bool = False,
    dead_letter_folder: Path | None = None,
    progress: Progress = UNWATCHED,
    now: Clock = utc_now,
) -> IngestReport:
    """Bring the tables into the store, and return what was done.

    Args:
        items: what the readers give; ids are unique.
        store: takes the tables; they can be searched when this returns.
        expander: expands the names; NoExpander leaves them as given.
        describer: writes the descriptions; None leaves the ones there are.
        concurrency: tables the describer is asked about at a time, >= 1.
        partition: takes only this share of the tables.
        dry_run: counts what there is to do, and writes and asks nothing.
        dead_letter_folder: where a file with what was rejected is made; None makes none.
        progress: hears how far it is.
        now: the clock.

    Raises:
        ServiceUnreachable: the store's server does not answer. Start again to go on from there.
    """
    began = now()
    letters = DeadLetters(dead_letter_folder, now) if dead_letter_folder and not dry_run else None
    with id_spool() as spool:
        names_pass = NamesPass(store, expander, describer, letters, progress, now, dry_run)
        names = store_names(_share(items, partition), spool, names_pass)
        descriptions = DescribeReport()
        if not dry_run:
            store.refresh()
        if describer and len(spool) and not dry_run:
            progress.describing(len(spool))
            describe_pass = DescribePass(store, describer, concurrency, progress, now)
            descriptions = describe_tables(spool, describe_pass)
            store.refresh()
        return whole_report(
            names,
            descriptions,
            to_describe=len(spool),
            dead_letters=letters.path if letters else None,
            seconds=(now() - began).total_seconds(),
            dry_run=dry_run,
            notices=(letters.notice,) if letters and letters.notice else (),
        )


def _share(
    items: Iterable[RawTable | Rejected], partition: Partition | None
) -> Iterator[RawTable | Rejected]:
    """Yield what belongs to the share; a row without a known id belongs to every share."""
    for item in items:
        if partition is None or item.table_id is None or partition.holds(item.table_id):
            yield item
