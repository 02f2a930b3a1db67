"""The example tables are what their README says: whole, licensed, derived by rule, free of data."""

import csv
import json
from pathlib import Path

import pytest

from examples.catalogs import catalog_columns, catalog_title
from examples.demo_rule import cryptic_share, demo_tables
from examples.derive import derive_queries, first_sentence, title_text
from examples.documented import Documented
from examples.headers import column_names
from examples.notes import definitions_in_note

EXAMPLES = Path(__file__).parents[2] / "examples"
FOLDERS = ["tables", "demo"]
HEADER = {
    "metadata.csv": "table_id table_name column_names table_context "
    "source database schema format language",
    "queries.csv": "query_id query",
    "qrels.csv": "query_id table_id relevance_score",
}


def rows(folder: str, file: str) -> list[dict[str, str]]:
    with (EXAMPLES / folder / file).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, strict=True))


def queries(folder: str) -> dict[str, str]:
    return {row["query_id"]: row["query"] for row in rows(folder, "queries.csv")}


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("file", HEADER)
def test_each_file_has_its_columns_and_no_others(folder: str, file: str) -> None:
    assert {" ".join(row) for row in rows(folder, file)} == {HEADER[file]}


@pytest.mark.parametrize("folder", FOLDERS)
def test_metadata_holds_names_and_no_rows_of_data(folder: str) -> None:
    for row in rows(folder, "metadata.csv"):
        names, context = json.loads(row["column_names"]), json.loads(row["table_context"])

        assert len(names) >= 2
        assert all(isinstance(name, str) and name.strip() for name in names)
        assert set(context) <= {"package", "category", "system", "schema"}
    assert {path.name for path in (EXAMPLES / folder).iterdir()} == set(HEADER)


@pytest.mark.parametrize("folder", FOLDERS)
def test_ids_are_unique_and_texts_are_there(folder: str) -> None:
    table_ids = [row["table_id"] for row in rows(folder, "metadata.csv")]
    query_ids = [row["query_id"] for row in rows(folder, "queries.csv")]

    assert len(table_ids) == len(set(table_ids))
    assert len(query_ids) == len(set(query_ids))
    assert all(queries(folder).values())


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_query_has_an_answer_and_every_answer_a_query_and_a_table(folder: str) -> None:
    pairs = [(row["query_id"], row["table_id"]) for row in rows(folder, "qrels.csv")]

    assert len(pairs) == len(set(pairs))
    assert {query_id for query_id, _ in pairs} == set(queries(folder))
    assert {table_id for _, table_id in pairs} <= {
        row["table_id"] for row in rows(folder, "metadata.csv")
    }
    assert {row["relevance_score"] for row in rows(folder, "qrels.csv")} == {"1"}


def test_a_query_is_answered_by_the_table_that_its_id_names() -> None:
    answers = {(row["query_id"], row["table_id"]) for row in rows("tables", "qrels.csv")}
    table_ids = {row["table_id"] for row in rows("tables", "metadata.csv")}

    for query_id in queries("tables"):
        named = query_id.split(".", 1)[1]
        own = {table_id for table_id in table_ids if f"{named}.".startswith(f"{table_id}.")}
        assert any((query_id, table_id) in answers for table_id in own), query_id


def test_no_title_query_stands_in_the_metadata() -> None:
    text = (EXAMPLES / "tables/metadata.csv").read_text(encoding="utf-8").casefold()

    told = [
        query
        for query in queries("tables").values()
        if len(query.split()) > 2 and query.casefold() in text
    ]

    assert told == []


def test_demo_is_part_of_tables() -> None:
    for file in HEADER:
        whole = [tuple(row.values()) for row in rows("tables", file)]
        part = [tuple(row.values()) for row in rows("demo", file)]

        assert part == [row for row in whole if row in set(part)]
    assert 12 <= len(rows("demo", "metadata.csv")) <= 16


def test_demo_has_every_query_that_its_tables_answer() -> None:
    demo = {row["table_id"] for row in rows("demo", "metadata.csv")}

    answered = [row for row in rows("tables", "qrels.csv") if row["table_id"] in demo]

    assert rows("demo", "qrels.csv") == answered


def test_rule_picks_the_demo_again_from_the_tables() -> None:
    metadata = rows("tables", "metadata.csv")

    chosen = demo_tables(
        {row["table_id"]: json.loads(row["column_names"]) for row in metadata},
        {row["table_id"]: row["source"] for row in metadata},
        queries("tables"),
    )

    assert [row["table_id"] for row in rows("demo", "metadata.csv")] == chosen


