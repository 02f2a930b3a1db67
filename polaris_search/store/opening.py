"""The store that a setting names: `file:FOLDER` is embedded, an http(s) URL is Elasticsearch.

Each store is imported only when it is the one asked for: the embedded path stays quick to start.
"""

from pathlib import Path

from polaris_search.errors import UsageError
from polaris_search.settings import Settings
from polaris_search.store.generations import GenerationalStore

EXPECTED = "Set it to file:FOLDER, for example file:./polaris-data, or to https://host:9200."


def open_store(settings: Settings) -> GenerationalStore:
    """Return the store that POLARIS_STORE names.

    Raises:
        UsageError: the setting is neither a folder nor a usable address.
        PolarisError: the folder cannot be opened. A server is asked nothing yet.
    """
    scheme = settings.store.strip().partition(":")[0].lower()
    if scheme == "file":
        folder = folder_of(settings.store)
        from polaris_search.store.embedded.store import EmbeddedStore

        return EmbeddedStore(folder)
    if scheme in ("http", "https"):
        from polaris_search.store.elasticsearch.store import open_elasticsearch

        return open_elasticsearch(settings)
    raise UsageError(f"POLARIS_STORE has no kind of address that Polaris knows. {EXPECTED}")


def folder_of(url: str) -> Path:
    """Return the folder that `file:FOLDER`, `file:/FOLDER` or `file:///FOLDER` names, as written.

    Raises:
        UsageError: no folder, or one on another host.
    """
    name = url.strip()[len("file:") :]
    if name.startswith("//"):
        host, slash, rest = name[2:].partition("/")
        if host not in ("", "localhost"):
            raise UsageError(f"POLARIS_STORE names a folder on another host. {EXPECTED}")
        name = slash + rest
    if not name.strip():
        raise UsageError(f"POLARIS_STORE names no folder. {EXPECTED}")
    return Path(name).expanduser()
