"""Base models that can be trained on, and those that are refused with words."""

import json

import pytest
from tiny_base import END, TEMPLATE, write_tiny_base

from polaris_search.errors import PolarisError
from polaris_search.llm.model import ChatMessage
from trainer.training.data.preferences import Preference

pytestmark = pytest.mark.train

PAIR = Preference(0, 1, (ChatMessage("user", "A table."),), "A good text.", "bad")


def tokenizer_of(folder):
    from trainer.training.base.model import base_tokenizer
    from trainer.training.base.source import base_source

    return base_tokenizer(base_source(str(folder), folder.parent / "bases"))


def tokens_of(folder):
    from trainer.training.data.lengths import pair_tokens

    base = tokenizer_of(folder)
    return pair_tokens(PAIR, base.tokenizer, base.end_ids)


def test_a_pair_is_counted_in_the_models_tokens_with_the_end_of_each_reply(tiny_base):
    counted = tokens_of(tiny_base)

    asked = len("user\nA table.\nassistant\n") + 3  # the turns' two beginnings and one end
    assert (counted.prompt, counted.chosen, counted.rejected) == (
        asked,
        len("A good text.\n") + 1,
        len("bad\n") + 1,
    )
    assert counted.alike == 0


def test_padding_is_never_the_end_token_so_that_a_model_learns_to_stop(small_base):
    base = tokenizer_of(small_base)

    assert base.tokenizer.pad_token_id not in base.end_ids
    assert base.tokenizer.eos_token_id in base.end_ids


def test_a_reply_is_trained_with_its_end_token_not_masked(small_base):
    from trl.trainer.dpo_trainer import DataCollatorForPreference

    base = tokenizer_of(small_base)
    ids = [
        base.tokenizer.apply_chat_template(messages, tokenize=True, return_dict=True, **how)[
            "input_ids"
        ]
        for messages, how in (
            ([{"role": "user", "content": "t"}], {"add_generation_prompt": True}),
            ([{"role": "user", "content": "t"}, {"role": "assistant", "content": "short"}], {}),
            ([{"role": "user", "content": "t"}, {"role": "assistant", "content": "x " * 9}], {}),
        )
    ]
    prompt, chosen, rejected = ids[0], ids[1][len(ids[0]) :], ids[2][len(ids[0]) :]

    batch = DataCollatorForPreference(base.tokenizer.pad_token_id)(
        [{"prompt_ids": prompt, "chosen_ids": chosen, "rejected_ids": rejected}]
    )

    learned = batch["input_ids"][0][batch["completion_mask"][0].bool()].tolist()
    assert learned == chosen
    assert base.end_ids.intersection(learned)
    assert base.tokenizer.pad_token_id not in learned


def test_a_base_without_a_chat_template_is_refused(tmp_path):
    with pytest.raises(PolarisError, match="has no chat template"):
        tokenizer_of(write_tiny_base(tmp_path / "base", chat_template=None))


def test_a_base_without_an_end_token_is_refused(tmp_path):
    with pytest.raises(PolarisError, match="has no end token"):
        tokenizer_of(write_tiny_base(tmp_path / "base", eos_token=None))


def test_a_base_that_pads_with_its_end_token_is_given_another_or_refused(tmp_path):
    with pytest.raises(PolarisError, match="no padding token other than its end token"):
        tokenizer_of(write_tiny_base(tmp_path / "base", pad_token=END))
    reserved = write_tiny_base(tmp_path / "two", pad_token=None, unk_token="<|pad|>")

    assert tokenizer_of(reserved).tokenizer.pad_token == "<|pad|>"


def test_a_template_that_does_not_end_replies_is_refused(tmp_path):
    endless = TEMPLATE.replace("message['content'] + '<|im_end|>'", "message['content']")

    with pytest.raises(PolarisError, match="would not learn to stop"):
        tokens_of(write_tiny_base(tmp_path / "base", chat_template=endless))


def test_a_template_that_renders_a_prompt_otherwise_before_a_reply_is_refused(tmp_path):
    thinking = TEMPLATE.replace("assistant\\n' }}{% endif", "assistant\\n<think>' }}{% endif")

    with pytest.raises(PolarisError, match="renders a prompt differently once a reply follows"):
        tokens_of(write_tiny_base(tmp_path / "base", chat_template=thinking))


