"""Profiles for comparisons read what live tables do not have; only measuring commands take them."""

import json
from pathlib import Path

import pytest

import mappings
from polaris_search.errors import ProfileUnknown, UsageError
from polaris_search.profiles.model import (
    comparison_profiles,
    measured_profile_named,
    profile_named,
    shipped_profiles,
)
from polaris_search.text.schema import table_schema

MAPPINGS = Path(mappings.__file__).parent


def test_they_read_only_fields_that_a_scratch_generation_has():
    known = table_schema().fields

    read = [field for profile in comparison_profiles().values() for field in profile.fields]
    assert [field for field in read if field not in known] == []
    assert {known[field].analyzer for field in read} == {"reference"}


def test_each_is_a_paper_profile_on_other_analysis():
    for name, profile in comparison_profiles().items():
        paper = profile_named(name.removesuffix("-reference"))

        plain = tuple(field.removesuffix(".reference") for field in profile.best_fields.fields)
        assert plain == paper.best_fields.fields
        assert profile.best_fields.tie_breaker == paper.best_fields.tie_breaker


def test_the_live_mapping_is_the_file_untouched():
    mappings.scratch_tables()

    assert mappings.tables() == json.loads((MAPPINGS / "tables.json").read_text())


@pytest.mark.parametrize("name", comparison_profiles())
def test_a_search_refuses_them_and_says_what_they_are_for(name):
    with pytest.raises(UsageError, match=r"for comparisons.*default, paper, paper-single"):
        profile_named(name)

    assert measured_profile_named(name).name == name


def test_a_name_that_nobody_has_is_told_all_there_are():
    with pytest.raises(ProfileUnknown, match="paper-reference"):
        measured_profile_named("papre")
    assert not comparison_profiles().keys() & shipped_profiles().keys()
