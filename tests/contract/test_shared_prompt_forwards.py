"""Forwards beside and after training: evaluation, generation, nested, failed, computed twice."""

import pytest

pytestmark = [
    pytest.mark.train,
    # trl 1.16 uses names that transformers 5.24 has deprecated.
    pytest.mark.filterwarnings("ignore:`.*gradient_checkpointing.*` is deprecated:FutureWarning"),
]


@pytest.fixture
def steps():
    import preference_steps

    return preference_steps


@pytest.fixture
def pairs(steps):
    lengths = ((12, 9, 4), (1, 1, 6), (17, 5, 5))
    return steps.pairs_of([steps.Lengths(*each) for each in lengths])


@pytest.fixture
def trainer_of(steps, pairs, tmp_path):
    from trainer.training.shared_prompt import SharedPromptDPOTrainer

    def made(kind=SharedPromptDPOTrainer, model=None, **changed):
        return kind(
            model=model or steps.random_llama(),
            args=steps.settings(tmp_path, per_device_eval_batch_size=2, **changed),
            train_dataset=pairs,
            eval_dataset=pairs,
            processing_class=steps.word_tokenizer(),
            peft_config=steps.RANDOM_ADAPTER,
        )

    return made


def packed_batch(trainer):
    return next(iter(trainer.get_train_dataloader()))


@pytest.mark.parametrize("reused", [False, True])
def test_evaluation_gives_the_metrics_of_plain_trl(trainer_of, steps, reused):
    from trl import DPOTrainer

    plain = trainer_of(DPOTrainer, precompute_ref_log_probs=reused)
    theirs, ours = plain.evaluate(), trainer_of(precompute_ref_log_probs=reused).evaluate()

    of_the_clock = {key for key in theirs if key.endswith(("_runtime", "_per_second", "_time"))}
    measured = {key: value for key, value in theirs.items() if key not in of_the_clock}
    assert {key: ours[key] for key in measured} == pytest.approx(measured, rel=1e-4)


def test_pairs_given_to_evaluate_itself_are_measured_alike(trainer_of, steps):
    from trl import DPOTrainer

    others = steps.pairs_of([steps.Lengths(9, 3, 8), steps.Lengths(4, 7, 2)], seed=5)
    theirs, ours = (
        made.evaluate(others)["eval_loss"] for made in (trainer_of(DPOTrainer), trainer_of())
    )

    assert ours == pytest.approx(theirs, rel=1e-4)


def test_after_training_a_model_generates_what_it_would_with_plain_attention(trainer_of, steps):
    import torch

    trained = trainer_of(learning_rate=1e-3)
    trained.train()
    model, tokenizer = trained.model.eval(), trained.processing_class
    asked = tokenizer(["w1 w2 w3 w4", "w7"], padding=True, padding_side="left", return_tensors="pt")

    def generated():
        return model.generate(
            input_ids=asked.input_ids,
            attention_mask=asked.attention_mask,
            do_sample=False,
            max_new_tokens=8,
        )

    ours = generated()
    model.get_base_model().set_attn_implementation("sdpa")
    assert torch.equal(ours, generated())


def test_a_forward_that_fails_leaves_nothing_to_the_next(trainer_of):
    trainer = trainer_of()
    batch = packed_batch(trainer)
    right = float(trainer.compute_loss(trainer.model, batch).detach())

    def fail(*_):
        raise RuntimeError("out of memory")

    layer = trainer.model.get_base_model().base_model.layers[1]
    with layer.register_forward_hook(fail), pytest.raises(RuntimeError, match="out of memory"):
        trainer.compute_loss(trainer.model, batch)

    plain = trainer.model(input_ids=batch["input_ids"]).logits
    assert plain.shape[:2] == batch["input_ids"].shape
    assert float(trainer.compute_loss(trainer.model, batch).detach()) == right


def test_a_forward_within_a_forward_changes_neither(trainer_of):
    import torch

    trainer = trainer_of()
    batch = packed_batch(trainer)
    right = float(trainer.compute_loss(trainer.model, batch).detach())
    ids = torch.tensor([[5, 6, 7]])
    alone = trainer.model(input_ids=ids).logits
    within = []

    def nest(*_):
        if not within:
            within.append(None)
            within.append(trainer.model(input_ids=ids).logits)

    layer = trainer.model.get_base_model().base_model.layers[0]
    with layer.register_forward_hook(nest):
        loss = float(trainer.compute_loss(trainer.model, batch).detach())

    assert loss == right
    assert torch.equal(within[1], alone)


def test_a_model_prepared_twice_gives_the_same_loss(trainer_of, steps):
    from trainer.training.shared_prompt.backbone import share_prompts

    trainer = trainer_of()
    batch = packed_batch(trainer)
    once = float(trainer.compute_loss(trainer.model, batch).detach())

    share_prompts(trainer.model)

    assert float(trainer.compute_loss(trainer.model, batch).detach()) == once


def test_rows_that_lost_their_prompts_are_refused_by_the_model(trainer_of):
    trainer = trainer_of()
    batch = packed_batch(trainer)
    del batch["shared_prompt_row"]

    with pytest.raises((IndexError, RuntimeError)):
        trainer.compute_loss(trainer.model, batch)


def test_a_layer_that_asks_for_more_than_the_attention_does_is_refused(trainer_of):
    from polaris_search.errors import PromptNotShareable

    trainer = trainer_of()
    layer = trainer.model.get_base_model().base_model.layers[0].self_attn
    with (
        layer.register_forward_pre_hook(
            lambda _, given, named: (given, named | {"softcap": 30.0}), with_kwargs=True
        ),
        pytest.raises(PromptNotShareable, match="asks for softcap"),
    ):
        trainer.compute_loss(trainer.model, packed_batch(trainer))


def test_layers_that_keep_the_row_from_their_attention_are_refused(steps):
    from transformers import CONFIG_MAPPING
    from trl.trainer.utils import add_fused_lm_head

    from polaris_search.errors import PromptNotShareable
    from trainer.training.shared_prompt.backbone import share_prompts
    from trainer.training.shared_prompt.collator import SharedPromptCollator

    model = steps.random_model(CONFIG_MAPPING["stablelm"](**steps.SMALL_SHAPE))
    add_fused_lm_head(model)
    share_prompts(model)
    batch = SharedPromptCollator(None)(
        [{"prompt_ids": [1, 2], "chosen_ids": [3], "rejected_ids": [4, 5]}]
    )
    labels = batch["input_ids"].masked_fill(batch.pop("completion_mask") == 0, -100)

    with pytest.raises(PromptNotShareable, match="do not hand the row on"):
        model(**batch, labels=labels, fused_lm_head=True)
