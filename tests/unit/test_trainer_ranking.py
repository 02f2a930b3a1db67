"""The closed form gives, to the last bit, what an index made for each gold table gives."""

import random
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from polaris_search.profiles.model import profile_named
from polaris_search.profiles.plan import plan_query
from polaris_search.records import Column, Description, EnrichedTable, Provenance, RawTable
from polaris_search.store.document import searched_texts
from polaris_search.store.embedded.store import EmbeddedStore
from trainer.ranking.clauses import single_field
from trainer.ranking.ranker import Ranker, TableToRank

WORDS = """
account bank branch customer loans payment city state country name code number date sales running
runs region product orders price the of and is it no 2019 café
""".split()  # noqa: SIM905 -- a list of 29 strings is no easier to read
TRICKY = ("", "the of and", "zzz qqq", "salesorder3", "CUST_ADDR1", "bank bank bank city")


def stored(raw, text, table_id=None):
    description = None if text is None else Description(text, "", "", "", "", "")
    return EnrichedTable(
        replace(raw, table_id=table_id or raw.table_id), Provenance("x"), None, description
    )


class World:
    """Tables with 0 to 5 candidates, some of them empty, alike, of stop words, or very long."""

    def __init__(self, seed, n_tables=11):
        self.random = random.Random(seed)
        self.tables = [(self.table(number), self.candidates()) for number in range(n_tables)]
        self.queries = [self.text(self.random.randint(1, 5)) for _ in range(30)] + list(TRICKY)
        self.relevant = [
            self.random.sample(range(len(self.queries)), self.random.randint(1, 4)) if texts else []
            for _, texts in self.tables
        ]

    def text(self, n):
        return " ".join(self.random.choices(WORDS, k=n))

    def table(self, number):
        name = self.random.choice(["CUST_ADDR", "salesOrder", "acct", "brnch"]) + str(number % 7)
        columns = [
            Column(self.random.choice(WORDS) + self.random.choice(["", "_id", "Nm"]))
            for _ in range(self.random.randint(1, 5))
        ]
        context = {"note": self.text(4)} if self.random.random() < 0.7 else {}
        return RawTable(f"t{number:03}", name, tuple(columns), context)

    def candidates(self):
        made = ["", "the of and", self.text(900)] + [self.text(n) for n in (3, 12, 25, 40)]
        texts = self.random.choices(made, k=self.random.choice([0, 1, 2, 3, 5]))
        return [*texts[:1], *texts[:1], *texts[2:]] if self.random.random() < 0.3 else texts

    def ranker(self, profile, **options):
        to_rank = (
            TableToRank([searched_texts(stored(raw, text)) for text in texts or [None]], queries)
            for (raw, texts), queries in zip(self.tables, self.relevant, strict=True)
        )
        return Ranker(to_rank, self.queries, profile, **options)

    def members(self, ranker):
        places = [self.random.randrange(len(texts) or 1) for _, texts in self.tables]
        return ranker.tables.first[:-1] + np.array(places)

    def listed(self, folder, profile, members, first, gold, place):
        """Return the ids that a search lists for each query of a gold table as that candidate."""
        with closing(EmbeddedStore(folder)) as store:
            for number, (raw, texts) in enumerate(self.tables):
                member = place if number == gold else members[number] - first[number]
                store.put([stored(raw, texts[member] if texts else None)])
            store.refresh()
            for query in self.relevant[gold]:
                plan = plan_query(profile, self.queries[query])
                hits = () if plan.asks_nothing else store.search(plan, 1_000).hits
                yield [hit.table_id for hit in hits]

    def served(self, folder, profile, gold, members, first, *, keep_own):
        """Return the scores of one gold table's candidates for each of its queries, by a search."""
        with closing(EmbeddedStore(folder)) as store:
            for number, (raw, texts) in enumerate(self.tables):
                if number != gold or keep_own:
                    text = texts[members[number] - first[number]] if texts else None
                    store.put([stored(raw, text)])
            raw, texts = self.tables[gold]
            store.put(stored(raw, text, f"copy {place}") for place, text in enumerate(texts))
            store.refresh()
            for query in self.relevant[gold]:
                plan = plan_query(profile, self.queries[query])
                hits = () if plan.asks_nothing else store.search(plan, 1_000).hits
                found = {hit.table_id: hit.score for hit in hits}
                yield from (found.get(f"copy {place}", 0.0) for place in range(len(texts)))


