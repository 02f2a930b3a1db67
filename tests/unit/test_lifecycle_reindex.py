"""A reindex as a whole, on the embedded store: its order, what stops it, what it tells."""

from dataclasses import replace

import pytest
from fakes import FakeDescriber, FakeExpander
from generations import states
from lifecycles import Killed, Watch, killed, run
from tables import fill, found, table

from polaris_search.errors import AlreadyHeld
from polaris_search.lifecycle.transform import Renewal
from polaris_search.records import table_to_json
from polaris_search.store.embedded.store import EmbeddedStore


@pytest.fixture
def store(tmp_path):
    opened = EmbeddedStore(tmp_path / "store")
    yield opened
    opened.close()


def records(store):
    return [table_to_json(one) for one in store.tables()]


def numbered(count):
    return [table(f"t{number:03}", f"zebra {number}", ["a"]) for number in range(count)]


def test_a_reindex_keeps_every_record_byte_for_byte_and_the_old_generation(store):
    fill(store, *numbered(3), table("d", "yak", overview="told", hash_="x-y"))
    before, old = records(store), store.status().generation

    report = run(store)

    assert records(store) == before
    assert (report.replaced, report.generation) == (old, store.status().generation)
    assert states(store) == {report.generation: "live", old: "kept"}
    assert (report.live, report.clean, report.resumed) == (True, True, False)
    assert (report.tables, report.counts.kept, report.counts.tables) == (4, 4, 4)
    assert (report.sampled, report.refused, report.problem) == (4, 0, None)
    assert found(store, "yak") == ["d"]


def test_steps_are_told_in_their_order(store):
    fill(store, *numbered(3))
    watch = Watch()

    run(store, progress=watch)

    assert watch.steps == ["staged", "copied", "caught_up", "verified", "live", "settled"]


def test_searches_see_the_old_tables_until_the_new_ones_are_all_there(store):
    fill(store, *numbered(30))
    seen = {}

    def look(step):
        return lambda: seen.update(
            {step: (len(found(store, "zebra")), len(found(store, "english", "paper")))}
        )

    steps = ("staged", "copied", "caught_up", "verified", "live", "settled")
    run(store, Renewal(FakeExpander()), progress=Watch(**{step: look(step) for step in steps}))

    assert seen == dict.fromkeys(steps[:4], (30, 0)) | dict.fromkeys(steps[4:], (30, 30))


@pytest.mark.parametrize("step", ["staged", "copied", "caught_up", "verified"])
def test_what_is_written_and_deleted_while_it_runs_is_so_afterwards(store, step):
    fill(store, *numbered(300))

    def write():
        store.put([table("new", "lion"), table("t005", "lion")])
        store.delete(["t007"])

    report = run(store, progress=Watch(**{step: write}))

    assert report.live
    assert store.get(["new"])["new"].raw.name == "lion"
    assert store.get(["t005"])["t005"].raw.name == "lion"
    assert store.get(["t007"]) == {}
    assert store.status().tables == report.tables == 300
    if step in ("staged", "copied"):
        assert (report.written, report.deleted) in ((2, 1), (2, 0))  # 0: it was never over


def test_tables_written_meanwhile_are_expanded_too(store):
    fill(store, *numbered(3))

    run(
        store,
        Renewal(FakeExpander()),
        progress=Watch(copied=lambda: store.put([table("new", "lion")])),
    )

    assert store.get(["new"])["new"].expansion.name == "english lion"


def test_passes_go_on_while_much_changes_but_not_for_ever(store):
    class Busy(Watch):
        """Writes 120 tables more for each 120 that a pass brings over."""

        written = 0

        def copied(self, tables):
            if "copied" in self.steps:
                self.write(60)

        def write(self, count):
            store.put([table(f"b{self.written + n:05}", "lion") for n in range(count)])
            self.written += count

    fill(store, *numbered(10))
    watch = Busy(copied=lambda: watch.write(120))

    report = run(store, progress=watch)

    assert (report.live, report.passes, report.written) == (True, 5 + 1, 6 * 120)
    assert store.status().tables == 10 + watch.written


