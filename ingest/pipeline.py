"""The order of an ingest: read, expand and store the names of all tables, then ask models of them.

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
from ingest.steps import Describer, Expander, Expanders, ModelExpander, NoProgress, Progress
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
    later: ModelExpander | None = None,
    keeps_models: bool = False,
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
        expander: expands the names at once; NoExpander leaves them as given.
        describer: writes the descriptions; None leaves the ones there are.
        later: a model that reads the names anew once all tables are stored; None asks none.
        keeps_models: leaves the names that a model has read as they are where `later` is None.
        concurrency: tables that models are asked about at a time, >= 1.
        partition: takes only this share of the tables.
        dry_run: counts what there is to do, estimates what models would be asked, does neither.
        dead_letter_folder: where a file with what was rejected is made; None makes none.
        progress: hears how far it is.
        now: the clock.

    Raises:
        ServiceUnreachable: the store's server does not answer. Start again to go on from there.
    """
    began = now()
    letters = None
    if dead_letter_folder and not dry_run:
        letters = DeadLetters(dead_letter_folder, now, partition)
    with id_spool() as spool:
        expanders = Expanders(expander, later, keeps_models)
        names_pass = NamesPass(store, expanders, describer, letters, progress, now, dry_run)
        names = store_names(_share(items, partition), spool, names_pass)
        descriptions = DescribeReport()
        if not dry_run:
            store.refresh()
        if len(spool) and not dry_run:
            progress.describing(len(spool))
            describe_pass = DescribePass(store, expanders, describer, concurrency, progress, now)
            descriptions = describe_tables(spool, describe_pass)
            store.refresh()
        return whole_report(
            names,
            descriptions,
            dead_letters=letters.path if letters else None,
            seconds=(now() - began).total_seconds(),
            dry_run=dry_run,
            notices=(letters.notice,) if letters and letters.notice else (),
        )


def _share(
    items: Iterable[RawTable | Rejected], partition: Partition | None
) -> Iterator[RawTable | Rejected]:
    """Yield what belongs to the share, of the tables and of the rejected rows."""
    for item in items:
        if partition is None or _is_mine(item, partition):
            yield item


def _is_mine(item: RawTable | Rejected, partition: Partition) -> bool:
    if isinstance(item, Rejected):
        return partition.holds_rejected(item)
    return partition.holds(item.table_id)
