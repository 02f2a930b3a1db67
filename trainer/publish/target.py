"""What is published and where to, and the promise that each kind of server's publishing keeps."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Protocol, TypeVar

from polaris_search.addresses import addresses_of
from polaris_search.errors import PolarisError, UsageError
from polaris_search.llm.wire.access import Access, chat_access
from polaris_search.settings import Settings

T = TypeVar("T")

WAIT_S = 300.0
"""A model of some gigabytes is read from the disk in this time."""
POLL_S = 1.0


class PublishFailed(PolarisError):
    """An adapter does not serve; what served before does. The sentence says what to do."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """How long a server that is started again is waited for."""

    wait_s: float = WAIT_S
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def until(self, found: Callable[[], T | None]) -> T | None:
        """Return what `found` returns as soon as that is something; None if it stays nothing."""
        end = self.clock() + self.wait_s
        while (result := found()) is None:
            if self.clock() >= end:
                return None
            self.sleep(POLL_S)
        return result


@dataclass(frozen=True, slots=True)
class Publication:
    """An adapter on its way to the servers.

    Attributes:
        settings: name the servers, their kind and their key.
        name: the adapter's.
        folder: where it is in the registry.
        old: the adapter in use before; None for the base model alone, or for the same.
        base: the base model for converting, a folder or a GGUF file; None where not named.
        server_folder: a folder that the servers read from, as this machine sees it.
        server_path: the same, as the servers see it; None where they see it alike.
        waiting: for servers that are started again.
    """

    settings: Settings
    name: str
    folder: Path
    old: str | None
    base: Path | None = None
    server_folder: Path | None = None
    server_path: PurePath | None = None
    waiting: Waiting = field(default_factory=Waiting)

    @property
    def urls(self) -> tuple[str, ...]:
        """The servers' addresses; each may hold credentials.

        Raises:
            UsageError: there are none.
        """
        urls = tuple(addresses_of(self.settings.llm_url or ""))
        if not urls:
            raise UsageError(
                "There is no server to publish to. Set POLARIS_LLM_URL and POLARIS_LLM_KIND, or "
                "POLARIS_LLM_KIND=local."
            )
        return urls

    def access(self, url: str) -> Access:
        """Return the access to one of the servers."""
        return chat_access(url, self.settings.llm_api_key)

    def as_served(self, file: str) -> PurePath | None:
        """Return where the server sees a file of the server folder; None without such a folder."""
        if self.server_folder is None:
            return None
        return (self.server_path or self.server_folder.resolve()) / file


class Target(Protocol):
    """The servers of one kind."""

    def put(self) -> tuple[str, ...]:
        """Have all servers serve the adapter beside what they serve, and see that it writes.

        Returns what was seen, in sentences. Where one server fails, what served before does again.

        Raises:
            PolarisError: it does not serve, and why.
        """

    def settle(self) -> tuple[str, ...]:
        """Let go of what is no longer in use; return what a person should know."""
