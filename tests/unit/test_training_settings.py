import tomllib
from pathlib import Path

import pytest

from polaris_search.errors import UsageError
from trainer.training.machine import (
    Machine,
    ModelSize,
    activation_bytes,
    footing,
    memory_plan,
)
from trainer.training.packages import TESTED, check_packages
from trainer.training.problems import TrainExtraMissing, TrainingRefused
from trainer.training.settings import TrainSettings
from trainer.training.steps import batch_plan, steps_of

INSTALLED = {
    "trl": "1.16.0",
    "transformers": "5.24.0",
    "peft": "0.21.2",
    **dict.fromkeys(("torch", "accelerate", "datasets", "safetensors", "matplotlib", "gguf"), "9"),
}
SMALL = ModelSize(layers=30, hidden=576, inner=1536)


def test_the_defaults_are_the_papers_configuration():
    settings = TrainSettings()

    assert (settings.rank, settings.lora_alpha, settings.beta) == (64, 64, 0.1)
    assert (settings.learning_rate, settings.epochs, settings.batch) == (5e-6, 1, 8)


def test_all_values_out_of_range_are_named_at_once():
    with pytest.raises(UsageError) as refused:
        TrainSettings(rank=0, learning_rate=float("nan"), held_out=1.0)

    assert str(refused.value) == (
        "--rank is 0; a whole number of at least 1 was expected; "
        "--alpha is 0; a whole number of at least 1 was expected; "
        "--learning-rate is nan; a number above 0 was expected; "
        "--held-out is 1.0; 0 or more and below 1 was expected."
    )


@pytest.mark.parametrize(
    ("pairs", "batch", "epochs", "total", "warmup"),
    [
        (8, 8, 1, 1, 0),
        (9, 8, 1, 2, 0),
        (72, 8, 1, 9, 0),
        (80, 8, 1, 10, 1),
        (1000, 8, 1, 125, 13),
        (81, 8, 3, 33, 4),
    ],
)
def test_a_tenth_of_the_steps_is_warm_up_unless_that_is_less_than_one(
    pairs, batch, epochs, total, warmup
):
    steps = steps_of(pairs, batch, epochs)

    assert (steps.total, steps.warmup) == (total, warmup)


@pytest.mark.parametrize("devices", [1, 2, 4, 8])
@pytest.mark.parametrize("room", [1, 2, 3, 5, 100])
def test_a_step_has_the_same_number_of_pairs_on_any_number_of_devices(devices, room):
    plan = batch_plan(8, devices, room)

    assert plan.pairs == 8
    assert 1 <= plan.per_device <= room


def test_as_many_pairs_go_at_a_time_as_there_is_memory_for():
    assert [batch_plan(8, 1, room).per_device for room in (1, 3, 4, 99)] == [1, 2, 4, 8]


def test_a_batch_that_cannot_be_divided_among_processes_is_refused_with_one_that_can():
    with pytest.raises(TrainingRefused, match=r"Use --batch 9, or another number of processes\."):
        batch_plan(8, 3, 1)


def test_a_cpu_trains_float32_weights_with_plain_adamw_and_says_so():
    stands_on = footing(TrainSettings(), "cpu", has_bitsandbytes=False)

    assert (stands_on.dtype, stands_on.optimizer, stands_on.four_bit) == (
        "float32",
        "adamw_torch",
        False,
    )
    assert stands_on.said == "float32 weights and plain AdamW on the CPU"


def test_a_gpu_trains_nf4_weights_with_8_bit_adamw_unless_told_otherwise():
    default = footing(TrainSettings(), "cuda", has_bitsandbytes=True)
    full = footing(TrainSettings(four_bit=False), "cuda", has_bitsandbytes=True)

    assert (default.four_bit, default.optimizer) == (True, "adamw_8bit")
    assert (full.four_bit, full.dtype) == (False, "bfloat16")


def test_4_bit_weights_without_a_gpu_are_refused_with_what_to_do():
    with pytest.raises(TrainingRefused, match=r"there is no GPU.*Leave --four-bit out"):
        footing(TrainSettings(four_bit=True), "cpu", has_bitsandbytes=True)


def test_a_gpu_without_bitsandbytes_is_refused_with_the_extra_to_install():
    with pytest.raises(TrainExtraMissing, match=r"bitsandbytes.*polaris-search\[train\]"):
        footing(TrainSettings(), "cuda", has_bitsandbytes=False)


def test_more_pairs_go_at_a_time_and_activations_are_kept_where_memory_allows():
    roomy = Machine("cuda", "GPU", free_bytes=80 << 30)
    tight = Machine("cuda", "GPU", free_bytes=2 << 30)

    assert memory_plan(TrainSettings(), roomy, SMALL, 1500)[0] > 8
    assert memory_plan(TrainSettings(), roomy, SMALL, 1500)[1] is False
    assert memory_plan(TrainSettings(), tight, SMALL, 1500)[1] is True
    assert memory_plan(TrainSettings(checkpointing="off"), tight, SMALL, 1500) == (1, False)
    assert memory_plan(TrainSettings(checkpointing="on"), roomy, SMALL, 1500)[1] is True


def test_a_cpu_takes_one_pair_at_a_time():
    roomy = Machine("cpu", "CPU", free_bytes=80 << 30)

    assert memory_plan(TrainSettings(), roomy, SMALL, 1500) == (1, False)


def test_checkpointing_keeps_a_tenth_of_the_activations_of_thirty_layers():
    kept = [
        activation_bytes(SMALL, 1000, mixed=True, checkpointing=checkpointing)
        for checkpointing in (False, True)
    ]

    assert kept[1] < kept[0] / 10


def test_the_tested_trio_is_what_the_train_extra_asks_for():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    wanted = project["project"]["optional-dependencies"]["train"]

    for name, version in TESTED.items():
        upper = f"{version.rpartition('.')[0]}.{int(version.rpartition('.')[2]) + 1}"
        assert [one for one in wanted if one.startswith(f"{name}>={version}")] == [
            f"{name}>={version},<{upper}"
        ]


def test_the_tested_trio_is_accepted():
    check_packages(INSTALLED)


@pytest.mark.parametrize(
    ("name", "version"),
    [("trl", "0.24.0"), ("trl", "1.17.0"), ("transformers", "5.25.0"), ("peft", "0.2.1")],
)
def test_another_trl_transformers_or_peft_than_tested_is_refused_at_the_start(name, version):
    with pytest.raises(TrainExtraMissing) as refused:
        check_packages(INSTALLED | {name: version})

    assert f"{name} {version} (made for {TESTED[name]}.x)" in str(refused.value)


def test_without_the_train_extra_the_sentence_says_which_extra():
    with pytest.raises(TrainExtraMissing, match=r"not installed: trl, .*polaris-search\[train\]"):
        check_packages({})


def test_tensorboard_that_is_not_installed_is_refused_with_what_to_install():
    import importlib.util

    from trainer.training.packages import check_tensorboard

    if importlib.util.find_spec("tensorboard"):
        check_tensorboard()
        return
    with pytest.raises(TrainExtraMissing, match="pip install tensorboard"):
        check_tensorboard()
