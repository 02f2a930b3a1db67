"""The closed form against an index each where ids, texts, queries and judgments are odd."""

import csv
import json
import random
from contextlib import closing

import pytest

from ingest.expand.lexical import LexicalExpander
from polaris_search.evaluate.dataset import read_dataset
from polaris_search.experiments.build_pairs import PairChoices, build_pairs
from polaris_search.experiments.candidate_tables import CandidateTables
from polaris_search.experiments.verify_ranking import SlowWay, verify_ranking
from polaris_search.profiles.model import profile_named
from polaris_search.records import DESCRIPTION_FIELDS
from polaris_search.settings import read_settings
from polaris_search.store.opening import open_store
from trainer.candidates import read_candidates

IDS = (
    *(
        "a b/c",
        "ünï-ß",
        "表格1",
        "x" * 2048,
        "-1",
        "NULL",
        "0",
        "'quo\"te",
        "tab\there",
        "new\nline",
    ),
    *("%2F", "emoji 🐦", "é", "e\u0301", "..", "t,comma", "\u200bzero width", "id;x", "__id"),
)
WORDS = (
    *("bank", "banks", "banking", "café", "cafe\u0301", "naïve", "STRASSE", "straße", "the", "of"),
    *("表格", "数据", "данные", "δοκιμή", "2019", "1,000", "U.S.", "can't", "foo:bar", "loan_acct"),
    *(
        "CustAddr",
        "🐦",
        "☎",
        "ＦＵＬＬ",
        "İstanbul",
        "ΣΟΦΟΣ",
        "running",
        "ran",
        "is",
        "as",
        "s",
        "v2.0",
    ),
    *("https://e.x/y", "@me", "#tag", "C++", "a'b", "l'eau", "\u00ad-soft", "ﬁre", "y3", "and"),
)
K_OF = dict(zip(IDS, [0, 1, 5, 3, 2] * 4, strict=False))


@pytest.fixture
def folder(tmp_path):
    chance = random.Random(5)

    def text(n):
        return " ".join(chance.choices(WORDS, k=n))

    def write(name, header, rows):
        with (tmp_path / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])

    queries = {f"q{n}": text(chance.choice([1, 2, 3, 8])) for n in range(40)} | {
        "200 words": " ".join([*chance.choices(WORDS, k=100), *(f"word{n}" for n in range(100))]),
        "stop words": "the of and the",
        "unknown words": "zzz qqq",
        "no words": "!!! ???",
        "repeated": "bank " * 50,
        "blank": " ",
    }
    judged = {
        (query, table): chance.choice([1, 2, 0.5, 0])
        for table in IDS
        for query in chance.sample(list(queries), 5)
    }
    judged |= {(query, IDS[2]): 1 for query in queries}  # every query for one table
    judged |= {("q1", "no such table"): 1, ("no such query", IDS[0]): 1}
    names = [[key, text(2), json.dumps([text(2), "acct_nm"]), '{"note": "bank"}'] for key in IDS]
    write("metadata.csv", ["table_id", "table_name", "column_names", "context"], names)
    write("queries.csv", ["query_id", "query"], queries.items())
    rows = [[query, table, grade] for (query, table), grade in judged.items()]
    write("qrels.csv", ["query_id", "table_id", "relevance_score"], rows)
    candidates = [(key, [text(n) for n in (5, 30, 0, 300, 12)[: K_OF[key]]]) for key in IDS]
    lines = [
        {"table_id": key, "candidates": [{"text": one} for one in odd(texts)]}
        for key, texts in candidates
        if key != IDS[10]
    ]
    lines.append({"table_id": "nowhere", "candidates": [{"text": "bank"}]})
    (tmp_path / "c.jsonl").write_text("".join(map(as_line, lines)), encoding="utf-8")
    return tmp_path


def odd(texts):
    """Return the texts with equal ones, six empty fields, six fields and stop words among them."""
    if len(texts) == 5:
        fields = dict.fromkeys(DESCRIPTION_FIELDS, texts[1])
        empty = dict.fromkeys(DESCRIPTION_FIELDS, "")
        return [texts[0], texts[0], json.dumps(empty), json.dumps(fields), "the of and"]
    return texts


def as_line(record):
    return json.dumps(record, ensure_ascii=False) + "\n"


@pytest.mark.parametrize(
    ("profile", "objective", "keep_own", "n_tables"),
    [
        ("paper-single", "score", False, 9),
        ("paper-single", "terms-once", False, 5),
        ("paper", "ndcg", True, 2),  # an index for each candidate
        ("default", "score", True, 5),
    ],
)
def test_odd_tables_rank_as_with_an_index_each(
    folder, store_url, profile, objective, keep_own, n_tables
):
    choices = PairChoices(profile_named(profile), objective=objective, keep_own=keep_own, rounds=20)
    tables = CandidateTables(
        folder, read_dataset(folder), read_candidates(folder / "c.jsonl"), LexicalExpander()
    )

    built = build_pairs(tables, choices)
    with closing(open_store(read_settings({"POLARIS_STORE": store_url}))) as store:
        found = verify_ranking(SlowWay(built, tables, choices, store), n_tables)

    assert (found.tables, found.largest_difference, found.other_orders) == (n_tables, 0.0, 0)
    assert built.ranking.ended in ("converged", "cycle")
    left_out = built.left_out
    assert (left_out.unknown_candidates, left_out.unknown_judged) == (1, 1)
    assert left_out.rejected_rows == 0
    assert built.report.empty_texts > 0
