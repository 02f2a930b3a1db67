"""What the shared prompt takes for granted of trl, beside what trl documents.

A failure here says which file to read before the version of trl is raised.
"""

import inspect

import pytest

pytestmark = [
    pytest.mark.train,
    # trl 1.16 uses names that transformers 5.24 has deprecated.
    pytest.mark.filterwarnings("ignore:`.*gradient_checkpointing.*` is deprecated:FutureWarning"),
]

READ = "read trainer/training/shared_prompt/"


@pytest.fixture
def steps():
    import preference_steps

    return preference_steps


@pytest.fixture
def plain(steps, tmp_path):
    """trl's own trainer, and what its model's layers are called with, newest last."""
    from trl import DPOTrainer

    trainer = DPOTrainer(
        model=steps.random_llama(),
        args=steps.settings(tmp_path, per_device_train_batch_size=2),
        train_dataset=steps.pairs_of([steps.Lengths(6, 4, 2), steps.Lengths(3, 2, 5)]),
        processing_class=steps.word_tokenizer(),
        peft_config=steps.RANDOM_ADAPTER,
    )
    calls = []
    trainer.model.get_base_model().base_model.register_forward_pre_hook(
        lambda _, given, named: calls.append((given, named)), with_kwargs=True
    )
    return trainer, calls


def test_trl_hands_what_it_does_not_know_of_a_batch_to_the_layers(plain):
    trainer, calls = plain
    batch = next(iter(trainer.get_train_dataloader()))

    trainer.compute_loss(trainer.model, batch | {"position_ids": None, "shared_prompt_row": None})

    assert len(calls) == 2, f"trl no longer runs policy and reference once each: {READ}backbone.py"
    for given, named in calls:
        assert not given, f"trl now passes arguments by position: {READ}backbone.py"
        assert "shared_prompt_row" in named, (
            f"trl no longer hands unknown keys of a batch to the layers: {READ}collator.py"
        )


def test_a_batch_of_trl_has_the_keys_and_the_order_of_rows_that_ours_has():
    from trl.trainer.dpo_trainer import DataCollatorForPreference

    from trainer.training.shared_prompt.collator import SharedPromptCollator

    pair = {"prompt_ids": [1, 2], "chosen_ids": [3], "rejected_ids": [4]}
    theirs, ours = DataCollatorForPreference(0)([pair]), SharedPromptCollator(None)([pair])

    assert ours.keys() - theirs.keys() == {"shared_prompt_row"}, (
        f"trl's batches have other keys now, {sorted(theirs)}: {READ}collator.py"
    )
    assert theirs["input_ids"][:, -1].tolist() == [3, 4], (
        f"trl no longer puts chosen replies first: {READ}packed_row.py"
    )


def test_trl_scores_a_token_by_the_output_before_it(plain):
    import torch

    trainer, _ = plain
    model = trainer.model.get_base_model()
    ids = torch.tensor([[5, 6, 7, 8]])

    scored = model(input_ids=ids, labels=ids, fused_lm_head=True).log_probs
    by_hand = model(input_ids=ids).logits.log_softmax(-1)[:, :-1].gather(-1, ids[:, 1:, None])

    assert torch.allclose(scored, by_hand[..., 0], atol=1e-5), (
        f"trl pairs outputs with other tokens now: {READ}collator.py"
    )


def test_the_head_cuts_the_vocabulary_as_it_is_told(steps):
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from trl.trainer import utils

    from trainer.training.shared_prompt.head import PROCESSOR_TILE, tiles_for

    widths = set()

    class Widths(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, given=(), named=None):
            result = function(*given, **(named or {}))
            if "mm" in function.__name__:
                widths.add(result.shape[-1])
            return result

    vocabulary = 2 * PROCESSOR_TILE + 100
    model = steps.random_llama(vocab_size=vocabulary)
    utils.add_fused_lm_head(model)
    ids = torch.tensor([[5, 6, 7]])
    with Widths(), tiles_for(torch.device("cpu")):
        model(input_ids=ids, labels=ids, fused_lm_head=True)

    assert {PROCESSOR_TILE, 100} <= widths, f"trl's head has other tiles now: {READ}head.py"
    assert max(widths) == PROCESSOR_TILE


def test_tiles_are_trls_own_again_after_a_failure():
    import torch
    from trl.trainer import utils

    from trainer.training.shared_prompt.head import tiles_for

    before = utils._CHUNKED_LOGPROB_CHUNK_SIZE
    with pytest.raises(RuntimeError), tiles_for(torch.device("cpu")):
        raise RuntimeError

    assert before == utils._CHUNKED_LOGPROB_CHUNK_SIZE


def test_a_gpu_keeps_trls_tiles():
    import torch
    from trl.trainer import utils

    from trainer.training.shared_prompt.head import tiles_for

    before = utils._CHUNKED_LOGPROB_CHUNK_SIZE
    with tiles_for(torch.device("cuda")):
        assert before == utils._CHUNKED_LOGPROB_CHUNK_SIZE


def test_the_trainer_takes_no_argument_that_trl_does_not():
    from trl import DPOTrainer

    from trainer.training.shared_prompt import SharedPromptDPOTrainer

    ours, theirs = (
        set(inspect.signature(kind.__init__).parameters)
        for kind in (SharedPromptDPOTrainer, DPOTrainer)
    )

    assert ours <= theirs, f"trl renamed arguments of its trainer: {READ}trainer.py"
