"""Publishing to the local kind: the adapter's GGUF file, and one look at it in a server of our own.

Each command that describes tables starts its own server, which reads the registry; there is none
to be told.
"""

from pathlib import Path

from polaris_search.llm.local.child_server import LocalPlan, LocalServer, local_server
from polaris_search.llm.local.gguf import find_gguf, require_server
from polaris_search.llm.wire.access import Access, chat_access
from polaris_search.llm.wire.greedy import Greedy, greedy
from polaris_search.llm.wire.question import asked_about_itself
from trainer.publish.conversion import converted
from trainer.publish.lora_gguf import fingerprint
from trainer.publish.marks import Asking, CanaryFailed, marks_of, require_adapter
from trainer.publish.target import Publication

LOG_FILE = "local-model-canary.log"
LISTING_S = 10.0


class LocalModel:
    """See Target."""

    def __init__(self, publication: Publication) -> None:
        self._publication = publication

    def put(self) -> tuple[str, ...]:
        """Convert the adapter, start a server with it, and ask it with and without."""
        publication = self._publication
        require_server()
        plan = self._plan(converted(publication))
        with local_server(plan) as server:
            access = chat_access(server.url, server.api_key)
            self._require_file(access)
            ask_base = self._asking(server, access, 0.0)
            bases = (marks_of(ask_base), marks_of(ask_base))
            require_adapter(
                publication.name, marks_of(self._asking(server, access, 1.0)), bases, None
            )
        return (
            f"{plan.gguf.name} with {publication.name!r} writes differently from the model alone.",
        )

    def settle(self) -> tuple[str, ...]:
        """Do nothing: a server that runs goes on with what it has read."""
        return ()

    def _plan(self, adapter: Path) -> LocalPlan:
        settings = self._publication.settings
        return LocalPlan(
            gguf=find_gguf(settings.local_model),
            log_path=settings.home / LOG_FILE,
            slots=1,
            threads=settings.local_threads,
            adapter=adapter,
        )

    def _require_file(self, access: Access) -> None:
        publication = self._publication
        loras = asked_about_itself(access, "/lora-adapters", LISTING_S, is_list=True)["data"]
        expected = fingerprint(publication.name, publication.folder)
        said = [one.get("task_name", expected) for one in loras]
        if said != [expected]:
            raise CanaryFailed(
                f"The local model was to read the adapter {expected!r} and says it has {said!r}. "
                f"{publication.settings.home / LOG_FILE} says why."
            )

    def _asking(self, server: LocalServer, access: Access, scale: float) -> Asking:
        def ask(prompt: str, max_tokens: int) -> Greedy:
            return greedy(
                access,
                server.plan.gguf.stem,
                prompt,
                max_tokens=max_tokens,
                timeout_s=self._publication.settings.llm_timeout_s,
                loras=((0, scale),),
            )

        return ask
