"""Publishing to vLLM servers that run: each loads the adapter under its new name, all or none.

After the canary, and once the adapter is in use, the old one is unloaded.
"""

from contextlib import suppress
from pathlib import PurePath

from polaris_search.errors import PolarisError
from polaris_search.llm.adapters import (
    AdapterRefused,
    listed_models,
    load_adapter,
    unload_adapter,
)
from polaris_search.llm.wire.greedy import Greedy, greedy
from trainer.publish.marks import Asking, CanaryFailed, marks_of, require_adapter
from trainer.publish.server_files import copy_adapter
from trainer.publish.target import Publication


class VllmServers:
    """See Target."""

    def __init__(self, publication: Publication) -> None:
        self._publication = publication
        self._key = publication.settings.llm_api_key

    def put(self) -> tuple[str, ...]:
        """Load the adapter everywhere and ask each server; unload it again where one fails."""
        publication = self._publication
        path = self._path()
        loaded: list[str] = []
        try:
            for url in publication.urls:
                self._load(url, path, loaded)
            return tuple(self._seen(url) for url in publication.urls)
        except BaseException:
            for url in loaded:  # also on Ctrl-C: half of the servers would have it
                with suppress(PolarisError):
                    unload_adapter(url, self._key, publication.name)
            raise

    def settle(self) -> tuple[str, ...]:
        """Unload the old adapter everywhere."""
        old = self._publication.old
        if old is None:
            return ()
        kept = []
        for url in self._publication.urls:
            try:
                unload_adapter(url, self._key, old)
            except PolarisError as error:
                kept.append(f"The old adapter stays loaded, which harms nothing: {error}")
        return tuple(kept)

    def _path(self) -> PurePath:
        publication = self._publication
        if publication.server_folder is not None:
            copy_adapter(publication.folder, publication.server_folder / publication.name)
        return publication.as_served(publication.name) or publication.folder.resolve()

    def _load(self, url: str, path: PurePath, loaded: list[str]) -> None:
        name = self._publication.name
        listed = listed_models(url, self._key).get(name)
        if listed is not None and listed.root == str(path):
            return  # an earlier try was cut off after this: a name stands for one adapter for ever
        load_adapter(url, self._key, name, path)
        loaded.append(url)

    def _seen(self, url: str) -> str:
        name, old = self._publication.name, self._publication.old
        listed = listed_models(url, self._key)
        shown = self._publication.access(url).shown
        if name not in listed:
            raise AdapterRefused(f"{shown} took {name!r}, and does not list it. Look at its log.")
        base = listed[name].parent or next(
            (one for one, entry in listed.items() if entry.parent is None), name
        )
        ask_base = self._asking(url, base)
        bases = (marks_of(ask_base), marks_of(ask_base))
        before = marks_of(self._asking(url, old)) if old in listed and old is not None else None
        require_adapter(name, marks_of(self._asking(url, name)), bases, before)
        return f"{shown} lists {name!r}, answers under its name, and differently from {base!r}."

    def _asking(self, url: str, model: str) -> Asking:
        access, timeout_s = self._publication.access(url), self._publication.settings.llm_timeout_s

        def ask(prompt: str, max_tokens: int) -> Greedy:
            reply = greedy(access, model, prompt, max_tokens=max_tokens, timeout_s=timeout_s)
            if reply.model != model:
                raise CanaryFailed(
                    f"{access.shown} was asked for {model!r} and answered as {reply.model!r}. "
                    "Look at its log, and that POLARIS_LLM_KIND is what serves it."
                )
            return reply

        return ask
