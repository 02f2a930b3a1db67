import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from polaris_search.errors import UsageError
from polaris_search.settings import read_settings
from polaris_search.store.opening import folder_of, open_store

SETTINGS = read_settings({}, Path("/nonexistent"))


@pytest.mark.parametrize(
    ("url", "folder"),
    [
        ("file:./polaris-data", "polaris-data"),
        ("file:/var/lib/polaris", "/var/lib/polaris"),
        ("file:///var/lib/polaris", "/var/lib/polaris"),
        ("file://localhost/var/lib/polaris", "/var/lib/polaris"),
        ("file:my data/100%20", "my data/100%20"),
        ("  file:./polaris-data  ", "polaris-data"),
        ("file:~/polaris", str(Path.home() / "polaris")),
    ],
)
def test_a_file_address_names_its_folder_as_written(url, folder):
    assert folder_of(url) == Path(folder)


@pytest.mark.parametrize("url", ["", "polaris-data", "sqlite:x.db", "file:", "file://nas/share"])
def test_an_address_of_no_known_kind_is_refused_with_an_example(url):
    with pytest.raises(UsageError, match=r"file:\./polaris-data"):
        open_store(dataclasses.replace(SETTINGS, store=url))


@pytest.mark.parametrize("start", ["htps://", "file://", "http:", "http//", ""])
def test_a_password_in_an_address_of_no_known_kind_is_not_shown(start):
    with pytest.raises(UsageError) as refused:
        open_store(dataclasses.replace(SETTINGS, store=f"{start}ann:hunter2@es.example:9200"))

    assert "hunter2" not in str(refused.value)


def test_opening_a_folder_imports_no_elasticsearch(tmp_path):
    program = (
        "import sys; from polaris_search.settings import read_settings;"
        "from polaris_search.store.opening import open_store;"
        f"open_store(read_settings({{'POLARIS_STORE': 'file:{tmp_path}/s'}})).close();"
        "print([name for name in sys.modules if name.startswith('elastic')])"
    )

    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert ran.stdout.strip() == "[]"
