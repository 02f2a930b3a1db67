"""The registry of adapters: what is listed, in which state, and how an adapter comes into use."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from peft_folder import peft_folder

from polaris_search.errors import AlreadyHeld, UsageError
from polaris_search.llm.promoted import current_adapter
from trainer.adapters.adding import add
from trainer.adapters.history import RegistryDamaged, trail_of
from trainer.adapters.layout import AdapterInvalid
from trainer.adapters.promotion import NotPromoted, decision, promote, rollback
from trainer.adapters.registry import AdapterUnknown, Registry

START = datetime(2026, 11, 30, 2, tzinfo=UTC)


@pytest.fixture
def registry(tmp_path) -> Registry:
    ticks = iter(range(10_000))
    return Registry(tmp_path / "home", lambda: START + timedelta(minutes=next(ticks)))


def gate(verdict: str, **more: object) -> bytes:
    return json.dumps({"verdict": verdict, "reasons": [f"It says {verdict}."], **more}).encode()


def have(registry: Registry, *names: str, verdict: str | None = "promote") -> None:
    """Have adapters of these names there, judged."""
    for seed, name in enumerate(names):
        peft_folder(registry.root / name, seed=seed + len(name), name=name)
        if verdict:
            registry.write_gate(name, gate(verdict))


def use(registry: Registry, *names: str) -> None:
    """Have these promoted one after the other."""
    have(registry, *names)
    for name in names:
        promote(registry, name, decision(registry))


def states(registry: Registry) -> dict[str, str]:
    return {one.name: one.state for one in registry.entries()}


def test_a_home_without_adapters_is_an_empty_registry(registry):
    assert registry.entries() == []
    assert registry.current is None
    assert not registry.root.exists()


def test_each_state_follows_from_what_happened(registry):
    have(registry, "new", verdict=None)
    have(registry, "bad", verdict="refuse")
    use(registry, "first", "second")

    assert states(registry) == {
        "bad": "rejected",
        "first": "retired",
        "new": "candidate",
        "second": "promoted",
    }
    assert registry.current == current_adapter(registry.home) == "second"


def test_the_history_says_who_was_in_use_since_when_and_why(registry):
    use(registry, "first")
    have(registry, "second", verdict=None)
    promote(registry, "second", decision(registry, "the gate's data set is away"))
    rollback(registry, None, decision(registry))

    told = [
        (one.adapter, one.was, one.how, one.why, one.forced, one.at - START)
        for one in registry.history()
    ]

    minute = timedelta(minutes=1)
    assert told == [
        ("first", None, "promoted", "It says promote.", False, 0 * minute),
        ("second", "first", "promoted", "the gate's data set is away", True, minute),
        ("first", "second", "rolled back", "rolled back by hand", False, 2 * minute),
    ]


def test_a_half_written_adapter_is_not_listed(registry):
    have(registry, "whole", "half", "bare", "settings")
    weights = registry.root / "half" / "adapter_model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    (registry.root / "bare" / "adapter_model.safetensors").unlink()
    (registry.root / "settings" / "adapter_config.json").unlink()
    (registry.root / ".adding-12-later").mkdir()
    (registry.root / "notes.txt").write_text("not an adapter")

    assert list(states(registry)) == ["whole"]


def test_an_adapter_that_no_gate_judged_is_not_promoted(registry):
    have(registry, "new", verdict=None)

    with pytest.raises(NotPromoted, match=r"No gate has judged 'new'\..*--force REASON"):
        promote(registry, "new", decision(registry))
    assert registry.current is None


def test_a_refused_adapter_is_promoted_only_with_a_reason_that_is_kept(registry):
    have(registry, "bad", verdict="refuse")

    with pytest.raises(NotPromoted, match="refused 'bad': It says refuse"):
        promote(registry, "bad", decision(registry))
    change = promote(registry, "bad", decision(registry, "I have read 50 of its texts"))

    assert (change.forced, change.why) == (True, "I have read 50 of its texts")
    assert states(registry) == {"bad": "promoted"}


@pytest.mark.parametrize("report", [b"", b"[]", b'{"verdict": "yes"}', b"{"])
def test_a_report_that_cannot_be_read_lets_nothing_through(registry, report):
    have(registry, "new")
    registry.write_gate("new", report)

    with pytest.raises(NotPromoted, match="cannot be read"):
        promote(registry, "new", decision(registry))
    assert states(registry) == {"new": "candidate"}


def test_a_gate_against_another_than_the_one_in_use_does_not_count(registry):
    use(registry, "first")
    have(registry, "second")
    registry.write_gate("second", gate("promote", candidate="second", reference="base"))

    with pytest.raises(NotPromoted, match="compared 'second' with 'base', and 'first' is in use"):
        promote(registry, "second", decision(registry))


def test_the_report_of_another_adapter_does_not_count(registry):
    have(registry, "second")
    registry.write_gate("second", gate("promote", candidate="first", reference="base"))

    with pytest.raises(NotPromoted, match="that of 'first'"):
        promote(registry, "second", decision(registry))


def test_a_later_report_takes_the_place_of_the_one_before(registry):
    have(registry, "new", verdict="refuse")

    registry.write_gate("new", gate("promote"))

    assert states(registry) == {"new": "candidate"}


def test_going_back_twice_leads_two_promotions_back(registry):
    use(registry, "a", "b", "c")

    back = [rollback(registry, None, decision(registry)).adapter for _ in range(3)]

    assert back == ["b", "a", None]
    assert current_adapter(registry.home) is None
    assert set(states(registry).values()) == {"retired"}
    with pytest.raises(NotPromoted, match="nothing to go back from"):
        rollback(registry, None, decision(registry))


def test_going_back_to_a_named_one_forgets_the_way_between(registry):
    use(registry, "a", "b", "c")

    rollback(registry, "a", decision(registry))

    assert trail_of(registry.history()) == (None, "a")


def test_only_what_was_in_use_can_be_gone_back_to(registry):
    use(registry, "a")
    have(registry, "b")

    with pytest.raises(NotPromoted, match="never in use"):
        rollback(registry, "b", decision(registry))
    with pytest.raises(AdapterUnknown, match="The last ones: a, b"):
        rollback(registry, "z", decision(registry))


def test_what_is_in_use_is_not_promoted_again(registry):
    use(registry, "a")

    with pytest.raises(NotPromoted, match="in use already"):
        promote(registry, "a", decision(registry))
    assert len(registry.history()) == 1


def test_a_decision_by_what_has_changed_since_is_told_so(registry):
    have(registry, "a", "b")
    decided = decision(registry)
    promote(registry, "a", decision(registry))

    with pytest.raises(NotPromoted, match="Meanwhile another process made 'a' the one in use"):
        promote(registry, "b", decided)
    assert registry.current == "a"


def test_whoever_comes_while_another_changes_it_is_told_who(registry):
    have(registry, "a")

    with (
        registry.changing("publishing b"),
        pytest.raises(AlreadyHeld, match=r"publishing b, process \d+ on "),
    ):
        promote(registry, "a", decision(registry))
    assert registry.current is None


def test_other_weights_under_a_name_that_was_in_use_never_serve(registry):
    use(registry, "a", "b")
    peft_folder(registry.root / "a", seed=99)

    with pytest.raises(NotPromoted, match="weights of 'a' are not those that were in use"):
        rollback(registry, None, decision(registry))
    assert registry.current == "b"


def test_a_damaged_adapter_is_not_promoted(registry):
    have(registry, "a")
    peft_folder(registry.root / "a" / "ref", seed=2)

    with pytest.raises(AdapterInvalid, match="second adapter"):
        promote(registry, "a", decision(registry))


def test_a_damaged_history_is_told_with_its_file(registry):
    use(registry, "a")
    (registry.root / "current.json").write_text('{"current": "a", "history": [{"at": 1}]}')

    with pytest.raises(RegistryDamaged, match=r"current\.json should say which"):
        registry.entries()


def test_an_added_adapter_is_called_as_its_record_says(registry, tmp_path):
    source = peft_folder(tmp_path / "run", name="polaris-desc-20261129t020000z")
    (source / "checkpoint-4").mkdir()
    (source / "metrics.jsonl").write_text("{}\n")

    entry = add(registry, source)

    assert (entry.name, entry.state) == ("polaris-desc-20261129t020000z", "candidate")
    assert sorted(path.name for path in entry.folder.iterdir()) == [
        "adapter_config.json",
        "adapter_model.safetensors",
        "metrics.jsonl",
        "record.json",
    ]
    assert entry.record is not None
    assert entry.record.pairs["trained"] == 24


def test_added_adapters_without_a_record_are_called_by_the_time_and_never_alike(tmp_path):
    registry = Registry(tmp_path / "home", lambda: START)
    source = peft_folder(tmp_path / "run")

    names = [add(registry, source).name for _ in range(3)]

    assert names == [f"polaris-desc-20261130t02000{second}z" for second in range(3)]


def test_a_name_is_never_used_twice_not_even_after_its_folder_is_gone(registry, tmp_path):
    source = peft_folder(tmp_path / "run")
    use(registry, "night-1")

    with pytest.raises(UsageError, match="A name is never used twice"):
        add(registry, source, "night-1")
    (registry.root / "night-1").rename(tmp_path / "away")
    with pytest.raises(UsageError, match="A name is never used twice"):
        add(registry, source, "night-1")


@pytest.mark.parametrize("name", ["", "../out", "a/b", ".hidden", "a b", "a,b=c", "x" * 101])
def test_a_name_that_no_path_or_server_takes_is_refused(registry, tmp_path, name):
    source = peft_folder(tmp_path / "run")
    (source / "record.json").write_text(json.dumps({"name": name} | _rest_of_a_record()))

    with pytest.raises(UsageError, match="cannot name an adapter"):
        add(registry, source, name)
    with pytest.raises(UsageError, match="cannot name an adapter"):
        add(registry, source)
    assert registry.entries() == []


def _rest_of_a_record() -> dict[str, object]:
    from dataclasses import asdict

    from peft_folder import record

    values = asdict(record("x"))
    del values["name"]
    return values | {"made_at": START.isoformat()}


def test_what_is_no_adapter_is_not_added(registry, tmp_path):
    with pytest.raises(AdapterInvalid):
        add(registry, tmp_path)
    assert registry.entries() == []


def test_what_a_killed_add_left_behind_is_removed_by_the_next(registry, tmp_path):
    left = registry.root / ".adding-1-night-1"
    left.mkdir(parents=True)
    (left / "adapter_config.json").write_text("{}")

    add(registry, peft_folder(tmp_path / "run"), "night-2")

    assert not left.exists()
