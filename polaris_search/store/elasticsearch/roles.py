"""The roles of those who use the tables, put into Elasticsearch from mappings/roles.json."""

from elasticsearch import AuthorizationException, BadRequestError

import mappings
from polaris_search.errors import StoreProblem
from polaris_search.store.elasticsearch.server.connection import Connection


def apply_roles(connection: Connection) -> tuple[str, ...]:
    """Create or renew each role, and return their names. Users and keys are left alone.

    Raises:
        StoreProblem: the user or key may not manage roles, or the server has no security.
    """
    roles = mappings.roles()
    with connection.answering():
        try:
            for name, role in roles.items():
                connection.client.security.put_role(name=name, **role)
        except AuthorizationException as error:
            raise StoreProblem(
                f"Elasticsearch at {connection.address}: the user or key may not manage roles. "
                "Use one with the cluster privilege manage_security, such as elastic, or have "
                "somebody send the roles of mappings/roles.json (see docs/operating.md)."
            ) from error
        except BadRequestError as error:
            if "no handler found" not in str(error):
                raise
            raise StoreProblem(
                f"Elasticsearch at {connection.address} runs without security, so it has no roles: "
                "whoever reaches it may do everything. Switch security on (xpack.security.enabled) "
                "and run the command again."
            ) from error
    return tuple(roles)
