"""The file of a side's texts, whatever a kill left of it, and the tables that are described."""

import pytest
from gate_world import World, table_id

from ingest.steps import NoExpander
from polaris_search.evaluate.gate.descriptions import Written
from polaris_search.evaluate.written import NotWritten
from polaris_search.experiments.gate.corpus import gate_corpus
from polaris_search.experiments.gate.texts_file import TextsFile

WRITTEN = Written("name: x\ncolumns: ü", True, False, 2, ("a", "b", "c", "d", "e", "f"))
FAILED = Written("name: y", False, True, 6)


def test_what_was_appended_is_read_again(tmp_path):
    path = tmp_path / "texts" / "side.jsonl"

    with TextsFile(path) as file:
        file.append(("t1", "h1"), WRITTEN)
        file.append(("t2", "h2"), FAILED)
    with TextsFile(path) as file:
        found = file.read()

    assert found == {("t1", "h1"): WRITTEN, ("t2", "h2"): FAILED}


@pytest.mark.parametrize("kept", range(1, 40, 6))
def test_half_a_line_of_a_killed_process_is_not_read_and_harms_no_later_line(tmp_path, kept):
    path = tmp_path / "side.jsonl"
    with TextsFile(path) as file:
        file.append(("t1", "h1"), WRITTEN)
        whole = path.read_bytes()
        file.append(("t2", "h2"), FAILED)
    path.write_bytes(path.read_bytes()[: len(whole) + kept])

    with TextsFile(path) as file:
        before = file.read()
        file.append(("t3", "h3"), FAILED)
        after = file.read()

    assert before == {("t1", "h1"): WRITTEN}
    assert after == before | {("t3", "h3"): FAILED}


def test_lines_that_are_none_are_passed_over(tmp_path):
    path = tmp_path / "side.jsonl"
    path.write_text('3\n{"table_id": "t"}\n[]\n{"table_id": "t", "of": "h", "texts": ["one"]}\n')

    with TextsFile(path) as file:
        assert file.read() == {}


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")

    with pytest.raises(NotWritten, match="could not be written"):
        TextsFile(tmp_path / "file" / "side.jsonl").__enter__()


def corpus_ids(folder, asked_for, sample):
    corpus = gate_corpus(folder, asked_for, NoExpander(), sample)
    return [one.raw.table_id for one in corpus.tables]


def test_a_sample_holds_what_is_asked_for_and_the_same_others_each_time(tmp_path):
    folder = World(n_tables=50).folder(tmp_path)
    asked_for = {table_id(3), table_id(44)}

    found = corpus_ids(folder, asked_for, 10)

    assert len(found) == 10
    assert asked_for < set(found)
    assert found == sorted(found) == corpus_ids(folder, asked_for, 10)


def test_a_larger_sample_holds_the_smaller_one(tmp_path):
    folder = World(n_tables=50).folder(tmp_path)

    assert set(corpus_ids(folder, [], 10)) < set(corpus_ids(folder, [], 20))


def test_a_sample_is_never_smaller_than_what_is_asked_for(tmp_path):
    folder = World(n_tables=50).folder(tmp_path)

    assert len(corpus_ids(folder, [table_id(n) for n in range(30)], 10)) == 30


def test_without_a_sample_all_tables_are_there_and_what_is_missing_is_said(tmp_path):
    folder = World(n_tables=50).folder(tmp_path)
    with (folder / "metadata.csv").open("a") as file:
        file.write(',no id,"[]"\n')

    corpus = gate_corpus(folder, [table_id(1), "t999"], NoExpander(), None)

    assert len(corpus.tables) == 50
    assert corpus.notices == (
        "1 rows of metadata.csv were not taken.",
        "1 relevant tables are not in metadata.csv; they count as not found.",
    )
