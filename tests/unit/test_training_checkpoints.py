import json

import pytest

from trainer.training.folder.checkpoints import is_whole, last_whole, mark_whole
from trainer.training.folder.run_folder import RunFolder, held
from trainer.training.problems import TrainingRefused


def checkpoint(folder, step, *, whole=True):
    made = folder / f"checkpoint-{step}"
    made.mkdir(parents=True)
    (made / "adapter_model.safetensors").write_bytes(b"weights" * step)
    (made / "optimizer.pt").write_bytes(b"moments" * step)
    if whole:
        mark_whole(made)
    return made


def cut(path):
    path.write_bytes(path.read_bytes()[:-1])


def changed(path):
    path.write_bytes(b"X" + path.read_bytes()[1:])


def removed(path):
    path.unlink()


def test_the_newest_whole_checkpoint_counts_by_number_and_not_by_name(tmp_path):
    for step in (2, 9, 10):
        checkpoint(tmp_path, step)

    assert last_whole(tmp_path).name == "checkpoint-10"


def test_a_checkpoint_without_its_mark_is_removed_and_the_one_before_counts(tmp_path):
    checkpoint(tmp_path, 4)
    half = checkpoint(tmp_path, 8, whole=False)

    assert last_whole(tmp_path).name == "checkpoint-4"
    assert not half.exists()


@pytest.mark.parametrize("harm", [cut, changed, removed])
@pytest.mark.parametrize("name", ["adapter_model.safetensors", "optimizer.pt"])
def test_a_checkpoint_that_was_damaged_later_is_not_whole(tmp_path, harm, name):
    made = checkpoint(tmp_path, 4)

    harm(made / name)

    assert not is_whole(made)
    assert last_whole(tmp_path) is None


def test_where_nothing_was_saved_there_is_no_checkpoint(tmp_path):
    assert last_whole(tmp_path / "none") is None


def test_metrics_after_the_checkpoint_are_forgotten_and_half_a_line_too(tmp_path):
    run = RunFolder(tmp_path)
    checkpoint(run.checkpoints, 2)
    rows = [json.dumps({"step": step}) + "\n" for step in (1, 2, 3)]
    run.metrics.write_text("".join(rows) + '{"step": 4, "lo')

    run.checkpoint()

    assert run.metrics.read_text() == rows[0] + rows[1]


def test_the_same_run_goes_on_in_its_folder(tmp_path):
    RunFolder(tmp_path / "training").begin({"pairs": "a", "rank": 8})
    RunFolder(tmp_path / "training").begin({"pairs": "a", "rank": 8})


def test_another_run_is_refused_with_what_differs(tmp_path):
    RunFolder(tmp_path / "training").begin({"pairs": "a" * 64, "rank": 8, "beta": 0.1})

    with pytest.raises(TrainingRefused) as refused:
        RunFolder(tmp_path / "training").begin({"pairs": "b" * 64, "rank": 4, "beta": 0.1})

    said = "differs in pairs (aaaaaaaaaaaa, now bbbbbbbbbbbb), rank (8, now 4)."
    assert said in str(refused.value)
    assert str(tmp_path) in str(refused.value)


def test_only_one_process_at_a_time_trains_into_a_folder(tmp_path):
    with (
        held(tmp_path / "out"),
        pytest.raises(TrainingRefused, match="Another process trains into"),
        held(tmp_path / "out"),
    ):
        pass

    with held(tmp_path / "out"):
        pass