def test_readme_names_each_source_with_its_count_and_its_licence() -> None:
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    sources = [row["source"] for row in rows("tables", "metadata.csv")]
    lines = {
        line.split("|")[1].strip(" `"): line
        for line in readme.splitlines()
        if "licences/" in line and "|" in line
    }

    for source in set(sources):
        licence = EXAMPLES / f"licences/{source}.txt"
        assert f"(licences/{licence.name})" in lines[source]
        assert f"| {sources.count(source)} |" in lines[source]
        assert "copyright (c)" in licence.read_text(encoding="utf-8").casefold()
    assert f"Metadata of {len(sources)} real tables" in readme
    assert f"and {len(queries('tables'))} queries" in readme


def test_readme_shows_every_file() -> None:
    tree = (EXAMPLES / "README.md").read_text(encoding="utf-8").split("```")[1]

    shown = {
        path.name for path in EXAMPLES.iterdir() if path.name not in {"__init__.py", "__pycache__"}
    }

    assert all(f" {name}" in tree for name in shown)


def test_readme_names_the_versions_that_the_build_reads() -> None:
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    pins = [
        line for line in (EXAMPLES / "requirements.txt").read_text().splitlines() if "==" in line
    ]

    assert len(pins) == 5
    assert all(pin.replace("==", " ") in readme for pin in pins)


def test_texts_become_queries_by_the_stated_rules() -> None:
    assert title_text("Data on avocado sales") == "avocado sales"
    assert title_text("U.S. Strike Duration Data") == "U.S. Strike Duration"
    assert first_sentence("Real income (Bil. of chained 2005 US$). See below.") == "Real income"
    assert (
        first_sentence("Shut\n   down in the snapshot. Only if committable.")
        == "Shut down in the snapshot"
    )


def documented(name: str, title: str, definitions: dict[str, str]) -> Documented:
    return Documented("s", name, tuple(definitions), {}, "s", "", "csv", title, definitions)


def test_answers_are_all_tables_whose_text_has_the_words_of_the_query() -> None:
    tables = [
        documented("a", "Job training programs", {"re74": "Real earnings in 1974", "age": "Age"}),
        documented("b", "Simulated job training programs", {"e": "In 1974, the real earnings"}),
        documented("c", "Data from Fetter (2013)", {"educ": "educ in years of school"}),
    ]

    derived = {query.query_id: query.answers for query in derive_queries(tables)}

    assert derived == {
        "title.s.a": ("s.a", "s.b"),
        "title.s.b": ("s.b",),
        "column.s.a.re74": ("s.a", "s.b"),  # b's definition has the same words: one query for both
    }


def test_share_of_cryptic_columns_counts_names_with_an_unknown_long_part() -> None:
    # Unknown: hoval, PctBach's "bach". Known: age. Too short to count: x.
    assert cryptic_share(["HOVAL", "PctBach", "AGE_90", "X"], {"pct", "age"}) == 2 / 4


def test_definitions_are_found_for_real_columns_alone() -> None:
    note = """
        Number of variables - 3
        PID - Party of the
            respondent.
            0 - Strong Democrat
        age : Age in years
    violent
        Rate of crimes
    """

    found = definitions_in_note(note, ("PID", "Age", "violent"))

    assert found == {
        "PID": "Party of the respondent.",
        "Age": "Age in years",
        "violent": "Rate of crimes",
    }


def test_catalog_columns_keep_their_own_comments() -> None:
    header = """/*
 *      definition of the "attribute defaults" system catalog (pg_attrdef)
 */
CATALOG(pg_attrdef,2604,AttrDefaultRelationId)
{
    Oid            oid;            /* oid */

    /* a remark that stands alone */

    Oid            adrelid BKI_LOOKUP(pg_class);    /* OID of table containing
                                                 * attribute */
    /* number of the attribute */
    int16        adnum BKI_DEFAULT(0);
    int16        adnone[1];
} FormData_pg_attrdef;
"""

    assert catalog_title(header) == "attribute defaults"
    assert catalog_columns(header) == {
        "oid": "oid",
        "adrelid": "OID of table containing attribute",
        "adnum": "number of the attribute",
        "adnone": "",
    }


def test_names_come_from_the_header_of_a_file(tmp_path: Path) -> None:
    plain = tmp_path / "a.csv"
    plain.write_text("\ufeff'popul'\t'TVnews'\n1\t2\n", encoding="utf-8")
    dbf = tmp_path / "b.dbf"
    dbf.write_bytes(bytes(8) + (32 + 2 * 32 + 1).to_bytes(2, "little") + bytes(22))
    with dbf.open("ab") as file:
        file.write(b"HOVAL".ljust(32, b"\0") + b"INC".ljust(32, b"\0") + b"\r")
    stata = tmp_path / "c.dta"
    name = b"re74".ljust(129, b"\0")
    stata.write_bytes(
        b"<stata_dta><header><release>118</release></header><varnames>" + name + b"</varnames>"
    )

    assert column_names(plain) == ("popul", "TVnews")
    assert column_names(dbf) == ("HOVAL", "INC")
    assert column_names(stata) == ("re74",)
