"""A reindex and the way back, against both stores: the same tables, the same words, no loss.

What they do in every single case is tested on the embedded store (tests/unit/test_lifecycle*).
"""

from contextlib import closing
from dataclasses import replace

import pytest
from fakes import FakeDescriber, FakeExpander
from generations import states
from lifecycles import Watch, roll_back, run
from tables import fill, found, table

from ingest.pipeline import ingest
from ingest.seen import SeenIds
from ingest.steps import NoExpander
from polaris_search.lifecycle.sources import Sources
from polaris_search.lifecycle.transform import Renewal
from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.records import RawTable, table_to_json
from polaris_search.store.embedded.store import EmbeddedStore


def numbered(count):
    return [table(f"t{number:03}", f"zebra {number}", ["a"]) for number in range(count)]


def words(store):
    return {one.table_id: one.raw.name for one in store.tables()}


def test_records_are_the_same_byte_for_byte_and_the_scores_are_those_of_a_fresh_index(
    store, tmp_path
):
    fill(store, *numbered(60))
    fill(store, *(table(f"t{number:03}", f"zebra {number} {number}") for number in range(30)))
    store.delete(["t059"])
    with closing(EmbeddedStore(tmp_path / "fresh")) as fresh:
        fill(fresh, *store.tables())

        report = run(store)

        plan = plan_query(profile_named("paper"), "zebra 7")
        assert store.search(plan, 60) == fresh.search(plan, 60)
        assert [*map(table_to_json, store.tables())] == [*map(table_to_json, fresh.tables())]
    assert (report.clean, report.tables, store.status().replaced) == (True, 59, 0)


@pytest.mark.parametrize("step", ["staged", "copied", "caught_up", "verified", "live"])
def test_what_is_written_and_deleted_at_each_step_is_so_afterwards(store, step):
    fill(store, *numbered(20))

    def write():
        store.put([table("new", "lion"), table("t005", "lion")])
        store.delete(["t007"])

    report = run(store, Renewal(FakeExpander()), progress=Watch(**{step: write}))

    expected = {f"t{number:03}": f"zebra {number}" for number in range(20) if number != 7}
    assert words(store) == expected | {"new": "lion", "t005": "lion"}
    assert (report.live, report.tables, len(found(store, "lion"))) == (True, 20, 2)


class HalfDescriber(FakeDescriber):
    """Describes one table in text that no store takes."""

    async def describe(self, raw, expansion):
        outcome = await super().describe(raw, expansion)
        if raw.table_id != "t003":
            return outcome
        return replace(
            outcome, description=replace(outcome.description, additional_context="\ud83d")
        )


def test_one_table_that_is_refused_keeps_the_old_one_live_and_the_new_one_for_later(store):  # X4
    fill(store, *numbered(20))
    old = store.status().generation

    report = run(store, Renewal(None, HalfDescriber(), "all"))

    assert (report.live, [one.table_id for one in report.first_refused]) == (False, ["t003"])
    assert states(store) == {old: "live", report.generation: "staged"}
    assert {one.name: one.tables for one in store.generations.listed()} == {
        old: 20,
        report.generation: 19,
    }
    assert len(found(store, "zebra")) == 20


def test_each_table_is_described_before_it_is_written_and_written_once(store):
    fill(store, *numbered(20))

    report = run(store, Renewal(FakeExpander(), FakeDescriber(), "stale"))

    assert (report.clean, report.counts.described) == (True, 20)
    assert store.get(["t001"])["t001"].description.dataset_overview == "english zebra 1 by 1"
    assert store.status().replaced == 0


def test_tables_come_from_sources_and_what_they_lack_is_gone(store):
    fill(store, *numbered(10))
    seen = SeenIds()

    def items():
        for number in range(1, 10):
            seen.add(f"t{number:03}", "s")
            yield RawTable(f"t{number:03}", "yak" if number == 9 else f"zebra {number}")

    report = run(store, Renewal(NoExpander()), sources=Sources(("s",), items(), seen))

    assert words(store) == {f"t{number:03}": f"zebra {number}" for number in range(1, 9)} | {
        "t009": "yak"
    }
    assert (report.missing, report.surplus, report.counts.changed) == (1, 0, 9)


def test_a_first_generation_comes_from_sources(store):
    seen = SeenIds()
    seen.add("a", "s")

    report = run(
        store, Renewal(NoExpander()), sources=Sources(("s",), [RawTable("a", "yak")], seen)
    )

    assert (report.live, report.tables, found(store, "yak")) == (True, 1, ["a"])


def test_the_way_back_brings_the_older_words_and_loses_nothing(store):
    ingest([RawTable(f"t{number}", "zebra") for number in range(5)], store, NoExpander())
    old = store.status().generation
    run(store, Renewal(FakeExpander()))
    fill(store, table("new", "lion"), table("t1", "lynx"))
    store.delete(["t2"])

    def write():
        fill(store, table("late", "emu"))

    report = roll_back(store, progress=Watch(verified=write))

    assert (report.generation, report.clean) == (old, True)
    assert words(store) == {
        "late": "emu",
        "new": "lion",
        "t0": "zebra",
        "t1": "lynx",
        "t3": "zebra",
        "t4": "zebra",
    }
    assert {one.expansion for one in store.tables()} == {None}
    assert (report.brought_over, report.removed, report.tables) == (2, 1, 6)
