"""Candidates made up for a data set's tables, and their ranking compared with the slow way."""

import csv
import json
import random
from contextlib import closing

from ingest.expand.lexical import LexicalExpander
from polaris_search.evaluate.dataset import read_dataset
from polaris_search.experiments.build_pairs import build_pairs
from polaris_search.experiments.candidate_tables import CandidateTables
from polaris_search.experiments.verify_ranking import SlowWay, verify_ranking
from trainer.candidates import candidate_of

STOP_WORDS = "the of and to"


def candidates_from_queries(folder, k, seed):
    """Return made-up candidates of every table: words of queries, its own and others', and names.

    Among them are empty ones, equal ones, ones of stop words and ones that repeat 40 times.
    """
    chance = random.Random(seed)
    dataset = read_dataset(folder)
    texts = list(dataset.queries.values())
    own = {}
    for query_id, table_id in dataset.judged:
        own.setdefault(table_id, []).append(dataset.queries[query_id])
    with (folder / "metadata.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))

    def text(row):
        words = " ".join(chance.sample(texts, 4)).split() + json.loads(row["column_names"])
        for query in own.get(row["table_id"], ())[:2]:
            words += chance.sample(query.split(), len(query.split()) // 2)
        chance.shuffle(words)
        return " ".join(words)

    made = {}
    for row in rows:
        found = [text(row) for _ in range(k if row["table_id"] in own else 1)]
        odd = chance.randrange(10)
        if len(found) > 1 and odd < 4:
            found[0] = ("", found[1], STOP_WORDS, " ".join([found[1]] * 40))[odd]
        made[row["table_id"]] = tuple(candidate_of(one, {}) for one in found)
    return CandidateTables(folder, dataset, made, LexicalExpander())


def verified(folder, store, choices, k, n_tables):
    tables = candidates_from_queries(folder, k, seed=k)
    built = build_pairs(tables, choices)
    with closing(store):
        return verify_ranking(SlowWay(built, tables, choices, store), n_tables)
