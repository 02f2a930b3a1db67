"""`polaris-admin adapters`: what was trained, what of it writes, and how that is changed."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from polaris_search.cli import gate
from polaris_search.cli.output import JsonOption, print_json, print_text, tell

if TYPE_CHECKING:
    from polaris_search.settings import Settings
    from trainer.adapters.registry import Registry
    from trainer.publish.target import Publication

app = typer.Typer(
    help="See adapters, take one in, have it written with, go back.\n\n"
    "Example: polaris-admin adapters list",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="As `adapters list` shows it.")]
ForceOption = Annotated[
    str | None,
    typer.Option(metavar="REASON", help="Without the gate's consent; the reason is kept."),
]
BaseOption = Annotated[
    Path | None,
    typer.Option(
        metavar="PATH",
        help="Base model that a conversion for llama.cpp goes by: its folder or GGUF file. "
        "Default: the local model's, else the one that the adapter names.",
    ),
]


@app.command("list")
def list_adapters(as_json: JsonOption = False) -> None:
    """List the adapters with their states, the newest last.

    Example: polaris-admin adapters list
    """
    from polaris_search.cli.adapters_report import entry_json, print_entries

    registry, _ = _registry()
    entries = registry.entries()
    if as_json:
        print_json({"current": registry.current, "adapters": [entry_json(one) for one in entries]})
    else:
        print_entries(entries, registry.current)


@app.command()
def show(name: NameArgument, as_json: JsonOption = False) -> None:
    """Show how an adapter came to be, what the gate said of it, and when it was in use.

    Example: polaris-admin adapters show polaris-desc-20261130t020000z
    """
    from polaris_search.cli.adapters_report import print_shown, shown_json

    registry, _ = _registry()
    entry = registry.entry(name)
    if as_json:
        print_json(shown_json(entry, registry.history()))
    else:
        print_shown(entry, registry.history())


@app.command()
def add(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="What `polaris-admin train --out DIR` wrote.")
    ],
    name: Annotated[
        str | None, typer.Option(help="What to call it. Default: as its record does.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Take an adapter's folder into the registry, a candidate; each of its numbers is looked at.

    Example: polaris-admin adapters add runs/tonight
    """
    from polaris_search.cli.adapters_report import entry_json
    from trainer.adapters.adding import add as add_folder
    from trainer.adapters.gate_file import judge

    registry, _ = _registry()
    entry = add_folder(registry, folder, name)
    if as_json:
        print_json(entry_json(entry))
    else:
        print_text(f"{entry.name} is a candidate. {judge(entry.name)}")


@app.command()
def promote(
    context: typer.Context,
    name: NameArgument,
    force: ForceOption = None,
    base: BaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a candidate the adapter in use, if the gate lets it; servers are not touched.

    Example: polaris-admin adapters promote polaris-desc-20261130t020000z
    """
    from dataclasses import replace

    from polaris_search.cli.adapters_report import change_json
    from trainer.adapters.promotion import decision
    from trainer.adapters.promotion import promote as make_current
    from trainer.publish.conversion import converted

    registry, settings = _registry()
    decided = decision(registry, force, since=context.obj)
    if settings.llm_kind == "local":  # which reads it from now on
        converted(replace(_publication(registry, settings, registry.require(name)), base=base))
    change = make_current(registry, name, decided)
    if as_json:
        print_json(change_json(change))
    else:
        print_text(f"{name} is in use; before it was {change.was or 'the base model'}.")
    if settings.llm_kind != "local":
        tell(f"Servers do not have it yet: polaris-admin adapters publish {name}")


@app.command()
def rollback(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Default: the one in use before.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Make the adapter that was in use before the one in use again; servers are not touched.

    Back from the first one is the base model alone.

    Example: polaris-admin adapters rollback
    """
    from polaris_search.cli.adapters_report import change_json
    from trainer.adapters.promotion import decision
    from trainer.adapters.promotion import rollback as roll_back

    registry, settings = _registry()
    change = roll_back(registry, name, decision(registry, since=context.obj))
    if as_json:
        print_json(change_json(change))
    else:
        now, was = change.adapter or "The base model", change.was or "the base model"
        print_text(f"{now} is in use again; it was {was}.")
    if settings.llm_kind != "local" and change.adapter:
        tell(f"Servers may not have it any more: polaris-admin adapters publish {change.adapter}")


@app.command()
def publish(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Default: the one in use.")
    ] = None,
    server_folder: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder that the servers read adapters from. vLLM: default the registry itself.",
        ),
    ] = None,
    server_path: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="The same, as the servers see it, if they differ."),
    ] = None,
    wait_s: Annotated[
        float, typer.Option(min=0, help="Longest wait for a server that is started again, s.")
    ] = 300.0,
    force: ForceOption = None,
    base: BaseOption = None,
    as_json: JsonOption = False,
) -> None:
    """Have the servers serve an adapter, see that it writes, then make it the one in use.

    If any server fails, what served before still does, and the registry is as it was.

    Example: polaris-admin adapters publish polaris-desc-20261130t020000z
    """
    from dataclasses import replace
    from pathlib import PurePosixPath

    from polaris_search.cli.adapters_report import print_published, published_json
    from trainer.adapters.promotion import decision
    from trainer.publish.publish import name_to_publish
    from trainer.publish.publish import publish as have_served
    from trainer.publish.target import Waiting

    registry, settings = _registry()
    decided = decision(registry, force, since=context.obj)
    publication = replace(
        _publication(registry, settings, name_to_publish(registry, name)),
        base=base,
        server_folder=server_folder,
        server_path=PurePosixPath(server_path) if server_path else None,
        waiting=Waiting(wait_s),
    )
    published = have_served(registry, publication, decided)
    for notice in published.notices:
        tell(notice)
    if as_json:
        print_json(published_json(published))
    else:
        print_published(published)


app.command()(gate.gate)


def _registry() -> "tuple[Registry, Settings]":
    from polaris_search.settings import read_settings
    from trainer.adapters.registry import Registry

    settings = read_settings()
    return Registry(settings.home), settings


def _publication(registry: "Registry", settings: "Settings", name: str) -> "Publication":
    from trainer.publish.target import Publication

    current = registry.current
    old = None if current == name else current
    return Publication(settings, name, registry.root / name, old)
