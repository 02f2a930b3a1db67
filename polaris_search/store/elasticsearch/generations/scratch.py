"""Scratch generations: indices apart from the live one, each dropped when its block is left.

However the block is left: an interrupt may come before the server has answered, and in the midst of
dropping. What a killed process leaves behind is dropped by a later one, a day after.
"""

import re
import secrets
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

import mappings
from polaris_search.errors import PolarisError, StoreProblem
from polaris_search.store.elasticsearch.generations.creation import (
    STAMP,
    create_index,
    drop_index,
    new_index_name,
)
from polaris_search.store.elasticsearch.generations.meta import meta_of, new_meta
from polaris_search.store.elasticsearch.server.connection import Connection
from polaris_search.store.holder import Holder, this_process

MAX_AGE = timedelta(hours=24)
"""No run is expected to last so long; an older scratch index is one that a kill left behind."""

_SETTINGS = {"refresh_interval": "-1"}


class ScratchIndices:
    """The scratch indices that one store has open; `close` drops those not yet dropped.

    Interrupts reach the main thread alone, so one other thread makes and drops the indices, in the
    order asked for: a drop comes after a creation that nobody waited for to its end.
    """

    def __init__(self, connection: Connection, alias: str) -> None:
        self._connection = connection
        self._alias = alias
        self._open: list[str] = []
        self._worker = ThreadPoolExecutor(1)

    @contextmanager
    def opened(self) -> Iterator[str]:
        """Yield the alias of a new empty index, which is dropped at the end of the block.

        Also drops the scratch indices of this alias whose names say that they were made over 24
        hours ago (UTC), and no others; such as may not be dropped are left in silence.
        """
        now = datetime.now(UTC)
        # Also starts the thread: from here on, work given to it is done though nobody waits.
        self._worker.submit(drop_abandoned, self._connection, self._alias, now).result()
        alias = f"{self._alias}-scratch-{secrets.token_hex(4)}"
        index = new_index_name(alias, now, secrets.token_hex(2))
        self._open.append(index)  # before it exists: a request that is cut short may have made it
        ended = False
        try:
            meta = new_meta(holder=asdict(this_process()))
            self._worker.submit(
                create_index,
                self._connection,
                index,
                alias,
                meta,
                _SETTINGS,
                mappings.scratch_tables(),
            ).result()
            yield alias
            ended = True
        finally:
            if ended:
                self._drop(index)
            else:
                with suppress(PolarisError):  # what ended the block early is what matters
                    self._drop(index)

    def close(self) -> None:
        """Drop what an interrupt kept from being dropped at the end of its block."""
        for index in [*self._open]:
            with suppress(PolarisError):
                self._drop(index)
        self._worker.shutdown()

    def _drop(self, index: str) -> None:
        if index in self._open:
            self._worker.submit(drop_index, self._connection, index).result()
            self._open.remove(index)


def drop_abandoned(connection: Connection, alias: str, now: datetime) -> None:
    """Drop the scratch indices that killed processes left; see `abandoned`.

    Leaves in silence what these credentials may not see or drop.
    """
    with suppress(StoreProblem):
        for index in abandoned(connection, alias, now):
            with suppress(StoreProblem):
                drop_index(connection, index)


def abandoned(connection: Connection, alias: str, now: datetime) -> list[str]:
    """Return the scratch indices of an alias that nobody uses any more, and no other index.

    Those of a process of this machine that is gone, and all that by their names were made over 24
    hours ago.

    Args:
        connection: the server.
        alias: the alias of the store that opened them.
        now: the time in UTC.
    """
    with connection.answering():
        found = connection.client.indices.get_mapping(
            index=f"{alias}-scratch-*", expand_wildcards="all"
        ).body
    left = []
    for index, body in found.items():
        made = made_at(index, alias)
        if made is not None and (now - made > MAX_AGE or _is_gone(body["mappings"])):
            left.append(index)
    return sorted(left)


def _is_gone(mapping: Mapping[str, Any]) -> bool:
    """Return whether the process that a scratch index lasts as long as is known to have ended."""
    holder = meta_of(mapping).raw.get("holder")
    try:
        return bool(Holder(**holder).is_gone()) if holder else False
    except TypeError:  # written by a version that keeps other things
        return False


def made_at(index: str, alias: str) -> datetime | None:
    """Return when a scratch index of this alias was made, in UTC; None if it is not one."""
    name = re.compile(rf"{re.escape(alias)}-scratch-[0-9a-f]{{8}}-v\d+-(\d{{8}}t\d{{6}}z)-\w{{4}}")
    matched = name.fullmatch(index)
    if matched is None:
        return None
    try:
        return datetime.strptime(matched[1], STAMP).replace(tzinfo=UTC)
    except ValueError:  # digits that are no time, as in a month 13
        return None
