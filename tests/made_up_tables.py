"""Tables and queries made up of odd words, in many scripts and spellings, by a seed."""

import random

from polaris_search.records import (
    Column,
    Description,
    EnrichedTable,
    Expansion,
    Provenance,
    RawTable,
)

WORDS = [
    "payroll", "employee", "EmpNo", "landUse", "DTPh", "russ_ind", "tbl_Species", "annual",
    "GDP2024",
    "Straße", "ÉCOLE", "naïve", "A\u0301reas", "cars", "running", "relational", "hopefully", "the",
    "of", "维修", "データ", "x1", "a", "Ω", "m²", "don't", "U.S.", "1,000", "O'Neil's", "e.g.",
    "BirdNestID", "nest_count", "lat", "long", "LATITUDE", "sensorReading42", "org-unit", "co₂",
    "ﬁeld", "ǅungla", "İstanbul", "ㅤ", "💼", "a\u1680b", "ß" * 200,
]  # fmt: skip


def made_up_tables(count, seed):
    chance = random.Random(seed)

    def text(longest):
        return " ".join(chance.choices(WORDS, k=chance.randint(0, longest)))

    for number in range(count):
        columns = tuple(Column("_".join(chance.choices(WORDS, k=2))) for _ in range(number % 9))
        yield EnrichedTable(
            RawTable(
                f"t{number:04}",
                text(3),
                columns,
                {"caption": text(12), "page": text(4)} if number % 3 else {},
                source=f"s{number % 4}",
            ),
            Provenance("h"),
            Expansion(text(3), tuple(text(2) for _ in columns)) if number % 2 else None,
            Description(*(text(20) for _ in range(6))) if number % 5 else None,
        )


def made_up_queries(count, seed):
    chance = random.Random(seed)
    for _ in range(count):
        yield " ".join(chance.choices(WORDS, k=chance.randint(1, 12)))
    yield from ("the of", "tbl_Species", "payroll payroll payroll", "BIRDNESTID", "维修データ")
