"""Generations: each holds a set of tables, one is live, and each is known by its number.

A generation's content is identified by the sum of its tables' digests: equal tables give an equal
content, however they got there, and a write changes it without reading the other tables.
"""

import secrets
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime

from polaris_search.errors import StoreProblem
from polaris_search.store.embedded.database import Database

NO_CONTENT = "0" * 64
STAMP = "%Y%m%dt%H%M%Sz"
"""When a generation was made, in UTC, as its name has it."""

_COLUMNS = "number, name, content, revision, tables, refreshed_content, refreshed_revision"
_LIVE = f"SELECT {_COLUMNS} FROM generations WHERE number = (SELECT generation FROM live)"
_NUMBERED = f"SELECT {_COLUMNS} FROM generations WHERE number = ? AND NOT dropped"
_INSERT = """INSERT INTO generations
    (name, scratch, content, revision, tables, refreshed_content, refreshed_revision)
    VALUES (?, ?, ?, 0, 0, ?, 0)"""
_ADVANCE = """UPDATE generations SET content = ?, revision = revision + 1, tables = tables + ?
    WHERE number = ?"""
_REFRESH = """UPDATE generations SET refreshed_content = content, refreshed_revision = revision
    WHERE number = ?"""
_ORIGIN = "UPDATE generations SET from_sources = ? WHERE number = ?"
_FOLLOW = "UPDATE generations SET recipe = ?, follows = ? WHERE number = ?"
_BECOME_LIVE = """UPDATE generations SET recipe = NULL, follows = NULL, live_at = ?,
    turn = (SELECT MAX(turn) + 1 FROM generations),
    refreshed_content = content, refreshed_revision = revision WHERE number = ?"""


@dataclass(frozen=True, slots=True)
class Generation:
    """The state of a generation.

    Attributes:
        number: its key; never used again.
        name: what people see of it.
        content: identifies the tables it holds, 64 hex digits.
        revision: grows with every write.
        tables: how many tables it holds.
        refreshed_content: the content at the last refresh.
        refreshed_revision: the revision at the last refresh.
    """

    number: int
    name: str
    content: str
    revision: int
    tables: int
    refreshed_content: str
    refreshed_revision: int


class GenerationGone(StoreProblem):
    """The generation was dropped; whoever wants the live one asks for that anew."""

    def __init__(self, number: int) -> None:
        super().__init__(f"Generation {number} is gone; it was dropped. Run the command again.")


def read_generation(source: Database | sqlite3.Connection, number: int | None) -> Generation:
    """Return the generation of this number, the live one for None.

    Raises:
        GenerationGone: there is none of this number (any more).
        StoreProblem: no generation is live.
    """
    statement, values = (_LIVE, ()) if number is None else (_NUMBERED, (number,))
    if isinstance(source, Database):
        row = source.row(statement, values)
    else:
        row = source.execute(statement, values).fetchone()
    if row is not None:
        return Generation(*row)
    if number is None:
        raise StoreProblem(
            "The store's database says of no generation that it is live. Put polaris.sqlite back "
            "from a backup, or move the folder away and ingest again."
        )
    raise GenerationGone(number)


def live_number(connection: sqlite3.Connection) -> int:
    """Return the number of the live generation."""
    (number,) = connection.execute("SELECT generation FROM live").fetchone()
    return int(number)


def create_live_generation(connection: sqlite3.Connection) -> None:
    """Create a new database's first generation and make it the live one."""
    number = create_generation(connection, new_name("tables"))
    connection.execute("INSERT INTO live VALUES (1, ?)", (number,))
    connection.execute(_BECOME_LIVE, (_now(), number))


def create_staged_generation(
    connection: sqlite3.Connection, recipe: str, *, from_sources: bool
) -> int:
    """Return the number of a new generation for which the live one's writes are logged."""
    number = create_generation(connection, new_name("tables"))
    follow_live(connection, number, recipe)
    connection.execute(_ORIGIN, (from_sources, number))
    return number


def follow_live(connection: sqlite3.Connection, number: int, recipe: str | None) -> None:
    """Log what is written to the live generation for this one, from this transaction on."""
    connection.execute(_FOLLOW, (recipe, live_number(connection), number))


def make_live(connection: sqlite3.Connection, number: int) -> None:
    """Make this the live generation, all of it searchable; nothing is logged for it any more."""
    connection.execute("UPDATE live SET generation = ?", (number,))
    connection.execute(_BECOME_LIVE, (_now(), number))


def advance(connection: sqlite3.Connection, number: int, change: int, tables: int) -> None:
    """Record a write: `change` is the sum of digests added less those taken away."""
    (content,) = connection.execute(
        "SELECT content FROM generations WHERE number = ?", (number,)
    ).fetchone()
    content = f"{(int(content, 16) + change) % (1 << 256):064x}"
    connection.execute(_ADVANCE, (content, tables, number))


def mark_refreshed(database: Database, generation: Generation) -> None:
    """Record that everything written so far is to be found by searches from now on."""
    if generation.refreshed_revision < generation.revision:
        with database.writing() as connection:
            connection.execute(_REFRESH, (generation.number,))


def contents(source: sqlite3.Connection) -> set[str]:
    """Return every content that some generation has or had at its last refresh."""
    rows = source.execute("SELECT content, refreshed_content FROM generations").fetchall()
    return {content for row in rows for content in row}


def create_generation(connection: sqlite3.Connection, name: str, *, scratch: bool = False) -> int:
    """Return the number of a new empty generation."""
    number = connection.execute(_INSERT, (name, scratch, NO_CONTENT, NO_CONTENT)).lastrowid
    if number is None:
        raise StoreProblem("SQLite gave the new generation no number. Report this.")
    return number


def new_name(kind: str) -> str:
    """Return a name that no generation has had: its kind, the time in UTC, and a random part."""
    return f"{kind}-{datetime.now(UTC):{STAMP}}-{secrets.token_hex(4)}"


def made_at(name: str) -> datetime | None:
    """Return when the generation of this name was made, None if the name does not tell."""
    try:
        return datetime.strptime(name.split("-")[1], STAMP).replace(tzinfo=UTC)
    except (IndexError, ValueError):
        return None


def _now() -> str:
    return datetime.now(UTC).isoformat()
