"""The descriptions that a run compares: systems by name, for each data set what a file says.

A file holds the tables of any number of data sets; a folder one file for each, DATASET.jsonl.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polaris_search.errors import UsageError
from polaris_search.experiments.given_descriptions import GivenDescriptions, read_descriptions


@dataclass(frozen=True, slots=True)
class System:
    """One system's descriptions.

    Attributes:
        name: by which rows ask for them.
        files: by data set, the file that they stand in.
        descriptions: by data set.
    """

    name: str
    files: Mapping[str, Path]
    descriptions: Mapping[str, GivenDescriptions]


def named_paths(options: Sequence[str], form: str = "--descriptions NAME=FILE") -> dict[str, Path]:
    """Return what NAME=PATH arguments name; `form` is how a person was asked to write them.

    Raises:
        UsageError: an option of another form, or a name twice.
    """
    found: dict[str, Path] = {}
    for option in options:
        name, equals, path = option.partition("=")
        if not equals or not name or not path or name in found:
            raise UsageError(f"{option!r} is not of the form {form}, with a name of its own.")
        found[name] = Path(path)
    return found


def read_system(name: str, path: Path, datasets: Sequence[str]) -> System:
    """Return a system's descriptions of these data sets.

    Raises:
        UsageError: a folder that lacks the file of a data set.
        EvaluationDataInvalid: as read_descriptions.
    """
    files = {dataset: path / f"{dataset}.jsonl" if path.is_dir() else path for dataset in datasets}
    missing = [str(file) for file in files.values() if path.is_dir() and not file.is_file()]
    if missing:
        raise UsageError(
            f"The descriptions of {name} lack {', '.join(missing)}. Put a file for each data set "
            "there, or name one file for all."
        )
    read = {file: read_descriptions(file) for file in dict.fromkeys(files.values())}
    return System(name, files, {dataset: read[file] for dataset, file in files.items()})
