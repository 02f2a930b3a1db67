"""What an operator should know of a store beside whether it works; `doctor` shows it."""

from dataclasses import dataclass

from polaris_search.settings import Settings


@dataclass(frozen=True, slots=True)
class StoreNotice:
    """One thing to know.

    Attributes:
        about: what it is about.
        text: what there is to know, as sentences.
        exit_code: what a command would exit with because of it; 0: nothing is wrong.
    """

    about: str
    text: str
    exit_code: int = 0


def store_notices(settings: Settings) -> tuple[StoreNotice, ...]:
    """Return what there is to know of the store that POLARIS_STORE names.

    Raises:
        PolarisError: it cannot be asked.
    """
    if settings.store.strip().partition(":")[0].lower() not in ("http", "https"):
        return ()
    from polaris_search.store.elasticsearch.notices import notices
    from polaris_search.store.elasticsearch.server.connection import connect
    from polaris_search.store.elasticsearch.store import ALIAS

    connection = connect(settings)
    try:
        return notices(connection, ALIAS)
    finally:
        connection.close()
