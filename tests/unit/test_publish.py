"""The order of publishing: the registry changes only after every server serves, and is held."""

import subprocess
import sys
from dataclasses import replace

import pytest
from publishing import judged

from polaris_search.errors import AlreadyHeld, PolarisError
from polaris_search.settings import read_settings
from trainer.adapters.promotion import decision, promote, rollback
from trainer.adapters.registry import Registry
from trainer.publish.publish import publish
from trainer.publish.target import Publication, PublishFailed


class NotingTarget:
    """Servers that note who is in use whenever they are told something."""

    def __init__(self, registry: Registry, fails: bool = False) -> None:
        self.noted: list[tuple[str, str | None]] = []
        self._registry = registry
        self._fails = fails

    def put(self) -> tuple[str, ...]:
        self.noted.append(("put", self._registry.current))
        if self._fails:
            raise PublishFailed("The server is on fire. Put it out.")
        return ("It writes.",)

    def settle(self) -> tuple[str, ...]:
        self.noted.append(("settle", self._registry.current))
        return ()


@pytest.fixture
def registry(tmp_path) -> Registry:
    registry = judged(Registry(tmp_path / "home"), "old", "new")
    promote(registry, "old", decision(registry))
    return registry


def publication(registry: Registry) -> Publication:
    settings = read_settings({"POLARIS_HOME": str(registry.home)})
    return Publication(settings, "new", registry.root / "new", "old")


def test_servers_first_then_the_registry_then_the_old_one_goes(registry):
    servers = NotingTarget(registry)

    publish(registry, publication(registry), decision(registry), servers)

    assert servers.noted == [("put", "old"), ("settle", "new")]


def test_back_at_the_base_model_one_that_was_in_use_is_published_again(registry):
    rollback(registry, None, decision(registry))
    again = replace(publication(registry), name="old", folder=registry.root / "old", old=None)

    published = publish(registry, again, decision(registry), NotingTarget(registry))

    assert published.change is not None
    assert (published.change.was, registry.current) == (None, "old")


def test_what_does_not_serve_changes_nothing(registry):
    servers = NotingTarget(registry, fails=True)

    with pytest.raises(PolarisError, match="on fire"):
        publish(registry, publication(registry), decision(registry), servers)

    assert servers.noted == [("put", "old")]
    assert registry.current == "old"
    promote(registry, "new", decision(registry))  # nobody holds it any more


def test_nobody_changes_the_registry_while_servers_are_waited_for(registry):
    class Slow(NotingTarget):
        def put(self) -> tuple[str, ...]:
            with pytest.raises(AlreadyHeld, match="publishing new, process"):
                promote(registry, "new", decision(registry))
            return super().put()

    publish(registry, publication(registry), decision(registry), Slow(registry))

    assert registry.current == "new"


def test_looking_at_adapters_starts_without_the_training_stack(tmp_path):
    program = (
        "import sys; import polaris_search.cli.adapters, trainer.publish.publish, "
        "trainer.adapters.adding; "
        "sys.exit(', '.join(sys.modules.keys() & {'torch', 'transformers', 'peft', 'gguf'}) or 0)"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)

    assert done.returncode == 0, done.stderr.decode()
