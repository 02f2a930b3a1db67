"""Publishing to Text Generation Inference, which reads adapters at its start and lists none.

The adapter goes into a folder that TGI reads, `LORA_ADAPTERS` names it and the old one, and a mark
asks for a restart. A name that TGI does not know is answered by its base model without a word, so
only what it writes shows that the adapter is there.
"""

from polaris_search.errors import PolarisError, UsageError
from polaris_search.llm.failures import ChatFailed
from polaris_search.llm.identity import TGI_BASE
from polaris_search.llm.wire.greedy import Greedy, greedy
from trainer.publish.marks import (
    Asking,
    Marks,
    are_apart,
    marks_of,
    noise_of,
    quick_marks,
    require_adapter,
)
from trainer.publish.server_files import (
    ENVIRONMENT_FILE,
    RESTART_FILE,
    copy_adapter,
    environment_of,
    read_environment,
    want_restart,
)
from trainer.publish.target import Publication, PublishFailed


class TgiServers:
    """See Target."""

    def __init__(self, publication: Publication) -> None:
        self._publication = publication

    def put(self) -> tuple[str, ...]:
        """Lay out the adapter, ask for a restart, wait until the adapter writes, look closely."""
        publication, folder = self._publication, self._publication.server_folder
        if folder is None:
            raise UsageError(
                "TGI reads adapters from a folder at its start. Name one, as this machine sees it: "
                "--server-folder DIR (and as TGI sees it, if that differs: --server-path PATH)."
            )
        before = {url: self._old_marks(url) for url in publication.urls}
        copy_adapter(publication.folder, folder / publication.name)
        was = read_environment(folder)
        try:
            want_restart(
                folder, environment_of({"LORA_ADAPTERS": self._adapters()}), publication.name
            )
            for url in publication.urls:
                self._wait_for(url)
            return tuple(self._seen(url, before[url]) for url in publication.urls)
        except BaseException:
            want_restart(folder, was, publication.old)
            raise

    def settle(self) -> tuple[str, ...]:
        """Keep the old adapter loaded, so that commands under way can finish with it."""
        old = self._publication.old
        if old is None:
            return ()
        return (f"TGI keeps {old!r} loaded until the next adapter is published.",)

    def _adapters(self) -> str:
        names = [one for one in (self._publication.name, self._publication.old) if one]
        return ",".join(f"{name}={self._publication.as_served(name)}" for name in names)

    def _wait_for(self, url: str) -> None:
        publication = self._publication
        base, adapter = self._asking(url, TGI_BASE), self._asking(url, publication.name)

        def writes() -> bool | None:
            try:
                bases = quick_marks(base), quick_marks(base)
                return are_apart(quick_marks(adapter), bases[0], noise_of(*bases)) or None
            except PolarisError:  # it is being started again
                return None

        if publication.waiting.until(writes) is None:
            folder = publication.server_folder
            raise PublishFailed(
                f"{publication.access(url).shown} does not write as {publication.name!r} "
                f"{publication.waiting.wait_s:g} s after its restart was asked for. Have TGI "
                f"started again with LORA_ADAPTERS={self._adapters()} whenever "
                f"{RESTART_FILE} changes in {folder}; {ENVIRONMENT_FILE} beside it says the same. "
                "Now both name what served before."
            )

    def _seen(self, url: str, old: Marks | None) -> str:
        name, ask_base = self._publication.name, self._asking(url, TGI_BASE)
        bases = (marks_of(ask_base), marks_of(ask_base))
        if old is not None and not are_apart(old, bases[0], noise_of(*bases)):
            old = None  # it was not loaded: the base answered in its name
        require_adapter(name, marks_of(self._asking(url, name)), bases, old)
        than = "its base model" if old is None else "its base model and the adapter before it"
        return f"{self._publication.access(url).shown} writes as {name!r} differently from {than}."

    def _old_marks(self, url: str) -> Marks | None:
        """Return how TGI writes in the old adapter's name; None where it refuses to."""
        old = self._publication.old
        if old is None:
            return None
        try:
            return marks_of(self._asking(url, old))
        except ChatFailed:
            return None

    def _asking(self, url: str, model: str) -> Asking:
        access, timeout_s = self._publication.access(url), self._publication.settings.llm_timeout_s

        def ask(prompt: str, max_tokens: int) -> Greedy:
            return greedy(access, model, prompt, max_tokens=max_tokens, timeout_s=timeout_s)

        return ask
