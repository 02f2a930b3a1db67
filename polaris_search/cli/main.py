"""The `polaris-admin` command: its commands in the order of the loop.

The one place that turns errors into words and exit codes. Commands import what they need when
they run, so that `--help` and `search` start fast.
"""

import errno
import os
import signal
import sys
from types import FrameType
from typing import Annotated

import typer

from polaris_search.cli import (
    adapters,
    candidates,
    delete,
    demo,
    doctor,
    evaluate,
    evaluate_expansion,
    experiment,
    export,
    import_records,
    index,
    ingest,
    pairs,
    reindex,
    search,
    show,
    train,
)
from polaris_search.cli.output import print_anything, tell
from polaris_search.cli.process_start import process_start
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
app.command()(reindex.reindex)
app.add_typer(index.app, name="index")
app.command()(export.export)
app.command("import")(import_records.import_records)
app.command()(evaluate.evaluate)
app.command("evaluate-expansion")(evaluate_expansion.evaluate_expansion)
app.command()(candidates.candidates)
app.command()(pairs.pairs)
app.command()(train.train)
app.add_typer(adapters.app, name="adapters")
app.add_typer(experiment.app, name="experiment")


def main() -> None:
    """Run the command line.

    Exits 0 done, 1 refused or partly failed, 2 usage, 3 a service is not reachable; 130 or 143 when
    interrupted or terminated, after tidying up.
    """
    signal.signal(signal.SIGTERM, _terminated)
    print_anything()
    try:
        app(obj=process_start())
        sys.stdout.flush()
    except PolarisError as error:
        if "--debug" in sys.argv:
            raise
        tell(f"Error: {error}")
        sys.exit(error.exit_code)
    except OSError as error:  # what is left here is the output: every other place has its own words
        if "--debug" in sys.argv or error.errno not in _OUTPUT_FAULTS:
            raise
        tell(f"Error: the output cannot be written: {error.strerror}. Send it elsewhere.")
        _leave_output_unflushed()
        sys.exit(1)


_OUTPUT_FAULTS = (errno.ENOSPC, errno.EIO, errno.EBADF, errno.EDQUOT)


def _terminated(number: int, frame: FrameType | None) -> None:
    """Turn a polite kill into an exit, so that what was begun is tidied up on the way out."""
    sys.exit(128 + number)


def _leave_output_unflushed() -> None:
    """Keep the interpreter from failing once more, with a trace, as it closes stdout."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    os.close(devnull)


if __name__ == "__main__":
    main()
