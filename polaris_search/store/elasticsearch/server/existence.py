"""Whether there is an index or an alias of a name."""

from elasticsearch import Elasticsearch, NotFoundError


def is_there(client: Elasticsearch, name: str) -> bool:
    """Return whether an index or an alias has this name.

    Asked by GET: where a HEAD is refused, the server does not say for want of which right.

    Raises:
        ApiError, TransportError: as the client raises them.
    """
    try:
        client.indices.get(index=name, features="aliases")
    except NotFoundError:
        return False
    return True
