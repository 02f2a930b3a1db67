"""Scratch generations are gone from the real server however their block is left."""

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from elasticsearch import Elasticsearch

from polaris_search.records import EnrichedTable, Provenance, RawTable
from polaris_search.settings import read_settings
from polaris_search.store.elasticsearch.generations.creation import new_index_name
from polaris_search.store.elasticsearch.server.connection import connect
from polaris_search.store.elasticsearch.store import ElasticsearchStore

pytestmark = pytest.mark.es

TABLE = EnrichedTable(RawTable("a", "zebra"), Provenance("h"))
INTERRUPTED_FILES = ("elasticsearch/store.py", "generations/scratch.py")


@pytest.fixture
def client(es_url):
    with Elasticsearch(es_url) as opened:
        yield opened


def indices(client, alias):
    return sorted(client.indices.get(index=f"{alias}*", expand_wildcards="all"))


def use_scratch(es_url, alias):
    settings = read_settings({"POLARIS_STORE": es_url})
    with closing(ElasticsearchStore(connect(settings), alias)) as store, store.scratch() as scratch:
        scratch.close()


@contextmanager
def interrupted_at(number: int) -> Iterator[list[str]]:
    """Raise KeyboardInterrupt before the line of this number, as Ctrl-C may at any of them.

    Gives the lines that ran. Lines of closing the store itself are not counted.
    """
    ran: list[str] = []

    def trace(frame, event, arg):
        code = frame.f_code
        if not code.co_filename.endswith(INTERRUPTED_FILES):
            return None
        if code.co_name == "close":  # whoever presses twice may lose the second run
            sys.settrace(None)
            return None
        if event == "line":
            ran.append(f"{code.co_filename}:{frame.f_lineno}")
            if len(ran) == number:
                sys.settrace(None)
                raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        yield ran
    finally:
        sys.settrace(None)


def test_a_scratch_generation_leaves_nothing_behind(elasticsearch_store, client, es_alias):
    with closing(elasticsearch_store) as store:
        with store.scratch() as scratch:
            scratch.put([TABLE])
            scratch.close()
            assert len(indices(client, es_alias)) == 1

        assert indices(client, es_alias) == []


def test_an_interrupt_before_any_line_leaves_no_scratch_behind(es_url, client, es_alias):
    number, interrupts, left = 0, 0, {}
    while interrupts == number:
        number += 1
        with interrupted_at(number) as ran:
            try:
                use_scratch(es_url, es_alias)
            except KeyboardInterrupt:
                interrupts += 1
        for index in indices(client, es_alias):
            left[index] = ran[-1]
            client.indices.delete(index=index)

    assert left == {}
    assert interrupts > 25  # so many lines were interrupted


def test_an_error_in_the_block_is_raised_and_leaves_no_scratch_behind(
    elasticsearch_store, client, es_alias
):
    def fail():
        with elasticsearch_store.scratch() as scratch:
            scratch.put([TABLE])
            raise ZeroDivisionError

    with closing(elasticsearch_store), pytest.raises(ZeroDivisionError):
        fail()

    assert indices(client, es_alias) == []


def test_closing_a_store_drops_the_scratch_of_a_block_that_was_never_left(
    elasticsearch_store, client, es_alias
):
    block = elasticsearch_store.scratch()
    block.__enter__()
    assert len(indices(client, es_alias)) == 1

    elasticsearch_store.close()

    assert indices(client, es_alias) == []


def test_a_new_scratch_drops_those_over_a_day_old_and_nothing_else(
    elasticsearch_store, client, es_alias
):
    now = datetime.now(UTC)
    day = timedelta(hours=24)

    def name(alias, age):
        return new_index_name(alias, now - age, "abcd")

    scratch = f"{es_alias}-scratch-0123abcd"
    old = [name(scratch, day + timedelta(minutes=1)), name(scratch, 30 * day)]
    kept = [
        name(scratch, day - timedelta(minutes=10)),
        name(es_alias, 30 * day),
        name(f"{es_alias}-2-scratch-0123abcd", 30 * day),
        name(f"{es_alias}-scratch-notes", 30 * day),
        f"{es_alias}-scratch-0123abcd-v1-20251341t990000z-abcd",
        f"{es_alias}-scratch-0123abcd",
    ]
    for index in old + kept:
        client.indices.create(index=index)
    client.indices.add_block(index=old[0], block="read")

    with closing(elasticsearch_store) as store, store.scratch():
        pass

    assert indices(client, es_alias) == sorted(kept)


def test_an_old_scratch_that_may_not_be_dropped_stops_nothing(
    elasticsearch_store, client, es_alias
):
    old = new_index_name(
        f"{es_alias}-scratch-0123abcd", datetime.now(UTC) - timedelta(days=2), "abcd"
    )
    client.indices.create(index=old)
    client.indices.add_block(index=old, block="read_only")

    with closing(elasticsearch_store) as store, store.scratch() as scratch:
        stored = scratch.put([TABLE]).stored

    assert stored == 1
    assert indices(client, es_alias) == [old]
    client.indices.put_settings(index=old, settings={"index.blocks.read_only": None})
