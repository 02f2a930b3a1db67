"""Random writes, reindexes, interruptions and ways back, against a plain dict of what is stored."""

import os
import tempfile
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import fresh_alias, open_elasticsearch
from generations import as_given, marked, unheard, words
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tables import fill, found, table

IDS = st.sampled_from(["a", "b", "c", "d", "é", "x" * 600])
WORDS = st.sampled_from(["lion", "yak", "zebra"])


@dataclass
class Run:
    """A reindex or a way back that is open."""

    staged: object
    own: dict[str, str] | None  # a kept generation's tables; None: the live one's are copied
    touched: set[str]  # ids that were written or deleted since it was begun


class AnyStore(RuleBasedStateMachine):
    """Keeps `live`, a word by its table's id, and the same of each kept generation by name."""

    def __init__(self):
        super().__init__()
        self.opened = ExitStack()
        self.store = self.opened.enter_context(self.new_store())
        self.live: dict[str, str] = {}
        self.kept: dict[str, dict[str, str]] = {}
        self.block: ExitStack | None = None
        self.run: Run | None = None

    def new_store(self):
        raise NotImplementedError

    def teardown(self):
        if self.block:
            self.block.close()
        self.opened.close()

    @initialize(some=st.dictionaries(IDS, WORDS, min_size=1))
    def first_tables(self, some):
        self.put(some)

    @rule(some=st.dictionaries(IDS, WORDS, min_size=1))
    def put(self, some):
        if self.run and self.run.own is not None:  # else a store may or may not call it a change
            some = {one: word for one, word in some.items() if self.live.get(one) != word}
        fill(self.store, *(table(table_id, word) for table_id, word in some.items()))
        self.live |= some
        self.touch(some)

    @rule(ids=st.sets(IDS, min_size=1))
    def delete(self, ids):
        there = ids & self.live.keys()
        assert self.store.delete(sorted(ids)) == len(there)
        self.store.refresh()
        for table_id in there:
            del self.live[table_id]
        self.touch(there)

    def touch(self, ids):
        if self.run:
            self.run.touched |= set(ids)

    @precondition(lambda self: self.block is None)
    @rule(recipe=st.sampled_from(["one", "two"]))
    def stage(self, recipe):
        self.open(self.store.generations.stage(recipe, unheard), own=None)

    @precondition(lambda self: self.block is None and self.kept)
    @rule(which=st.integers(min_value=0))
    def reopen(self, which):
        name = [*self.kept][which % len(self.kept)]
        self.open(self.store.generations.reopen(name, unheard), own=self.kept[name])

    def open(self, block, own):
        with ExitStack() as stack:
            self.run = Run(stack.enter_context(block), own, set())
            self.block = stack.pop_all()

    @precondition(lambda self: self.block)
    @rule()
    def interrupt(self):
        self.block.close()
        self.block = self.run = None

    @precondition(lambda self: self.run and self.run.own is None)
    @rule(most=st.integers(min_value=0, max_value=4))
    def copy_some(self, most):
        staged = self.run.staged
        tables = [one for one, _ in zip(staged.uncopied(), range(most), strict=False)]
        assert staged.tables.put(marked("copied")(tables)).refused == ()

    @precondition(lambda self: self.run)
    @rule()
    def catch_up(self):
        staged, own = self.run.staged, self.run.own
        assert staged.catch_up(marked("caught up")).refused == ()
        if own is not None:  # what came over stays, also if it does not go live
            self.run.own = self.kept[staged.name] = self.with_touched(own)

    @precondition(lambda self: self.run)
    @rule()
    def go_live(self):
        staged, own = self.run.staged, self.run.own
        if own is None:
            staged.tables.put(staged.uncopied())
            staged.catch_up(as_given)
            assert staged.missing_or_surplus() == (0, 0)
        before = self.store.status().generation
        staged.go_live()
        staged.settle(as_given)
        self.kept[before] = dict(self.live)
        self.kept.pop(staged.name, None)
        if own is not None:
            self.live = self.with_touched(own)
        self.interrupt()

    def with_touched(self, own):
        """A kept generation's tables, those as they are live that were touched while it is open."""
        after = {one: word for one, word in own.items() if one not in self.run.touched}
        return after | {one: self.live[one] for one in self.run.touched & self.live.keys()}

    @precondition(lambda self: self.block is None)
    @rule(keep=st.integers(min_value=0, max_value=2))
    def prune(self, keep):
        states = {one.name: one.state for one in self.store.generations.listed()}
        removed = set(self.store.generations.prune(keep, unheard))
        staged = {name for name, state in states.items() if state == "staged"}
        assert removed - staged <= set(self.kept)
        assert len(set(self.kept) - removed) == min(keep, len(self.kept))
        assert staged <= removed
        for name in removed - staged:
            del self.kept[name]

    @invariant()
    def the_live_generation_holds_what_was_put(self):
        assert words(self.store) == dict(sorted(self.live.items()))
        assert self.store.status().tables == len(self.live)

    @invariant()
    def searches_find_what_was_put(self):
        for word in ("lion", "zebra"):
            expected = sorted(one for one, other in self.live.items() if other == word)
            assert sorted(found(self.store, word)) == expected

    @invariant()
    def each_kept_generation_is_listed_with_its_tables(self):
        listed = {one.name: one.tables for one in self.store.generations.listed()}
        states = {one.name: one.state for one in self.store.generations.listed()}
        assert {name for name, state in states.items() if state == "kept"} == set(self.kept)
        assert all(listed[name] == len(held) for name, held in self.kept.items())


class EmbeddedMachine(AnyStore):
    def new_store(self):
        from polaris_search.store.embedded.store import EmbeddedStore

        folder = self.opened.enter_context(tempfile.TemporaryDirectory())
        return closing(EmbeddedStore(Path(folder) / "store"))


class ElasticsearchMachine(AnyStore):
    def new_store(self):
        url = os.environ["POLARIS_TEST_ES_URL"]
        alias = self.opened.enter_context(fresh_alias(url))
        return closing(open_elasticsearch(url, alias))


def rules_for(examples, steps):
    return settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        derandomize=True,  # the same examples each time
        database=None,
        suppress_health_check=list(HealthCheck),
    )


def test_the_embedded_store_does_as_a_dict_does():
    run_state_machine_as_test(EmbeddedMachine, settings=rules_for(examples=60, steps=25))


@pytest.mark.es
def test_elasticsearch_does_as_a_dict_does(es_url):
    run_state_machine_as_test(ElasticsearchMachine, settings=rules_for(examples=6, steps=15))