def test_a_base_that_is_not_there_or_no_model_is_refused_with_what_to_name(tmp_path, small_base):
    from trainer.training.base.source import base_source

    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_text("no model")

    for named, reason in (
        (tmp_path / "none", "it is not there"),
        (tmp_path / "text", "it is neither a folder nor a GGUF file"),
        (tmp_path / "empty", "the folder has no config.json"),
    ):
        with pytest.raises(PolarisError, match=rf"{reason}\. Name a folder"):
            base_source(str(named), tmp_path / "bases")


@pytest.mark.parametrize("content", [b"GGUF", b"GGUF" + bytes(4000)])
def test_a_gguf_file_that_is_cut_off_is_refused_and_leaves_nothing(tmp_path, content):
    from trainer.training.base.source import base_source

    (tmp_path / "cut.gguf").write_bytes(content)

    with pytest.raises(PolarisError, match=r"it is cut off or damaged\. Fetch it again"):
        base_source(str(tmp_path / "cut.gguf"), tmp_path / "bases")

    assert [path.name for path in (tmp_path / "bases").iterdir()] == [".lock"]


def test_unpacking_is_said_before_and_takes_away_only_what_a_killed_run_has_left_of_it(tmp_path):
    from trainer.training.base.gguf import _digest
    from trainer.training.base.source import base_source

    gguf = tmp_path / "cut.gguf"
    gguf.write_bytes(b"GGUF")
    (tmp_path / "bases" / f".cut-{_digest(gguf)}.4711").mkdir(parents=True)
    (tmp_path / "bases" / ".foreign").mkdir()
    heard = []

    with pytest.raises(PolarisError):
        base_source(str(gguf), tmp_path / "bases", heard.append)

    assert [one.partition(" into ")[0] for one in heard] == ["Unpacking cut.gguf"]
    assert {path.name for path in (tmp_path / "bases").iterdir()} == {".lock", ".foreign"}


def test_the_bar_of_unpacking_a_gguf_file_is_not_drawn(capsys):
    from transformers import modeling_gguf_pytorch_utils

    from trainer.training.quiet import silence_packages

    silence_packages()
    assert list(modeling_gguf_pytorch_utils.tqdm([1, 2], desc="Converting")) == [1, 2]

    assert capsys.readouterr() == ("", "")


def test_a_gguf_file_becomes_a_folder_once_with_its_chat_template(small_base, tmp_path):
    from polaris_search.llm.local.gguf import find_gguf
    from trainer.training.base.source import base_source

    gguf = find_gguf(None)
    made = base_source(str(small_base), tmp_path).content_hash
    ready = small_base.resolve().parent  # the session's fixture has unpacked it there

    again = base_source(str(gguf), ready)

    assert again.folder.resolve() == small_base.resolve()
    assert (again.content_hash, again.revision) == (made, None)
    assert tokenizer_of(small_base).tokenizer.chat_template


def test_a_base_without_weights_is_refused(tiny_base, tmp_path):
    from trainer.training.base.source import base_source

    (tmp_path / "base").mkdir()
    (tmp_path / "base" / "config.json").write_text((tiny_base / "config.json").read_text())

    with pytest.raises(PolarisError, match="the folder has no weights"):
        base_source(str(tmp_path / "base"), tmp_path / "bases")


def test_a_base_whose_weights_are_cut_off_is_refused_in_words(tmp_path):
    from trainer.training.base.model import base_model
    from trainer.training.base.source import base_source
    from trainer.training.machine import Footing

    folder = write_tiny_base(tmp_path / "base")
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])
    source = base_source(str(folder), tmp_path / "bases")

    with pytest.raises(PolarisError, match="transformers cannot read it"):
        base_model(source, Footing("cpu", False, "float32", "adamw_torch", False), 0)


def test_other_weights_of_the_same_shape_have_another_hash(tmp_path):
    from trainer.training.base.source import base_source

    hashes = [
        base_source(str(write_tiny_base(tmp_path / name, seed=seed)), tmp_path).content_hash
        for name, seed in (("one", 0), ("two", 0), ("three", 1))
    ]

    assert hashes[0] == hashes[1] != hashes[2]


def test_a_model_without_the_seven_projections_is_refused(tiny_base, tmp_path):
    config = json.loads((tiny_base / "config.json").read_text())
    base = write_tiny_base(tmp_path / "base")
    kept = {name: config[name] for name in ("vocab_size",)}
    gpt2 = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_layer": 1, **kept}
    (base / "config.json").write_text(json.dumps(gpt2))

    with pytest.raises(PolarisError, match="do not have the projections to adapt"):
        tokenizer_of(base)