class HalfDescriber(FakeDescriber):
    """Describes one table in text that no store takes."""

    def __init__(self, table_id):
        super().__init__()
        self._table_id = table_id

    async def describe(self, raw, expansion):
        outcome = await super().describe(raw, expansion)
        if raw.table_id != self._table_id:
            return outcome
        return replace(outcome, description=replace(outcome.description, additional_context=HALF))


HALF = "half of \ud83d"


def test_a_refused_table_keeps_the_old_generation_live_and_is_named(store):
    fill(store, *numbered(3), table("bad", "yak"))
    old = store.status().generation
    watch = Watch()

    report = run(store, Renewal(None, HalfDescriber("bad"), "all"), progress=watch)

    assert (report.live, report.clean, report.refused) == (False, False, 1)
    assert [one.table_id for one in report.first_refused] == ["bad"]
    assert store.status().generation == old == report.replaced
    assert states(store) == {old: "live", report.generation: "staged"}
    assert watch.steps == ["staged"]


def test_a_table_refused_as_it_is_caught_up_keeps_the_old_generation_live_too(store):
    fill(store, *numbered(3))
    watch = Watch(copied=lambda: store.put([table("bad", "yak")]))

    report = run(store, Renewal(None, HalfDescriber("bad"), "stale"), progress=watch)

    assert (report.live, [one.table_id for one in report.first_refused]) == (False, ["bad"])
    assert watch.steps == ["staged", "copied"]


def test_once_the_refused_table_is_gone_the_same_command_goes_on_and_swaps(store):
    fill(store, *numbered(3), table("bad", "yak"))
    refused = run(store, Renewal(None, HalfDescriber("bad"), "all"))
    store.delete(["bad"])
    describer = HalfDescriber("bad")

    report = run(store, Renewal(None, describer, "all"))

    assert (report.live, report.resumed, report.clean) == (True, True, True)
    assert report.generation == refused.generation
    assert describer.asked == []


@pytest.mark.parametrize("step", ["staged", "copied", "caught_up", "verified"])
def test_a_run_killed_before_the_swap_leaves_the_old_one_live_and_is_gone_on_with(store, step):
    fill(store, *numbered(3))
    old = store.status().generation
    with pytest.raises(Killed):
        run(store, Renewal(FakeExpander()), progress=Watch(**{step: killed}))
    assert store.status().generation == old
    (begun,) = [name for name, state in states(store).items() if state == "staged"]

    report = run(store, Renewal(FakeExpander()))

    assert (report.generation, report.resumed, report.live) == (begun, True, True)
    assert report.counts.expanded == (3 if step == "staged" else 0)
    assert states(store) == {begun: "live", old: "kept"}


def test_a_run_of_another_kind_does_not_go_on_with_what_was_begun(store):
    fill(store, *numbered(3))
    with pytest.raises(Killed):
        run(store, Renewal(FakeExpander("1")), progress=Watch(copied=killed))

    report = run(store, Renewal(FakeExpander("2", "deutsch")))

    assert (report.resumed, report.counts.expanded) == (False, 3)
    assert store.get(["t000"])["t000"].expansion.name == "deutsch zebra 0"
    assert sorted(states(store).values()) == ["kept", "live"]


def test_a_second_run_at_the_same_time_is_refused_with_the_name_of_the_first(store, tmp_path):
    fill(store, *numbered(3))
    other = EmbeddedStore(tmp_path / "store")

    def second():
        with pytest.raises(AlreadyHeld, match="process [0-9]+ on "):
            run(other)

    report = run(store, progress=Watch(copied=second))
    other.close()

    assert report.live


def test_an_empty_store_is_reindexed_too(store):
    report = run(store)

    assert (report.live, report.tables, report.sampled) == (True, 0, 0)


def test_names_that_no_search_can_ask_for_stop_nothing(store):
    fill(store, table("a", ""), table("b", "!?"), table("c", "the"), table("d", "x" * 3000))

    report = run(store)

    assert (report.live, report.sampled) == (True, 2)
