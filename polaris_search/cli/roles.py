"""`polaris-admin doctor --apply-roles`: the roles that ship, put into Elasticsearch."""

from typing import TYPE_CHECKING, Annotated

import typer

from polaris_search.errors import UsageError

if TYPE_CHECKING:
    from polaris_search.settings import Settings

ApplyRolesOption = Annotated[
    bool,
    typer.Option(
        "--apply-roles", help="First create or renew the roles of mappings/roles.json there."
    ),
]


def apply_roles(settings: "Settings") -> tuple[str, ...]:
    """Create or renew the roles on the server that POLARIS_STORE names, and return their names.

    Raises:
        UsageError: it names no server.
        PolarisError: the server cannot be asked, or does not let this user or key manage roles.
    """
    if settings.store.strip().partition(":")[0].lower() not in ("http", "https"):
        raise UsageError(
            "POLARIS_STORE names no Elasticsearch, and only that has roles. "
            "Set it to https://user:password@host:9200, as somebody who may manage_security."
        )
    from polaris_search.store.elasticsearch.roles import apply_roles as apply_to
    from polaris_search.store.elasticsearch.server.connection import connect

    connection = connect(settings)
    try:
        return apply_to(connection)
    finally:
        connection.close()
