"""Where a prompt is not shared, and the reason that the log is given."""

import pytest

pytestmark = [
    pytest.mark.train,
    # trl 1.16 uses names that transformers 5.24 has deprecated.
    pytest.mark.filterwarnings("ignore:`.*gradient_checkpointing.*` is deprecated:FutureWarning"),
    # Refused here before trl does away with it.
    pytest.mark.filterwarnings("ignore:The `'keep_end'` truncation mode:FutureWarning"),
]


@pytest.fixture
def steps():
    import preference_steps

    return preference_steps


def why(steps, folder, model=None, **changed):
    from trainer.training.shared_prompt import why_not_shared

    return why_not_shared(model or steps.random_llama(), steps.settings(folder, **changed))


def test_a_llama_with_the_papers_settings_is_not_refused(steps, tmp_path):
    assert why(steps, tmp_path, max_length=1024, precompute_ref_log_probs=True) is None


def test_an_adapted_model_is_looked_through(steps, tmp_path):
    from peft import get_peft_model

    model = get_peft_model(steps.random_llama(), steps.RANDOM_ADAPTER)

    assert why(steps, tmp_path, model) is None


@pytest.mark.parametrize(
    ("model_type", "changed", "reason"),
    [
        ("stablelm", {}, "models of type 'stablelm' have not been tested"),
        ("qwen3_moe", {}, "models of type 'qwen3_moe' have not been tested"),
        ("mistral", {"sliding_window": 64}, "a sliding window of 64 tokens"),
        (
            "qwen2",
            {"use_sliding_window": True, "sliding_window": 64, "max_window_layers": 1},
            "some layers do not have full attention (sliding_attention)",
        ),
        ("llama", {"attn_logit_softcapping": 50.0}, "attention has a soft cap"),
        ("llama", {"attention_dropout": 0.1}, "attention has dropout"),
        (
            "llama",
            {"rope_parameters": {"rope_type": "dynamic", "rope_theta": 1e4, "factor": 2.0}},
            "positions depend on the length of the row (rope 'dynamic')",
        ),
        ("llama", {"attn_implementation": "eager"}, "attention 'eager' was chosen"),
    ],
)
def test_a_model_that_is_not_known_to_be_equal_is_refused(
    steps, tmp_path, model_type, changed, reason
):
    from transformers import CONFIG_MAPPING

    model = steps.random_model(CONFIG_MAPPING[model_type](**steps.SMALL_SHAPE | changed))

    assert reason in why(steps, tmp_path, model)


def test_a_model_with_an_encoder_is_refused(steps, tmp_path):
    from transformers import T5Config, T5ForConditionalGeneration

    shape = {
        "vocab_size": 20,
        "d_model": 16,
        "d_kv": 8,
        "d_ff": 16,
        "num_layers": 1,
        "num_heads": 2,
    }
    model = T5ForConditionalGeneration(T5Config(**shape))

    assert why(steps, tmp_path, model) == "the model has an encoder"


def test_attention_with_sinks_is_refused(steps, tmp_path):
    import torch

    model = steps.random_llama()
    attention = model.base_model.layers[0].self_attn
    attention.register_parameter("sinks", torch.nn.Parameter(torch.zeros(4)))

    assert why(steps, tmp_path, model) == "attention has sinks"


def test_flash_attention_that_was_forced_is_refused(steps, tmp_path):
    model = steps.random_llama()
    # Set as a package of kernels would; this machine has none.
    model.config._attn_implementation_internal = "flash_attention_2"

    assert "attention 'flash_attention_2' was chosen" in why(steps, tmp_path, model)


def test_a_model_by_name_is_refused(steps, tmp_path):
    assert "has not been loaded" in why(steps, tmp_path, "some/model")


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"max_length": 64, "truncation_mode": "keep_end"}, "cut at their start"),
        ({"disable_dropout": False}, "dropout is on"),
        ({"torch_compile": True}, "torch.compile"),
        ({"activation_offloading": True}, "activation offloading"),
        ({"accelerator_config": {"dispatch_batches": True}}, "dispatch_batches"),
    ],
)
def test_settings_that_are_not_known_to_be_equal_are_refused(steps, tmp_path, changed, reason):
    assert reason in why(steps, tmp_path, **changed)


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("use_liger_kernel", True, "Liger kernels"),
        ("fsdp", ["full_shard"], "FSDP"),
        ("deepspeed", "ds.json", "DeepSpeed"),
    ],
)
def test_settings_of_packages_that_are_not_here_are_refused(steps, tmp_path, name, value, reason):
    from trainer.training.shared_prompt import why_not_shared

    args = steps.settings(tmp_path)
    setattr(args, name, value)  # its own constructor looks for the package

    assert reason in why_not_shared(steps.random_llama(), args)


def test_long_pairs_may_be_cut_anywhere_where_no_length_is_set(steps, tmp_path):
    assert why(steps, tmp_path, max_length=None, truncation_mode="keep_end") is None


def test_an_adapter_with_tokens_of_its_own_is_refused(steps, tmp_path):
    from peft import PromptTuningConfig, get_peft_model

    adapter = PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=2)
    model = get_peft_model(steps.random_llama(), adapter)

    assert "tokens of its own" in why(steps, tmp_path, model)


def test_the_trainer_refuses_what_is_not_shared_with_the_reason(steps, tmp_path):
    from peft import PromptTuningConfig

    from polaris_search.errors import PromptNotShareable
    from trainer.training.shared_prompt import SharedPromptDPOTrainer

    def made(adapter=None, **changed):
        SharedPromptDPOTrainer(
            model=steps.random_llama(),
            args=steps.settings(tmp_path, **changed),
            train_dataset=steps.pairs_of([steps.Lengths(3, 2, 2)]),
            processing_class=steps.word_tokenizer(),
            peft_config=adapter,
        )

    with pytest.raises(PromptNotShareable, match="dropout is on"):
        made(disable_dropout=False)
    with pytest.raises(PromptNotShareable, match="tokens of its own"):
        made(PromptTuningConfig(task_type="CAUSAL_LM", num_virtual_tokens=2))
