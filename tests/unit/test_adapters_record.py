"""The record of a training run: what is written is read, and what lacks something is told."""

import json

import pytest
from peft_folder import record

from trainer.adapters.record import RecordInvalid, read_record, write_record


def test_a_record_is_read_as_it_was_written(tmp_path):
    written = record("night-1", parent="night-0", reference="night-0", judgments_hash="j")

    write_record(tmp_path, written)

    assert read_record(tmp_path) == written


def test_what_a_later_version_adds_is_passed_over(tmp_path):
    path = write_record(tmp_path, record("night-1"))
    path.write_text(json.dumps(json.loads(path.read_text()) | {"colour": "red"}))

    assert read_record(tmp_path) == record("night-1")


@pytest.mark.parametrize("missing", ["name", "made_at", "pairs_hash", "seed"])
def test_a_record_that_lacks_something_is_refused_by_what_it_lacks(tmp_path, missing):
    path = write_record(tmp_path, record("night-1"))
    document = json.loads(path.read_text())
    del document[missing]
    path.write_text(json.dumps(document))

    with pytest.raises(RecordInvalid, match=rf"not complete .*{missing}"):
        read_record(tmp_path)


@pytest.mark.parametrize("text", ["", "[]", "{", "null"])
def test_a_file_that_is_no_record_is_refused(tmp_path, text):
    (tmp_path / "record.json").write_text(text)

    with pytest.raises(RecordInvalid):
        read_record(tmp_path)


def test_a_folder_without_a_record_is_told_who_writes_one(tmp_path):
    with pytest.raises(RecordInvalid, match="polaris-admin train"):
        read_record(tmp_path)
