"""The two worked examples of the prompt: made-up tables and descriptions as we want them."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from polaris_search.records import Description


@dataclass(frozen=True, slots=True)
class Example:
    """A table, as the prompt shows one, and its description."""

    name: str
    columns: tuple[str, ...]
    context: Mapping[str, str]
    description: Description


EXAMPLES = (
    Example(
        "hospital admissions",
        ("patient identifier", "ward", "admission date"),
        MappingProxyType({}),
        Description(
            dataset_overview="Stays of patients in hospital wards",
            key_themes_or_topics="hospital care, inpatient stays",
            applications_and_use_cases="planning beds, studying length of stay",
            concepts_and_synonyms="inpatient, clinic, illness",
            keywords_and_themes="patient, ward, admission",
            additional_context="One row for each stay",
        ),
    ),
    Example(
        "bird count",
        ("site", "survey year", "species", "nests"),
        MappingProxyType({"caption": "Seabirds of the north coast"}),
        Description(
            dataset_overview="Yearly counts of seabird nests on the coast",
            key_themes_or_topics="seabirds, breeding, wildlife",
            applications_and_use_cases="tracking populations, conservation",
            concepts_and_synonyms="avian census, colony, fauna",
            keywords_and_themes="bird, species, nest, survey",
            additional_context="Counts by site, year and species",
        ),
    ),
)
