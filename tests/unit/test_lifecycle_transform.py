"""What becomes of tables on their way into a new generation: expanded, described, or kept."""

import pytest
from fakes import FakeDescriber, FakeExpander
from lifecycles import Killed, Watch, run

from ingest.input_hash import input_hash_of
from ingest.pipeline import ingest
from ingest.steps import NoExpander
from polaris_search.errors import UsageError
from polaris_search.lifecycle.transform import Renewal
from polaris_search.records import Column, RawTable
from polaris_search.store.embedded.store import EmbeddedStore


@pytest.fixture
def store(tmp_path):
    opened = EmbeddedStore(tmp_path / "store")
    yield opened
    opened.close()


def ingested(store, *names, expander=None, describer=None):
    """Ingest tables with these ids, each named as its id."""
    raws = [RawTable(name, name, (Column("a"),)) for name in names]
    ingest(raws, store, expander or NoExpander(), describer)
    return store.get(names)


def of(store, table_id):
    return store.get([table_id])[table_id]


# Names


def test_expansions_and_descriptions_are_kept_where_nothing_else_is_asked_for(store):
    before = ingested(store, "a", expander=FakeExpander(), describer=FakeDescriber())

    report = run(store)

    assert store.get(["a"]) == before
    assert (report.counts.kept, report.counts.expanded) == (1, 0)


def test_names_are_expanded_anew_and_the_description_stays_but_counts_as_stale(store):
    ingested(store, "a", expander=FakeExpander("1"), describer=FakeDescriber())

    report = run(store, Renewal(FakeExpander("2", "deutsch")))

    stored = of(store, "a")
    assert stored.expansion.name == "deutsch a"
    assert stored.description.dataset_overview == "english a by 1"
    assert stored.provenance.status == "described"
    assert input_hash_of(stored.provenance.input_hash).description == "none"
    assert (report.counts.expanded, report.counts.kept) == (1, 0)


def test_names_that_this_expander_made_are_not_expanded_again(store):
    ingested(store, "a", expander=FakeExpander())
    expander = FakeExpander()

    report = run(store, Renewal(expander))

    assert (expander.asked, report.counts.kept) == ([], 1)


# Descriptions


def test_stale_asks_about_what_is_not_described_failed_of_another_model_or_of_other_names(store):
    ingested(store, "fresh", describer=FakeDescriber("2"))
    ingested(store, "older", describer=FakeDescriber("1"))
    ingested(store, "none")
    ingested(store, "failed", describer=FakeDescriber("2", failing={"failed": "no"}))
    ingested(store, "renamed", expander=FakeExpander("1"), describer=FakeDescriber("2"))
    ingested(store, "renamed", expander=FakeExpander("2", "deutsch"))
    describer = FakeDescriber("2")

    report = run(store, Renewal(None, describer, "stale"))

    assert sorted(describer.asked) == ["failed", "none", "older", "renamed"]
    assert (report.counts.described, report.counts.failed) == (4, 0)
    assert {one.description.dataset_overview for one in store.tables()} == {
        f"{name} by 2" for name in ("fresh", "deutsch renamed", "older", "none", "failed")
    }
    assert report.clean


def test_all_asks_about_every_table_once(store):
    ingested(store, *map(str, range(250)), describer=FakeDescriber())
    describer = FakeDescriber()
    watch = Watch()

    report = run(store, Renewal(None, describer, "all", concurrency=3), progress=watch)

    assert sorted(describer.asked) == sorted(map(str, range(250)))
    assert (describer.at_once, describer.closed) == (3, 1)
    assert (report.counts.described, watch.asked_for) == (250, [250])
    assert (report.counts.prompt_tokens, report.counts.completion_tokens) == (2500, 1250)


def test_each_table_is_written_once_with_its_new_names_and_its_new_description(store):
    ingested(store, "a", "b", expander=FakeExpander("1"), describer=FakeDescriber("1"))

    run(store, Renewal(FakeExpander("2", "deutsch"), FakeDescriber("2"), "stale"))

    assert of(store, "a").description.dataset_overview == "deutsch a by 2"
    assert of(store, "a").provenance.input_hash.count("none") == 0


def test_a_description_that_fails_leaves_the_older_one_and_the_run_goes_live(store):
    before = ingested(store, "old", describer=FakeDescriber("1"))
    ingested(store, "new")
    describer = FakeDescriber("2", failing={"*": "The server is down."})

    report = run(store, Renewal(None, describer, "stale"))

    assert of(store, "old") == before["old"]
    assert of(store, "new").provenance.status == "failed"
    assert of(store, "new").provenance.reason == "The server is down."
    assert (report.live, report.clean) == (True, False)
    assert (report.counts.failed, report.counts.reasons) == (2, (("The server is down.", 2),))


def test_what_was_described_before_a_kill_is_not_asked_about_again(store):
    ingested(store, *map(str, range(20)))
    first, second = FakeDescriber(), FakeDescriber()

    stored = 0

    class KilledHalfWay(Watch):
        def described(self, described, failed):
            nonlocal stored
            stored = described  # two answers that came together are stored together
            if described >= 10:
                raise Killed

    with pytest.raises(Killed):
        run(store, Renewal(None, first, "all", concurrency=1), progress=KilledHalfWay())

    report = run(store, Renewal(None, second, "all"))

    assert (report.resumed, report.live) == (True, True)
    assert report.counts.described == len(second.asked) == 20 - stored
    assert {one.provenance.status for one in store.tables()} == {"described"}


def test_a_table_that_is_only_written_again_meanwhile_keeps_the_description_of_this_run(store):
    ingested(store, "a", describer=FakeDescriber("1"))
    describer = FakeDescriber("2")

    def write():
        ingest([RawTable("a", "a", (Column("a"),), access=("hr",))], store, NoExpander())

    run(store, Renewal(None, describer, "all"), progress=Watch(copied=write))

    assert describer.asked == ["a"]
    assert of(store, "a").description.dataset_overview == "a by 2"
    assert of(store, "a").raw.access == ("hr",)


def test_a_table_that_changes_meanwhile_is_described_as_it_is_then(store):
    ingested(store, "a")
    describer = FakeDescriber()

    def write():
        ingest([RawTable("a", "other")], store, NoExpander())

    run(store, Renewal(None, describer, "stale"), progress=Watch(copied=write))

    assert describer.asked == ["a", "a"]
    assert of(store, "a").description.dataset_overview == "other by 1"


@pytest.mark.parametrize("mode", ["stale", "all"])
def test_descriptions_without_a_model_are_a_usage_error(mode):
    with pytest.raises(UsageError, match=f"--describe {mode} needs a model.*POLARIS_LLM_URL"):
        Renewal(redescribe=mode)


# What tells one kind of run from another


def test_the_recipe_differs_in_everything_that_shapes_a_table():
    renewals = [
        Renewal(),
        Renewal(NoExpander()),
        Renewal(FakeExpander("1")),
        Renewal(FakeExpander("2")),
        Renewal(None, FakeDescriber("1"), "stale"),
        Renewal(None, FakeDescriber("1"), "all"),
        Renewal(None, FakeDescriber("2"), "all"),
    ]
    recipes = [renewal.recipe() for renewal in renewals]
    recipes += [Renewal().recipe("", "sa"), Renewal().recipe("", "sa", "sb")]
    recipes += [Renewal().recipe("csv", "sa")]

    assert len(set(recipes)) == len(recipes)
    assert Renewal(None, FakeDescriber("1"), "all", concurrency=9).recipe() == recipes[5]
