"""The way back to an older generation: its own texts, and nothing that was written since lost."""

from dataclasses import replace

import pytest
from fakes import FakeExpander
from generations import states
from lifecycles import Killed, Watch, killed, roll_back, run
from tables import fill, found, table

from ingest.seen import SeenIds
from ingest.steps import NoExpander
from polaris_search.errors import GenerationUnknown, PolarisError
from polaris_search.lifecycle.sources import Sources
from polaris_search.lifecycle.transform import Renewal
from polaris_search.store.embedded.store import EmbeddedStore


@pytest.fixture
def store(tmp_path):
    opened = EmbeddedStore(tmp_path / "store")
    yield opened
    opened.close()


def expansions(store):
    return {
        one.table_id: one.expansion.name.split()[0] if one.expansion else None
        for one in store.tables()
    }


def test_the_older_texts_are_back_and_what_was_written_since_is_there_too(store):
    fill(store, table("a", "zebra"), table("b", "yak"), table("c", "lion"), table("d", "emu"))
    old = store.status().generation
    new = run(store, Renewal(FakeExpander())).generation
    fill(store, table("aa", "added"), table("b", "lynx"), table("z", "added"))
    store.delete(["c"])

    report = roll_back(store)

    assert (report.generation, report.replaced, report.live, report.clean) == (old, new, True, True)
    assert {one.table_id: one.raw.name for one in store.tables()} == {
        "a": "zebra",
        "aa": "added",
        "b": "lynx",
        "d": "emu",
        "z": "added",
    }
    assert set(expansions(store).values()) == {None}
    assert (report.brought_over, report.removed, report.tables, report.sampled) == (3, 1, 5, 5)
    assert (found(store, "added"), found(store, "lion")) == (["aa", "z"], [])


def test_a_table_whose_texts_alone_differ_stays_as_the_older_generation_has_it(store):
    fill(store, table("a", "zebra", overview="old words"))
    run(store)
    newer = store.get(["a"])["a"]
    fill(store, replace(newer, description=replace(newer.description, dataset_overview="new")))

    report = roll_back(store)

    assert report.brought_over == 0
    assert store.get(["a"])["a"].description.dataset_overview == "old words"


@pytest.fixture
def rebuilt_from_half(store):
    """A store whose second generation was built from a source that lacks table b."""
    fill(store, table("a", "zebra"), table("b", "yak"))
    sources = Sources(("half",), [table("a", "zebra").raw], SeenIds())
    assert run(store, Renewal(NoExpander()), sources=sources, yes=True).tables == 1
    return store


def test_what_a_reindex_from_sources_left_out_is_not_taken_from_the_kept_one_unasked(
    rebuilt_from_half,
):
    store = rebuilt_from_half
    before = [(one.name, one.state, one.tables) for one in store.generations.listed()]

    with pytest.raises(PolarisError, match="has 1 tables that the live.*--gone keep"):
        roll_back(store)

    assert [(one.name, one.state, one.tables) for one in store.generations.listed()] == before
    report = roll_back(store, gone="keep")
    assert (report.live, report.removed, report.tables) == (True, 0, 2)
    assert found(store, "yak") == ["b"]


def test_whoever_goes_back_may_leave_out_what_the_sources_left_out(rebuilt_from_half):
    report = roll_back(rebuilt_from_half, gone="remove")

    assert (report.live, report.removed, report.tables) == (True, 1, 1)


def test_without_a_name_it_goes_to_the_one_that_was_live_last(store):
    fill(store, table("a"))
    first = store.status().generation
    second = run(store).generation
    third = run(store, Renewal(FakeExpander())).generation

    assert roll_back(store).generation == second
    assert roll_back(store).generation == third  # it was live before the second
    assert roll_back(store, first).generation == first
    assert states(store) == {first: "live", third: "kept", second: "kept"}


def test_what_is_written_while_it_runs_is_there_afterwards(store):
    fill(store, table("a"), table("b"))
    run(store)

    def write():
        store.put([table("new", "lion")])
        store.delete(["b"])

    report = roll_back(store, progress=Watch(copied=write))

    assert sorted(one.table_id for one in store.tables()) == ["a", "new"]
    assert (report.brought_over, report.removed) == (0, 0)
    assert (report.written, report.deleted) == (1, 1)


@pytest.mark.parametrize("step", ["staged", "copied", "caught_up", "verified"])
def test_killed_before_the_swap_it_changes_nothing_and_can_be_run_again(store, step):
    fill(store, table("a", "zebra"))
    old = store.status().generation
    new = run(store).generation
    fill(store, table("b", "yak"))

    with pytest.raises(Killed):
        roll_back(store, progress=Watch(**{step: killed}))

    assert states(store) == {new: "live", old: "kept"}
    assert (found(store, "zebra"), found(store, "yak")) == (["a"], ["b"])
    assert roll_back(store).generation == old
    assert sorted(one.table_id for one in store.tables()) == ["a", "b"]


def test_where_none_is_kept_the_refusal_says_what_keeps_one(store):
    fill(store, table("a"))

    with pytest.raises(PolarisError, match="No generation is kept.*polaris-admin reindex"):
        roll_back(store)


def test_an_unknown_name_is_refused_with_those_that_are_kept(store):
    fill(store, table("a"))
    old = store.status().generation
    new = run(store).generation

    for name in ("no such", new):
        with pytest.raises(GenerationUnknown, match=f"Kept: {old}"):
            roll_back(store, name)
