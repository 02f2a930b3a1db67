"""A PostgreSQL server of the tests' own: a new cluster in a temporary folder, on a free port.

Needs initdb and pg_ctl on the PATH or in the folder that POLARIS_TEST_PG_BIN names, as Debian's
package `postgresql` brings them. They refuse to run as root; then the cluster is that of the user
`postgres` or `nobody`.
"""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy

ADMIN = "polaris_admin"
UNPRIVILEGED = ("postgres", "nobody")


@dataclass(frozen=True)
class PostgresServer:
    """A server that runs. Everybody is let in without a password from this machine."""

    port: int

    def url(self, database: str = "postgres", user: str = ADMIN) -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def execute(self, *statements: str, database: str = "postgres") -> None:
        url = sqlalchemy.make_url(self.url(database)).set(drivername="postgresql+psycopg")
        engine = sqlalchemy.create_engine(url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            for statement in statements:
                connection.exec_driver_sql(statement)
        engine.dispose()


def programs() -> Path | None:
    """Return the folder of initdb and pg_ctl, None where they are not installed."""
    named = os.environ.get("POLARIS_TEST_PG_BIN")
    found = shutil.which("pg_ctl", path=named) if named else shutil.which("pg_ctl")
    return Path(os.path.realpath(found)).parent if found else None


@contextmanager
def postgres_server(bin_folder: Path) -> Iterator[PostgresServer]:
    user = _unprivileged_user()
    with tempfile.TemporaryDirectory(prefix="polaris-pg-", ignore_cleanup_errors=True) as folder:
        if user is not None:
            shutil.chown(folder, user)
        data, log, port = f"{folder}/data", f"{folder}/log", _free_port()
        _run(user, bin_folder / "initdb", "-D", data, "-U", ADMIN, "-A", "trust", "-E", "UTF8",
             "--locale=C", "--no-sync")  # fmt: skip
        options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        _run(user, bin_folder / "pg_ctl", "-D", data, "-l", log, "-o", options, "-w", "start")
        try:
            yield PostgresServer(port)
        finally:
            _run(user, bin_folder / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")


def _unprivileged_user() -> str | None:
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in UNPRIVILEGED if name in known)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def _run(user: str | None, *command: object) -> None:
    as_user = {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []} if user else {}
    # pg_ctl's server would keep a pipe open for as long as it lives, so output goes to nowhere.
    done = subprocess.run(
        list(map(str, command)), cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, check=False, timeout=120, **as_user,
    )  # fmt: skip
    assert done.returncode == 0, f"{command[0]} exited with {done.returncode}"
