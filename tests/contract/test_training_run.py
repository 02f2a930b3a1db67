"""A run from pairs to the adapter's folder, on a tiny base with random weights."""

import hashlib
import json
from dataclasses import replace

import pytest
from training_listener import Heard, Stops, request_of, rows_of, run, weights_of
from training_pairs import pair, pair_of, write_pairs

from polaris_search.errors import PolarisError

pytestmark = pytest.mark.train


@pytest.fixture
def pairs(tmp_path):
    return write_pairs(tmp_path / "pairs.jsonl", map(pair_of, range(20)))


def test_an_adapter_comes_with_its_record_metrics_and_curves_and_nothing_else(
    tiny_base, pairs, tmp_path
):
    heard = Heard()

    trained = run(request_of(pairs, tiny_base, tmp_path / "out", tmp_path), heard)

    assert sorted(path.name for path in trained.folder.iterdir()) == [
        "adapter_config.json",
        "adapter_model.safetensors",
        "curves.png",
        "metrics.jsonl",
        "record.json",
    ]
    rows = rows_of(trained.folder)
    assert [row["step"] for row in rows] == [1, 2, 3, 4, 5]
    assert [(step, total) for step, total, _ in heard.steps] == [(n, 5) for n in range(1, 6)]
    assert rows[0]["margin"] == 0.0 < rows[-1]["margin"]
    assert (trained.folder / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert heard.references[-1] == (20, 20)
    assert "Training with float32 weights and plain AdamW on the CPU." in heard.sentences
    assert "There is no warm-up" in heard.said


def test_the_record_says_what_the_adapter_was_made_from(tiny_base, pairs, tmp_path):
    from trainer.adapters.layout import checked_adapter
    from trainer.adapters.record import read_record

    trained = run(request_of(pairs, tiny_base, tmp_path / "out", tmp_path))

    record = read_record(trained.folder)
    assert record.pairs_hash == hashlib.sha256(pairs.read_bytes()).hexdigest()
    assert (record.base_model, record.base_revision) == ("tiny", None)
    assert (record.reference, record.parent, record.device) == ("base", None, "CPU")
    assert record.pairs == {
        "read": 20,
        "trained": 18,
        "held_out": 2,
        "cut": 0,
        "dropped": 0,
        "groups": 20,
        "max_length": record.pairs["max_length"],
    }
    assert record.settings["rank"] == record.settings["alpha"] == 4
    assert record.packages["trl"].startswith("1.16.")
    assert record.name.startswith("polaris-desc-20")
    adapter = checked_adapter(trained.folder)
    assert (adapter.rank, adapter.base_model) == (4, "tiny")
    assert str(tmp_path) not in (trained.folder / "adapter_config.json").read_text()


def test_the_same_command_again_does_nothing_and_another_one_is_refused(tiny_base, pairs, tmp_path):
    request = request_of(pairs, tiny_base, tmp_path / "out", tmp_path)
    first = run(request)

    again = run(request)

    assert (again.again, again.record) == (True, first.record)
    other = replace(request, settings=replace(request.settings, beta=0.2))
    with pytest.raises(PolarisError, match=r"differs in beta \(0\.1, now 0\.2\)"):
        run(other)


def test_a_folder_with_other_files_is_refused_and_left_alone(tiny_base, pairs, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "thesis.txt").write_text("mine")

    with pytest.raises(PolarisError, match=r"holds other files \(thesis.txt\)"):
        run(request_of(pairs, tiny_base, out, tmp_path))

    assert [path.name for path in out.iterdir()] == ["thesis.txt"]


def test_a_folder_that_cannot_be_made_is_told_in_words(tiny_base, pairs, tmp_path):
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(PolarisError, match="cannot be written or read"):
        run(request_of(pairs, tiny_base, tmp_path / "file" / "out", tmp_path))


def test_without_out_the_adapter_is_a_candidate_of_the_registry(tiny_base, pairs, tmp_path):
    from trainer.adapters.registry import Registry

    trained = run(request_of(pairs, tiny_base, None, tmp_path))

    entries = Registry(tmp_path).entries()
    assert [(one.name, one.state) for one in entries] == [(trained.record.name, "candidate")]
    assert list((tmp_path / "training").iterdir()) == []


def test_two_runs_with_the_same_seed_give_the_same_weights_and_another_seed_others(
    tiny_base, pairs, tmp_path
):
    made = [
        run(request_of(pairs, tiny_base, tmp_path / name, tmp_path, seed=seed)).folder
        for name, seed in (("one", 1), ("two", 1), ("three", 2))
    ]

    one, two, three = map(weights_of, made)
    assert one == two != three


def test_from_current_begins_from_the_adapter_in_use_and_saves_no_copy_of_it(
    tiny_base, pairs, tmp_path
):
    from trainer.adapters.promotion import decision, promote
    from trainer.adapters.registry import Registry

    night = run(request_of(pairs, tiny_base, None, tmp_path))
    registry = Registry(tmp_path)
    promote(registry, night.record.name, decision(registry, force="a test"))
    request = request_of(pairs, tiny_base, tmp_path / "out", tmp_path)

    from_base = run(replace(request, out=tmp_path / "base"))
    with pytest.raises(KeyboardInterrupt):
        run(replace(request, from_current=True), Stops(4))
    assert not list((tmp_path / "out").rglob("ref"))  # nor in a checkpoint, which is gone on from
    from_current = run(replace(request, from_current=True))
    whole = run(replace(request, from_current=True, out=tmp_path / "whole"))

    assert (from_base.record.reference, from_base.record.parent) == ("base", None)
    assert from_current.record.reference == from_current.record.parent == night.record.name
    assert not list(from_current.folder.rglob("ref*"))
    # measured against the adapter that it began from: the first margin is none
    assert rows_of(from_current.folder)[0]["margin"] == pytest.approx(0.0, abs=1e-5)
    assert weights_of(from_base.folder) == weights_of(night.folder)
    assert weights_of(from_current.folder) == weights_of(whole.folder) != weights_of(night.folder)


def test_from_current_without_an_adapter_in_use_is_refused(tiny_base, pairs, tmp_path):
    request = request_of(pairs, tiny_base, tmp_path / "out", tmp_path)

    with pytest.raises(PolarisError, match="none is"):
        run(replace(request, from_current=True))


def test_a_prompt_longer_than_max_length_is_skipped_counted_and_named(tiny_base, pairs, tmp_path):
    long = pair("word " * 300, "a good text", "bad")
    write_pairs(pairs, [*map(pair_of, range(12)), long])
    heard = Heard()

    trained = run(request_of(pairs, tiny_base, tmp_path / "out", tmp_path, max_length=400), heard)

    counts = trained.record.pairs
    assert (counts["read"], counts["dropped"], counts["trained"] + counts["held_out"]) == (
        13,
        1,
        12,
    )
    assert (
        "1 pairs dropped: the prompt alone has the limit of 400 tokens or more (lines 13)."
        in heard.sentences
    )
    losses = [step["loss"] for _, _, step in heard.steps]
    assert all(0 < loss < 2 for loss in losses)


@pytest.mark.parametrize("place", ["prompt", "chosen", "rejected"])
def test_a_pair_with_a_control_token_in_a_text_is_skipped_counted_and_named(
    tiny_base, pairs, tmp_path, place
):
    texts = {"prompt": "Table a.", "chosen": "a good text", "rejected": "bad"}
    texts[place] += "<|im_end|>\n<|im_start|>user"
    write_pairs(pairs, [*map(pair_of, range(12)), pair(*texts.values())])
    heard = Heard()

    trained = run(request_of(pairs, tiny_base, tmp_path / "out", tmp_path), heard)

    assert trained.record.pairs["dropped"] == 1
    said = [one for one in heard.sentences if "does not read as text" in one]
    assert len(said) == 1
    assert said[0].endswith("(lines 13).")


def test_a_reply_longer_than_max_length_is_cut_counted_and_named(tiny_base, pairs, tmp_path):
    long = pair("Table a.", "a good text " * 100, "bad")
    write_pairs(pairs, [*map(pair_of, range(12)), long])
    heard = Heard()

    trained = run(request_of(pairs, tiny_base, tmp_path / "out", tmp_path, max_length=400), heard)

    assert (trained.record.pairs["cut"], trained.record.pairs["dropped"]) == (1, 0)
    assert (
        "1 pairs cut: a reply is cut at the limit of 400 tokens and loses its end (lines 13)."
        in heard.sentences
    )


def test_by_default_nothing_is_cut_however_long_it_is(tiny_base, pairs, tmp_path):
    write_pairs(pairs, [*map(pair_of, range(12)), pair("word " * 300, "good " * 80, "bad")])

    trained = run(request_of(pairs, tiny_base, tmp_path / "out", tmp_path))

    counts = trained.record.pairs
    assert (counts["cut"], counts["dropped"]) == (0, 0)
    assert counts["max_length"] > 1900


def test_too_few_usable_pairs_are_refused_with_why_others_are_not(tiny_base, pairs, tmp_path):
    write_pairs(pairs, [*map(pair_of, range(7)), pair("p", "same", "same")])

    with pytest.raises(PolarisError) as refused:
        run(request_of(pairs, tiny_base, tmp_path / "out", tmp_path))

    assert "7 pairs can be used, fewer than --min-pairs 8" in str(refused.value)
    assert "line 8: chosen and rejected are the same text" in str(refused.value)


def test_no_query_is_both_trained_on_and_held_out(tiny_base, pairs, tmp_path):
    queries = [{"queries": [f"q{number // 4}"]} for number in range(20)]
    record = {"judgments_hash": "j1", "pairs": queries}
    pairs.with_name("pairs.jsonl.record.json").write_text(json.dumps(record))

    trained = run(request_of(pairs, tiny_base, tmp_path / "out", tmp_path, held_out=0.2))

    assert trained.record.judgments_hash == "j1"
    counts = trained.record.pairs
    assert (counts["groups"], counts["held_out"], counts["trained"]) == (5, 4, 16)


def test_more_epochs_are_more_steps_and_ask_the_reference_once(tiny_base, pairs, tmp_path):
    heard = Heard()

    trained = run(request_of(pairs, tiny_base, tmp_path / "out", tmp_path, epochs=3), heard)

    assert trained.record.metrics["steps"] == len(heard.steps) == 15
    assert len(heard.references) == 20
    assert heard.steps[0][2]["learning_rate"] == 0.0  # ten steps and more have a warm-up


# On a CPU bitsandbytes has no autograd of its own for one of its kernels; on a GPU it has.
@pytest.mark.filterwarnings("ignore:bitsandbytes..gemv_4bit:UserWarning")
def test_the_papers_weights_and_optimizer_train_and_the_adapter_stays_float32(
    tiny_base, pairs, tmp_path
):
    """NF4 and 8-bit AdamW, as on a GPU; on a CPU the product itself chooses neither."""
    from safetensors.numpy import load_file

    from trainer.training.attempt import attempt
    from trainer.training.folder.run_folder import RunFolder
    from trainer.training.machine import Footing
    from trainer.training.run import make_ready

    heard = Heard()
    ready = make_ready(request_of(pairs, tiny_base, None, tmp_path), heard)
    four_bit = Footing("cpu", four_bit=True, dtype="float32", optimizer="adamw_8bit", mixed=False)
    run_folder = RunFolder(tmp_path / "run")
    run_folder.begin({})

    folder, _ = attempt(replace(ready, footing=four_bit), run_folder, heard, None)

    weights = load_file(folder / "adapter_model.safetensors")
    assert {str(one.dtype) for one in weights.values()} == {"float32"}
    assert len(weights) == 2 * 7 * 2  # A and B of seven projections in two layers
    assert heard.steps[-1][2]["loss"] < heard.steps[0][2]["loss"]
