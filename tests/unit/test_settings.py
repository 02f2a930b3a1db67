from pathlib import Path

import pytest

from polaris_search.addresses import addresses_of
from polaris_search.errors import SettingInvalid, UsageError
from polaris_search.setting_table import SETTINGS
from polaris_search.settings import read_settings, setting_origins


def test_a_setting_comes_from_the_environment_before_the_file_before_its_default(tmp_path):
    (tmp_path / "polaris.toml").write_text('store = "file:./from-file"\nllm_concurrency = 8\n')

    settings = read_settings({"POLARIS_STORE": "file:./from-environment"}, tmp_path)

    assert settings.store == "file:./from-environment"
    assert settings.llm_concurrency == 8
    assert settings.profile == "default"


def test_a_bad_value_names_the_setting_its_origin_and_what_was_expected(tmp_path):
    with pytest.raises(
        SettingInvalid, match="POLARIS_ES_TIMEOUT_S is 'abc' .environment.; a number of seconds"
    ):
        read_settings({"POLARIS_ES_TIMEOUT_S": "abc"}, tmp_path)


@pytest.mark.parametrize("value", ["0", "-1", "inf", "nan"])
def test_a_time_must_be_a_finite_number_above_zero(tmp_path, value):
    with pytest.raises(SettingInvalid):
        read_settings({"POLARIS_ES_TIMEOUT_S": value}, tmp_path)


@pytest.mark.parametrize("name", ["POLARIS_ES_CONNECTIONS", "POLARIS_ES_SHARDS"])
@pytest.mark.parametrize("value", ["0", "-1", "1.5", "two", ""])
def test_a_count_must_be_a_whole_number_above_zero(tmp_path, name, value):
    with pytest.raises(SettingInvalid, match=f"{name} is .* a whole number above 0"):
        read_settings({name: value}, tmp_path)


def test_an_unknown_name_in_the_file_is_refused_by_name(tmp_path):
    (tmp_path / "polaris.toml").write_text('stor = "file:x"\n')

    with pytest.raises(UsageError, match="sets stor, which Polaris does not know"):
        read_settings({}, tmp_path)


def test_a_broken_file_is_refused_with_its_path(tmp_path):
    (tmp_path / "polaris.toml").write_text("store = \n")

    with pytest.raises(UsageError, match=r"polaris\.toml cannot be read as TOML"):
        read_settings({}, tmp_path)


def test_a_config_file_that_is_named_must_exist(tmp_path):
    with pytest.raises(UsageError, match="POLARIS_CONFIG names"):
        read_settings({"POLARIS_CONFIG": str(tmp_path / "absent.toml")}, tmp_path)


def test_origins_show_no_part_of_a_secret(tmp_path):
    environment = {
        "POLARIS_ES_API_KEY": "hunter2",
        "POLARIS_STORE": "https://elastic:hunter2@host:9200",
    }

    shown = " ".join(origin.shown for origin in setting_origins(environment, tmp_path))

    assert "hunter2" not in shown
    assert "https://(set)@host:9200" in shown


@pytest.mark.parametrize("name", ["POLARIS_STORE", "POLARIS_LLM_URL"])
@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://ann:hunter2@w/hunter3@host:9200", "http://(set)@host:9200"),
        ("http://hunter2@host:9200", "http://(set)@host:9200"),
        ("http://ann:hunter2#x://y@host:9200", "http://(set)@host:9200"),
        ("  http://ann:hunter2@host:9200 ", "http://(set)@host:9200"),
        ("http:/ann:hunter2@host:9200", "(set)@host:9200"),
        ("ann:hunter2@host:9200", "(set)@host:9200"),
        ("file://ann:hunter2@host/folder", "file://(set)@host/folder"),
        ("file:./ann@work", "file:./ann@work"),
        ("file:///srv/ann@work", "file:///srv/ann@work"),
        ("http://host:9200", "http://host:9200"),
    ],
)
def test_an_address_is_shown_without_what_stands_before_its_last_at(tmp_path, name, address, shown):
    origins = setting_origins({name: address}, tmp_path)

    assert [one.shown for one in origins if one.setting.name == name] == [shown]


@pytest.mark.parametrize(
    ("addresses", "shown"),
    [
        ("http://a:1,http://b:2", "http://a:1,http://b:2"),
        ("http://ann:hunter2@a, https://s3cret@b:2 ,", "http://(set)@a,https://(set)@b:2"),
        ("http://ann:hun,ter2@a,http://b", "http://(set)@a,http://b"),
        ("http://ann:hunter2@x,http://y@b", "http://(set)@x,http://(set)@b"),
        # One address whose password looks like the beginning of another.
        ("http://ann:hunter2,http://y@b", "http://(set)@b"),
        ("http://ann:hunter2#,http://y@b", "http://(set)@b"),
    ],
)
def test_several_addresses_are_each_shown_without_their_credentials(tmp_path, addresses, shown):
    origins = setting_origins({"POLARIS_LLM_URL": addresses}, tmp_path)

    assert [one.shown for one in origins if one.setting.name == "POLARIS_LLM_URL"] == [shown]


@pytest.mark.parametrize(
    ("text", "addresses"),
    [
        ("http://a:1/v1, HTTPS://b ,http://a:1/v1", ("http://a:1/v1", "HTTPS://b")),
        ("http://ann:x,y@a,http://b", ("http://ann:x,y@a", "http://b")),
        ("localhost:8000", ("localhost:8000",)),
        (" , ", ()),
    ],
)
def test_a_comma_in_a_password_is_not_one_between_addresses(text, addresses):
    assert addresses_of(text) == addresses


def test_a_bad_value_is_told_without_a_password_in_it(tmp_path):
    with pytest.raises(SettingInvalid) as refused:
        read_settings({"POLARIS_LLM_KIND": "http://ann:hunter2@host:9200"}, tmp_path)

    assert "hunter2" not in str(refused.value)


def test_blanks_around_an_address_are_no_part_of_it(tmp_path):
    settings = read_settings({"POLARIS_STORE": " file:x ", "POLARIS_LLM_URL": "  "}, tmp_path)

    assert (settings.store, settings.llm_url) == ("file:x", None)


def test_readme_lists_every_setting_as_the_table_has_it_and_no_other():
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    rows = [
        f"| `{s.name}` | {f'`{s.default}`' if s.default else ''} | {s.unit} | {s.help} |"
        for s in SETTINGS
    ]

    assert [line for line in readme.splitlines() if line.startswith("| `POLARIS_")] == rows


@pytest.mark.parametrize("name", ["POLARIS_LLM_API_KEY", "POLARIS_ES_API_KEY"])
def test_blanks_around_a_key_are_no_part_of_it(tmp_path, name):
    settings = read_settings({name: " hunter2\r\n"}, tmp_path)
    empty = read_settings({name: "\n"}, tmp_path)

    assert "hunter2" in (settings.llm_api_key, settings.es_api_key)
    assert empty.llm_api_key is None
    assert empty.es_api_key is None


@pytest.mark.parametrize("name", ["POLARIS_LLM_API_KEY", "POLARIS_ES_API_KEY"])
@pytest.mark.parametrize(
    "key", ["hun\nter2", "hun\x00ter2", "h\u00fcnter2", "hunter2\u200b", "\x7fhunt"]
)
def test_a_key_that_no_header_can_carry_is_refused_and_not_shown(tmp_path, name, key):
    with pytest.raises(SettingInvalid, match="a key of printable ASCII") as refused:
        read_settings({name: key}, tmp_path)

    assert refused.value.exit_code == 2
    assert "hun" not in str(refused.value)
    assert "nter2" not in str(refused.value)
