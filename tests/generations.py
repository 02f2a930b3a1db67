"""Generations in the tests: the steps of a reindex in one call, tables as words, a store twice."""

import os
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, closing
from dataclasses import replace

import pytest

from polaris_search.records import EnrichedTable
from polaris_search.settings import read_settings


def marked(mark: str):
    """A transform that leaves a table as it is but for a context that says `mark`."""

    def transform(tables: Iterable[EnrichedTable]) -> Iterator[EnrichedTable]:
        for one in tables:
            yield replace(one, raw=replace(one.raw, context={"mark": mark}))

    return transform


def as_given(tables: Iterable[EnrichedTable]) -> Iterator[EnrichedTable]:
    yield from tables


def copy(staged, transform=as_given) -> list[str]:
    """Copy what is not over yet; return the ids in the order they came."""
    copied = []

    def seen():
        for one in staged.uncopied():
            copied.append(one.table_id)
            yield one

    report = staged.tables.put(transform(seen()))
    assert report.refused == ()
    return copied


def finish(staged, transform=as_given) -> None:
    """Catch up, go live, settle."""
    staged.catch_up(transform)
    staged.go_live()
    staged.settle(as_given)


def reindex(store, recipe="r", transform=as_given) -> str:
    """The whole reindex, undisturbed; return the new generation's name."""
    with store.generations.stage(recipe, unheard) as staged:
        copy(staged, transform)
        finish(staged, transform)
        return staged.name


def roll_back(store, name) -> None:
    with store.generations.reopen(name, unheard) as staged:
        staged.go_live()
        staged.settle(as_given)


def interrupt(store, recipe, *copied) -> str:
    """Stage, put what was copied so far, and leave by an error; return the staged name."""

    def run():
        with store.generations.stage(recipe, unheard) as staged:
            names.append(staged.name)
            staged.tables.put(copied)
            raise KeyboardInterrupt

    names: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        run()
    return names[0]


def unheard(sentence: str) -> None:
    """Hears what nobody in this test waits for."""
    raise AssertionError(f"nothing had to be waited for, yet: {sentence}")


def words(store) -> dict[str, str]:
    """Each table's name by its id, of all that is stored."""
    return {one.table_id: one.raw.name for one in store.tables()}


def marks(store) -> dict[str, str | None]:
    """By which transform each table came, by its id."""
    return {one.table_id: one.raw.context.get("mark") for one in store.tables()}


def states(store) -> dict[str, str]:
    """Each generation's state by its name, in the order listed."""
    return {one.name: one.state for one in store.generations.listed()}


def another(store) -> AbstractContextManager:
    """Another store object of the same place, such as another process has."""
    if store.status().kind == "embedded":
        from polaris_search.store.embedded.store import EmbeddedStore

        return closing(EmbeddedStore(store._folder))
    from polaris_search.store.elasticsearch.server.connection import connect
    from polaris_search.store.elasticsearch.store import ElasticsearchStore

    settings = read_settings({"POLARIS_STORE": os.environ["POLARIS_TEST_ES_URL"]})
    return closing(ElasticsearchStore(connect(settings), store._alias))


def make_live_without_a_lease(store, name) -> None:
    """Make a generation live behind everybody's back, as no process of this product does."""
    if store.status().kind == "embedded":
        with store._database.writing() as connection:
            connection.execute(
                "UPDATE live SET generation = (SELECT number FROM generations WHERE name = ?)",
                (name,),
            )
        return
    live = store.status().generation
    store._connection.client.indices.update_aliases(
        actions=[
            {"remove": {"index": live, "alias": store._alias, "must_exist": True}},
            {"add": {"index": name, "alias": store._alias, "is_write_index": True}},
        ]
    )
