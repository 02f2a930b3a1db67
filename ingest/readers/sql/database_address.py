"""From the address of a database, as a person has it, to SQLAlchemy's; and what to install for it.

Opens and imports nothing.
"""

from collections.abc import Mapping
from importlib.util import find_spec

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from ingest.readers.address import has_stray_at, shown_address
from polaris_search.errors import SourceUnreadable

PACKAGES: Mapping[str, str] = {
    "postgresql": "'polaris-search[postgres]'",
    "duckdb": "'polaris-search[duckdb]'",
    "mysql": "pymysql",
    "mariadb": "pymysql",
    "mssql": "pyodbc",
    "oracle": "oracledb",
    "snowflake": "snowflake-sqlalchemy",
    "bigquery": "sqlalchemy-bigquery",
    "redshift": "sqlalchemy-redshift",
    "databricks": "databricks-sqlalchemy",
    "trino": "'trino[sqlalchemy]'",
    "clickhouse": "clickhouse-sqlalchemy",
    "hive": "'pyhive[hive]'",
    "awsathena": "'pyathena[sqlalchemy]'",
    "teradatasql": "teradatasqlalchemy",
    "hana": "sqlalchemy-hana",
}
"""What `pip install` wants for a database system."""

WRITE_IT = "Write it as postgresql://user:password@host/database."

# What stands in the addresses that systems hand out, to what of it can be had without a compiler.
_DRIVERS = {
    "postgres": ("postgresql+psycopg", "psycopg"),
    "postgresql": ("postgresql+psycopg", "psycopg"),
    "mysql": ("mysql+pymysql", "pymysql"),
    "mariadb": ("mariadb+pymysql", "pymysql"),
}


def url_of(source: str) -> URL:
    """Return the URL of an address.

    Raises:
        SourceUnreadable: it is none, or may be read in two ways.
    """
    shown = shown_address(source)
    if source.startswith("jdbc:"):
        remedy = f"Leave out jdbc:. {WRITE_IT}"
        raise SourceUnreadable(shown, "This is an address for Java", remedy)
    if has_stray_at(source):
        remedy = "Write every @ of the user, the password and the options as %40."
        raise SourceUnreadable(shown, "The address has an @ too many", remedy)
    try:
        return _with_driver(make_url(source))
    except (ArgumentError, ValueError):  # a port that is no number is a ValueError
        problem = "This is not the address of a database"
        raise SourceUnreadable(shown, problem, WRITE_IT) from None


def how_to_install(url: URL) -> str:
    """Return the next step of a person who lacks the driver, as a sentence."""
    package = PACKAGES.get(url.get_backend_name())
    if package is None:
        return "Install the package that provides it, or name another driver in the address."
    return f"Install it with: pip install {package}."


def _with_driver(url: URL) -> URL:
    drivername, module = _DRIVERS.get(url.drivername, (url.drivername, ""))
    is_there = bool(module) and find_spec(module) is not None
    if is_there or url.drivername == "postgres":  # a name that SQLAlchemy does not know
        return url.set(drivername=drivername)
    return url
