"""About how many tables there are to read, told by a short look."""

import json

import pytest

from ingest.readers import extent
from ingest.readers.extent import estimated_tables


def catalogue(rows):
    header = "table_id,table_name,column_names,table_context\n"
    return header + "".join(f't{number},n,"[""a""]","{context}"\n' for number, context in rows)


def test_the_rows_of_a_small_catalogue_are_counted_line_breaks_in_a_text_or_not(tmp_path):
    path = tmp_path / "metadata.csv"
    path.write_text(catalogue((number, "two\nlines") for number in range(50)))

    assert estimated_tables([str(path)]) == 50
    assert estimated_tables([str(tmp_path)]) == 50  # the folder's catalogue is all of it


def test_a_catalogue_cut_by_another_delimiter_is_counted_too(tmp_path):
    path = tmp_path / "metadata.csv"
    rows = "".join(f't{number};n;"[""a,b\nc""]"\n' for number in range(20))
    path.write_text("table_id;table_name;column_names\n" + rows)

    assert estimated_tables([str(path)]) == 20


def test_several_sources_are_added_up_and_a_file_of_data_is_one_table(tmp_path):
    lines = tmp_path / "a.jsonl"
    lines.write_text('{"table_id": "a"}\n' * 30)
    data = tmp_path / "orders.csv"
    data.write_text("id,price\n1,2\n3,4\n")

    assert estimated_tables([str(lines), str(data)]) == 31


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_a_large_catalogue_is_told_within_a_tenth_from_a_sample(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr(extent, "SAMPLE_BYTES", 8_000)
    path = tmp_path / f"tables.{suffix}"
    if suffix == "jsonl":
        lines = (json.dumps({"table_id": f"t{n}", "note": "x" * (n // 20)}) for n in range(3_000))
        path.write_text("\n".join(lines) + "\n")  # rows grow along the file
    else:
        path.write_text(catalogue((number, 20 * "x") for number in range(3_000)))

    assert path.stat().st_size > 10 * extent.SAMPLE_BYTES
    assert estimated_tables([str(path)]) == pytest.approx(3_000, rel=0.1)


def test_what_would_have_to_be_read_first_is_not_told(tmp_path):
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "a.csv").write_text("x\n")

    assert estimated_tables([str(tmp_path / "deep")]) is None
    assert estimated_tables(["sqlite:////no/such.db"]) is None
    assert estimated_tables([str(tmp_path / "absent.jsonl")]) is None
    assert estimated_tables([str(tmp_path / "deep"), "sqlite://"]) is None


def test_an_empty_file_holds_nothing(tmp_path):
    (tmp_path / "a.jsonl").write_text("")

    assert estimated_tables([str(tmp_path / "a.jsonl")]) == 0
