"""The registry's one file: whoever reads it trusts it whole or not at all, in the same words."""

import json
from datetime import UTC, datetime

import pytest

from polaris_search.llm.promoted import adapters_folder, current_adapter
from polaris_search.llm.promotions import Change, RegistryDamaged
from trainer.adapters.history import write_history
from trainer.adapters.registry import Registry

AT = datetime(2026, 11, 30, 2, tzinfo=UTC)
CHANGE = {"at": AT.isoformat(), "adapter": "a", "was": None, "how": "promoted", "why": "It may."}


def told_by_both(tmp_path, content: str) -> str:
    """Have a file of this content refused by the registry and by whoever opens a model."""
    root = adapters_folder(tmp_path)
    root.mkdir(exist_ok=True)
    (root / "current.json").write_text(content)
    with pytest.raises(RegistryDamaged) as by_registry:
        Registry(tmp_path).entries()
    with pytest.raises(RegistryDamaged) as by_model:
        current_adapter(tmp_path)
    assert str(by_registry.value) == str(by_model.value)
    return str(by_model.value)


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({"current": "b", "history": [CHANGE]}, '`current` is "b", and after the changes'),
        ({"current": None, "history": [CHANGE]}, '`history` it would be "a"'),
        ({"current": "a", "history": []}, "it would be null"),
        ({"current": 5, "history": [CHANGE]}, "`current` is 5"),
        ({"history": [CHANGE]}, "it does not say what is in use, `current`"),
        ({"current": "a"}, "it has no list of changes, `history`"),
        ({"current": "a", "history": {"a": CHANGE}}, "it has no list of changes"),
        ({"current": 5, "history": [CHANGE | {"adapter": 5}]}, "`adapter` of change 1"),
        ({"current": "a", "history": [CHANGE | {"at": 1}]}, "`at` of change 1 in `history` is 1"),
        (
            {"current": "a", "history": [CHANGE | {"at": "soon"}]},
            '`at` of change 1 in `history` is "',
        ),
        ({"current": "a", "history": [CHANGE | {"at": "2026-11-30"}]}, "`at` of change 1"),
        ({"current": "a", "history": [CHANGE | {"how": "stolen"}]}, "`how` of change 1"),
        ({"current": "a", "history": [CHANGE, {"adapter": "a"}]}, "change 2 in `history` has not"),
        ({"current": "a", "history": [CHANGE | {"more": 1}]}, "change 1 in `history` has not"),
        ({}, "it has no list of changes"),
        ([], "it has no list of changes"),
    ],
)
def test_a_file_that_does_not_hold_together_is_refused_by_all_in_the_same_words(
    tmp_path, document, problem
):
    said = told_by_both(tmp_path, json.dumps(document))

    assert problem in said
    assert "Restore it from a backup" in said


@pytest.mark.parametrize("content", ["", "{", '{"current": "a", "hist'])
def test_a_file_that_is_cut_off_is_told_without_words_of_python(tmp_path, content):
    assert "it is no JSON, or cut off." in told_by_both(tmp_path, content)


def test_what_the_registry_writes_is_read_by_both(tmp_path):
    adapters_folder(tmp_path).mkdir()
    changes = (
        Change(AT, "a", None, "promoted", "It may.", weights="0" * 64),
        Change(AT, None, "a", "rolled back", "by hand"),
        Change(AT, "b", None, "promoted", "Read 50 texts.", forced=True),
    )

    for n in range(len(changes) + 1):
        write_history(adapters_folder(tmp_path), changes[:n])
        assert Registry(tmp_path).history() == changes[:n]
        assert current_adapter(tmp_path) == (None, "a", None, "b")[n]
