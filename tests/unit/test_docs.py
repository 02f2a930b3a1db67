import re
from pathlib import Path

import pytest
import typer.main
from typer.testing import CliRunner

from polaris_search.cli.main import app
from polaris_search.profiles.model import shipped_profiles

ROOT = Path(__file__).parents[2]


def commands_of(group, *before):
    """Yield every command, those of groups too, as the words that a person types."""
    for name, command in sorted(group.commands.items()):
        yield " ".join((*before, name))
        yield from commands_of(command, *before, name) if hasattr(command, "commands") else ()


COMMANDS = list(commands_of(typer.main.get_command(app)))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example_and_stands_in_the_readme(command):
    shown = CliRunner().invoke(app, [*command.split(), "--help"]).output

    assert f"Example: polaris-admin {command}" in " ".join(shown.split())
    assert re.search(rf"`{command}[ `]", (ROOT / "README.md").read_text())


def test_readme_names_every_folder_of_the_project():
    readme = (ROOT / "README.md").read_text()
    folders = [path.parent.name for path in ROOT.glob("*/") if (path / "__init__.py").exists()]
    expected = {"polaris_search", "ingest", "trainer", "mappings", "examples", *folders} - {
        ROOT.name
    }

    assert [folder for folder in sorted(expected) if f"`{folder}/`" not in readme] == []


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda p: p.name
)
def test_every_link_of_a_page_leads_to_a_file(page):
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)\)", page.read_text())

    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_page_on_searching_explains_every_profile():
    page = (ROOT / "docs" / "searching.md").read_text()

    assert [name for name in shipped_profiles() if f"`{name}`" not in page] == []


def test_no_page_or_source_names_a_folder_of_the_machine_it_was_written_on():
    suspicious = [str(ROOT) + "/", str(Path.home()) + "/"]
    texts = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("polaris_search/**/*.py")]

    assert [p.name for p in texts for word in suspicious if word in p.read_text()] == []
