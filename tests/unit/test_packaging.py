import re
from pathlib import Path

import pytest

import polaris_search
import trainer

ROOT = Path(__file__).parents[2]


def test_changelog_opens_with_what_is_unreleased_and_knows_the_version():
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(), re.M)
    releases = [heading for heading in headings if heading != "Unreleased"]

    assert headings[0] == "Unreleased"
    assert not releases or releases[0] == polaris_search.__version__


def test_the_trainer_package_is_ours_and_not_its_namesake_on_the_index():
    assert Path(trainer.__file__).parent == ROOT / "trainer"


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-train.lock"])
def test_a_lock_file_pins_each_package_with_hashes_and_names_no_index(name):
    lock = (ROOT / name).read_text()
    pinned = re.findall(r"^[a-z0-9][a-z0-9._-]*==", lock, re.M)

    assert len(pinned) > 40
    assert "://" not in lock
    assert lock.count("--hash=sha256:") >= len(pinned)


def test_every_package_of_the_wheel_ships_its_data():
    assert (ROOT / "mappings" / "tables.json").is_file()
    assert (ROOT / "mappings" / "profiles" / "default.json").is_file()


def test_the_training_stack_is_locked_to_the_versions_the_rest_is_locked_to():
    pins = [
        dict(re.findall(r"^([a-z0-9._-]+)==([^ ]+)", (ROOT / name).read_text(), re.M))
        for name in ("requirements.lock", "requirements-train.lock")
    ]

    differing = {name for name in pins[0].keys() & pins[1].keys() if pins[0][name] != pins[1][name]}
    assert not differing
