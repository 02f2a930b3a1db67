"""A reindex from sources: what they have is live afterwards, and nothing is lost by mistake."""

import json

import pytest
from fakes import FakeClock, FakeDescriber, FakeExpander
from lifecycles import Killed, Watch, killed, run
from tables import found

from ingest.dead_letters import DeadLetters
from ingest.pipeline import ingest
from ingest.readers.sources import read_sources
from ingest.seen import SeenIds
from polaris_search.lifecycle.preview import preview
from polaris_search.lifecycle.sources import Sources
from polaris_search.lifecycle.transform import Renewal
from polaris_search.store.embedded.store import EmbeddedStore


@pytest.fixture
def store(tmp_path):
    opened = EmbeddedStore(tmp_path / "store")
    yield opened
    opened.close()


@pytest.fixture
def source(tmp_path):
    """Write tables, each given as (id, name), to a file; return it as sources to read once."""
    path = tmp_path / "tables.jsonl"

    def written(*rows, letters=None):
        lines = [
            json.dumps({"table_id": key, "name": name, "columns": ["a"]}) if name else "{"
            for key, name in rows
        ]
        path.write_text("\n".join(lines) + "\n")
        seen = SeenIds()
        return Sources((str(path),), read_sources([str(path)], seen=seen), seen, letters)

    return written


TEN = [(f"t{number}", f"zebra {number}") for number in range(10)]
EXPANDED = Renewal(FakeExpander())


def live(store, source, describer=None):
    ingest(source(*TEN).items, store, FakeExpander(), describer)


def names(store):
    return {one.table_id: one.raw.name for one in store.tables()}


def test_what_the_sources_have_is_live_afterwards_and_nothing_else(store, source):
    live(store, source)

    report = run(store, EXPANDED, sources=source(*TEN[1:9], ("t9", "lion"), ("new", "yak")))

    assert names(store) == dict(TEN[1:9]) | {"t9": "lion", "new": "yak"}
    assert found(store, "yak") == ["new"]
    counts = report.counts
    assert (counts.kept, counts.changed, counts.new, counts.expanded) == (8, 1, 1, 0)
    assert (report.missing, report.surplus, report.live, report.clean) == (1, 1, True, True)
    assert (report.sources.tables, report.sources.rejected) == (10, 0)


def test_a_table_that_is_the_same_keeps_its_record_and_a_changed_one_loses_its_text(store, source):
    live(store, source, FakeDescriber())
    before = store.get(["t1"])

    run(store, EXPANDED, sources=source(*TEN[:9], ("t9", "lion")))

    assert store.get(["t1"]) == before
    assert store.get(["t9"])["t9"].description is None


def test_descriptions_are_asked_for_where_they_are_wanted(store, source):
    live(store, source, FakeDescriber())
    describer = FakeDescriber()

    run(store, Renewal(FakeExpander(), describer, "stale"), sources=source(*TEN, ("new", "yak")))

    assert describer.asked == ["new"]
    assert store.get(["new"])["new"].description.dataset_overview == "english yak by 1"


def test_a_first_generation_comes_from_sources_too(store, source):
    report = run(store, EXPANDED, sources=source(*TEN))

    assert (report.live, report.counts.new, store.status().tables) == (True, 10, 10)


@pytest.mark.parametrize(("kept", "is_live"), [(8, True), (7, False)])
def test_more_than_a_fifth_is_not_lost_without_a_word(store, source, kept, is_live):
    live(store, source)
    old = store.status().generation

    report = run(store, EXPANDED, sources=source(*TEN[:kept]))

    assert report.live == is_live
    assert store.status().tables == (kept if is_live else 10)
    if not is_live:
        assert store.status().generation == old
        assert "live tables that no source has: 3 of 10." in report.problem
        assert "--yes" in report.problem


