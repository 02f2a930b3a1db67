"""The file that candidates are sampled into: whole lines, one process at a time."""

import pytest

from polaris_search.evaluate.written import NotWritten
from polaris_search.experiments.candidate_file import CHUNK_BYTES, AnotherSamples, candidate_file

LINE = '{"table_id": "birds", "candidates": [{"text": "gulls"}]}\n'


@pytest.mark.parametrize("half", ["", '{"table_id": "sh', "x" * (CHUNK_BYTES + 1)])
def test_half_a_line_of_a_killed_run_is_cut_off_and_nothing_else(tmp_path, half):
    path = tmp_path / "made.jsonl"
    path.write_text(LINE + half)

    with candidate_file(path) as file:
        there = file.read()
        file.append("ships", [{"text": "vessels ⚓"}])

    assert list(there) == ["birds"]
    assert path.read_text() == LINE + (
        '{"table_id": "ships", "candidates": [{"text": "vessels ⚓"}]}\n'
    )


def test_a_file_of_half_a_line_alone_begins_anew(tmp_path):
    path = tmp_path / "made.jsonl"
    path.write_text("x" * (2 * CHUNK_BYTES + 7))

    with candidate_file(path) as file:
        assert file.read() == {}

    assert path.read_text() == ""


def test_two_runs_do_not_write_one_file(tmp_path):
    path = tmp_path / "deep" / "made.jsonl"

    with (
        candidate_file(path),
        pytest.raises(AnotherSamples, match="choose another --out"),
        candidate_file(path),
    ):
        pass

    with candidate_file(path) as file:
        assert file.read() == {}


def test_a_path_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(NotWritten, match="Is a directory"), candidate_file(tmp_path):
        pass
