"""The `polaris-admin` command: its commands in the order of the loop.

The one place that turns errors into words and exit codes. Commands import what they need when
they run, so that `--help` and `search` start fast.
"""

import sys
from typing import Annotated

import typer

from polaris_search.cli import (
    delete,
    demo,
    doctor,
    evaluate,
    evaluate_expansion,
    ingest,
    search,
    show,
)
from polaris_search.errors import PolarisError

app = typer.Typer(
    name="polaris-admin",
    help="Find tables whose names are cryptic: expand, describe, index, search, measure.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


@app.callback()
def options(
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the whole trace of an error.")
    ] = False,
) -> None:
    """Find tables whose names are cryptic: expand, describe, index, search, measure."""
    # Read by main() from the arguments: an error may come before this callback has run.


app.command()(demo.demo)
app.command()(doctor.doctor)
app.command("ingest")(ingest.ingest_tables)
app.command()(delete.delete)
app.command()(search.search)
app.command()(show.show)
app.command()(evaluate.evaluate)
app.command("evaluate-expansion")(evaluate_expansion.evaluate_expansion)


def main() -> None:
    """Run the command line.

    Exits 0 done, 1 refused or partly failed, 2 usage, 3 a service is not reachable.
    """
    try:
        app()
    except PolarisError as error:
        if "--debug" in sys.argv:
            raise
        print(f"Error: {error}", file=sys.stderr)  # noqa: T201 - the one place that prints errors
        sys.exit(error.exit_code)


if __name__ == "__main__":
    main()