def test_once_confirmed_the_run_goes_on_with_what_was_built(store, source):
    live(store, source)
    first = run(store, EXPANDED, sources=source(*TEN[:3]))

    second = run(store, EXPANDED, sources=source(*TEN[:3]), yes=True)

    assert (second.generation, second.resumed) == (first.generation, True)
    assert second.counts.tables == 0
    assert (second.live, second.missing, names(store)) == (True, 7, dict(TEN[:3]))


def test_a_rejected_row_stops_the_swap_and_is_kept_as_a_dead_letter(store, source, tmp_path):
    live(store, source)
    letters = DeadLetters(tmp_path / "letters", FakeClock())

    report = run(store, EXPANDED, sources=source(*TEN, ("", ""), letters=letters))

    assert (report.live, report.clean, report.sources.rejected) == (False, False, 1)
    assert report.problem.startswith("Tables could be lost; rejected rows: 1. ")
    assert report.sources.first_rejected[0].line == 11
    assert report.sources.dead_letters.read_text().count("\n") == 1


def test_a_rejected_row_that_is_confirmed_goes_live_but_is_not_clean(store, source):
    live(store, source)

    report = run(store, EXPANDED, sources=source(*TEN, ("", "")), yes=True)

    assert (report.live, report.clean) == (True, False)


def test_what_is_written_and_deleted_meanwhile_is_so_afterwards_also_beside_the_sources(
    store, source
):
    live(store, source)

    def write():
        ingest(source(("written", "yak")).items, store, FakeExpander())
        store.delete(["t4"])

    run(store, EXPANDED, sources=source(*TEN), progress=Watch(copied=write))

    assert names(store) == {key: name for key, name in TEN if key != "t4"} | {"written": "yak"}


@pytest.mark.parametrize("step", ["staged", "copied", "caught_up", "verified"])
def test_a_killed_run_goes_on_and_what_the_source_lost_since_is_gone(store, source, step):
    live(store, source)
    with pytest.raises(Killed):
        run(store, EXPANDED, sources=source(*TEN), progress=Watch(**{step: killed}))

    report = run(store, EXPANDED, sources=source(*TEN[1:9], ("t9", "lion")))

    assert (report.live, report.resumed) == (True, True)
    assert names(store) == dict(TEN[1:9]) | {"t9": "lion"}
    assert report.counts.tables == (9 if step == "staged" else 1)


# What a dry run says


def test_a_dry_run_says_what_sources_would_change_and_writes_nothing(store, source):
    live(store, source)
    before = store.generations.listed()
    describer = FakeDescriber()

    would = preview(
        store,
        Renewal(FakeExpander(), describer, "stale"),
        source(*TEN[1:9], ("t9", "lion"), ("new", "yak"), ("", "")),
    )

    assert (would.counts.kept, would.counts.changed, would.counts.new, would.gone) == (8, 1, 1, 1)
    assert (would.to_describe, describer.asked) == (10, [])
    assert (would.sources.tables, would.sources.rejected) == (10, 1)
    assert would.replaces == store.status().generation
    assert "rejected rows: 1. Check the sources, or confirm with --yes" in would.held_back
    assert store.generations.listed() == before


def test_a_dry_run_of_the_live_tables_counts_names_descriptions_and_what_is_unfinished(
    store, source
):
    live(store, source, FakeDescriber("1", failing={"t0": "no"}))
    with pytest.raises(Killed):
        run(store, EXPANDED, progress=Watch(copied=killed))

    kept = preview(store, Renewal(None, FakeDescriber("1"), "stale"))
    anew = preview(store, Renewal(FakeExpander("2", "deutsch"), FakeDescriber("1"), "stale"))

    assert (kept.counts.kept, kept.counts.expanded, kept.to_describe) == (10, 0, 1)
    assert (anew.counts.kept, anew.counts.expanded, anew.to_describe) == (0, 10, 10)
    assert (len(anew.unfinished), anew.current, anew.sources) == (1, True, None)
