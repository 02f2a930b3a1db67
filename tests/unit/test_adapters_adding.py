"""What is taken into the registry: under which names, and with which records."""

import json
from dataclasses import asdict

import pytest
from peft_folder import peft_folder, record

from polaris_search.errors import UsageError
from trainer.adapters.adding import add
from trainer.adapters.layout import AdapterInvalid
from trainer.adapters.registry import Registry

RECORD = asdict(record("night-1")) | {"made_at": "2026-11-30T02:00:00+00:00"}


@pytest.fixture
def registry(tmp_path) -> Registry:
    return Registry(tmp_path / "home")


@pytest.mark.parametrize(
    "name", ["base", "none", "current", "current.json", "Base", "Current.JSON"]
)
def test_a_word_that_commands_or_the_registry_read_otherwise_names_no_adapter(
    registry, tmp_path, name
):
    named = peft_folder(tmp_path / "named", name="night-1")
    recorded = peft_folder(tmp_path / "recorded", name=name)

    with pytest.raises(UsageError, match="none of the words base, current, current.json, none"):
        add(registry, named, name)
    with pytest.raises(UsageError, match="none of the words"):
        add(registry, recorded)

    assert registry.entries() == []
    assert add(registry, named).name == "night-1"


def test_an_empty_name_is_not_taken_for_none(registry, tmp_path):
    with pytest.raises(UsageError, match="'' cannot name an adapter"):
        add(registry, peft_folder(tmp_path / "run", name="night-1"), "")


@pytest.mark.parametrize("name", [None, "night-2"])
@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        "{}",
        json.dumps(RECORD | {"made_at": 5}),
        json.dumps(RECORD | {"name": 5}),
        json.dumps(RECORD | {"pairs": 5}),
        json.dumps(RECORD | {"metrics": {"held_out_reward_margin": "x"}}),
    ],
)
def test_a_record_that_is_none_is_refused_whoever_names_the_adapter(
    registry, tmp_path, content, name
):
    source = peft_folder(tmp_path / "run")
    (source / "record.json").write_text(content)

    with pytest.raises(AdapterInvalid, match=r"record\.json"):
        add(registry, source, name)

    assert registry.entries() == []
