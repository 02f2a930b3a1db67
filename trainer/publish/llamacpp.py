"""Publishing to a llama.cpp server that somebody runs, which reads adapters at its start.

The adapter goes, as GGUF, into a folder that the server reads; an environment file names it and
the old one, and a mark asks for a restart. `/lora-adapters` then lists it, with what the file says
it is; whether an adapter writes is set in each request.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from polaris_search.errors import ServiceUnreachable, UsageError
from polaris_search.llm.identity import Identity, identify
from polaris_search.llm.wire.greedy import Greedy, greedy
from polaris_search.llm.wire.question import asked_about_itself
from trainer.publish.conversion import converted
from trainer.publish.lora_gguf import fingerprint
from trainer.publish.marks import Asking, CanaryFailed, marks_of, require_adapter
from trainer.publish.server_files import (
    RESTART_FILE,
    copy_file,
    environment_of,
    read_environment,
    want_restart,
)
from trainer.publish.target import Publication, PublishFailed

LISTING_S = 10.0
ARGUMENTS = "LLAMA_ADAPTER_ARGUMENTS"
"""The variable that holds what to add to llama-server's command line."""


class LlamacppServers:
    """See Target."""

    def __init__(self, publication: Publication) -> None:
        self._publication = publication

    def put(self) -> tuple[str, ...]:
        """Convert the adapter, have the servers started with it, and ask each with and without."""
        publication, folder = self._publication, self._publication.server_folder
        gguf = converted(publication)
        urls = [url for url in publication.urls if not self._is_listed(url)]
        if not urls:  # who runs them has started them with it already
            return self._all_seen()
        if folder is None:
            raise UsageError(
                f"{publication.access(urls[0]).shown} does not list {publication.name!r}. Start "
                f"llama-server with --lora {gguf} --lora-init-without-apply, or name a folder "
                "that it reads: --server-folder DIR."
            )
        copy_file(gguf, folder / gguf.name)
        was = read_environment(folder)
        try:
            environment = environment_of({ARGUMENTS: self._arguments(folder)})
            want_restart(folder, environment, publication.name)
            for url in urls:
                self._wait_for(url)
            return self._all_seen()
        except BaseException:
            want_restart(folder, was, publication.old)
            raise

    def settle(self) -> tuple[str, ...]:
        """Keep the old adapter loaded, at no scale, so that commands under way can finish."""
        return ()

    def _all_seen(self) -> tuple[str, ...]:
        return tuple(self._seen(url) for url in self._publication.urls)

    def _arguments(self, folder: Path) -> str:
        publication = self._publication
        names = [one for one in (publication.name, publication.old) if one]
        files = [f"{name}.gguf" for name in names if (folder / f"{name}.gguf").is_file()]
        loras = " ".join(f"--lora {publication.as_served(file)}" for file in files)
        return f"{loras} --lora-init-without-apply"

    def _is_listed(self, url: str) -> bool:
        return self._listed(url, self._publication.name) is not None

    def _listed(self, url: str, name: str) -> dict[str, Any] | None:
        access = self._publication.access(url)
        loras = asked_about_itself(access, "/lora-adapters", LISTING_S, is_list=True)
        found = [one for one in loras["data"] if Path(str(one.get("path"))).stem == name]
        return found[0] if found else None

    def _wait_for(self, url: str) -> None:
        publication = self._publication

        def listed() -> bool | None:
            try:
                return self._is_listed(url) or None
            except ServiceUnreachable:  # it is being started again
                return None

        if publication.waiting.until(listed) is None:
            raise PublishFailed(
                f"{publication.access(url).shown} does not list {publication.name!r} "
                f"{publication.waiting.wait_s:g} s after its restart was asked for. Have "
                f"llama-server started again with --lora "
                f"{publication.as_served(publication.name + '.gguf')} --lora-init-without-apply "
                f"whenever {RESTART_FILE} changes in {publication.server_folder}. "
                "Now that folder names what served before."
            )

    def _seen(self, url: str) -> str:
        publication, name = self._publication, self._publication.name
        shown = publication.access(url).shown
        entry, expected = self._listed(url, name) or {}, fingerprint(name, publication.folder)
        if entry.get("task_name", expected) != expected:
            raise CanaryFailed(
                f"{shown} lists {name!r} and has read another file under that name: it says "
                f"{entry['task_name']!r} of itself, not {expected!r}. Start it again."
            )
        identity = identify(url, "llamacpp", name, publication.settings.llm_api_key)
        base = replace(identity, loras=tuple((number, 0.0) for number, _ in identity.loras))
        ask_base = self._asking(url, base)
        bases = (marks_of(ask_base), marks_of(ask_base))
        marks = marks_of(self._asking(url, identity))
        require_adapter(name, marks, bases, self._old_marks(url))
        return f"{shown} has read {expected!r}, and writes with it differently from its base model."

    def _old_marks(self, url: str) -> Any:
        old = self._publication.old
        if old is None or self._listed(url, old) is None:
            return None
        identity = identify(url, "llamacpp", old, self._publication.settings.llm_api_key)
        return marks_of(self._asking(url, identity))

    def _asking(self, url: str, identity: Identity) -> Asking:
        access, timeout_s = self._publication.access(url), self._publication.settings.llm_timeout_s

        def ask(prompt: str, max_tokens: int) -> Greedy:
            return greedy(
                access,
                identity.asked_as,
                prompt,
                max_tokens=max_tokens,
                timeout_s=timeout_s,
                loras=identity.loras,
            )

        return ask