PROFILES = {
    "paper-single": profile_named("paper-single"),
    "paper": profile_named("paper"),
    "default": profile_named("default"),
    "terms once": single_field("description_terms"),
}


@pytest.mark.parametrize("keep_own", [False, True], ids=["paper's corpus", "own member kept"])
@pytest.mark.parametrize("name", PROFILES)
def test_each_score_is_that_of_an_index_of_the_table_s_own(tmp_path, name, keep_own):
    profile = PROFILES[name]
    world = World(seed=len(name) + keep_own)
    ranker = world.ranker(profile, keep_own=keep_own)
    members = world.members(ranker)

    scores = ranker.scores(members)

    expected = [
        score
        for gold in ranker.tables.gold
        for score in world.served(
            tmp_path / str(gold),
            profile,
            gold,
            members,
            ranker.tables.first,
            keep_own=keep_own,
        )
    ]
    assert len(expected) > 20
    assert [float(str(score)) for score in scores] == expected


def test_a_mean_adds_printed_scores_in_the_order_of_the_judgments_and_divides(tmp_path):
    world = World(seed=9, n_tables=6)
    ranker = world.ranker(PROFILES["paper-single"])
    members = world.members(ranker)

    means = ranker.means(members)

    for place, gold in enumerate(ranker.tables.gold):
        first = ranker.tables.first
        served = list(
            world.served(
                tmp_path / str(gold),
                PROFILES["paper-single"],
                gold,
                members,
                first,
                keep_own=False,
            )
        )
        k = len(world.tables[gold][1])
        assert means[place] == tuple(
            sum(served[candidate::k]) / (len(served) // k) for candidate in range(k)
        )


@pytest.mark.parametrize("name", PROFILES)
def test_each_place_is_that_in_the_list_of_a_search(tmp_path, name):
    world = World(seed=3 * len(name), n_tables=9)
    ranker = world.ranker(PROFILES[name])
    members, first = world.members(ranker), ranker.tables.first
    order = np.arange(len(world.tables))  # ids ascend as the tables do

    gains = ranker.mean_gains(members, order, float)

    for gain, gold in zip(gains, ranker.tables.gold.tolist(), strict=True):
        raw, texts = world.tables[gold]
        for place in range(len(texts)):
            lists = list(
                world.listed(
                    tmp_path / f"{gold} {place}", PROFILES[name], members, first, gold, place
                )
            )
            found = [ids.index(raw.table_id) + 1 if raw.table_id in ids else 0 for ids in lists]
            assert gain[place] == sum(map(float, found)) / len(found)


def test_a_table_without_candidates_stands_in_the_corpus_and_is_not_ranked():
    raw = RawTable("t", "t", (Column("a"),), {})
    tables = [
        TableToRank([searched_texts(stored(raw, None))], []),
        TableToRank(
            [searched_texts(stored(raw, "bank")), searched_texts(stored(raw, "city"))], [0]
        ),
    ]

    ranker = Ranker(tables, ["bank"], PROFILES["paper-single"])

    assert ranker.tables.gold.tolist() == [1]
    best, worst = ranker.means(ranker.tables.first[:-1])[0]
    assert best > worst == 0.0


def test_pairs_of_table_and_query_that_share_no_word_are_counted():
    raw = RawTable("t", "t", (Column("a"),), {})
    versions = [searched_texts(stored(raw, "bank")), searched_texts(stored(raw, "city"))]

    ranker = Ranker(
        [TableToRank(versions, [0, 1, 2])], ["bank", "lion", "the"], PROFILES["paper-single"]
    )

    assert ranker.unmatched() == 2


def test_without_gold_tables_there_is_nothing_to_rank():
    raw = RawTable("t", "t", (Column("a"),), {})

    ranker = Ranker([TableToRank([searched_texts(stored(raw, "b"))], [])], [], PROFILES["default"])

    assert ranker.means(ranker.tables.first[:-1]) == ()
