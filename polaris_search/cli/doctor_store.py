"""What `polaris-admin doctor` says of the store: whether it works, and how its index is."""

from typing import TYPE_CHECKING

from polaris_search.cli.check import Check
from polaris_search.errors import PolarisError, ServiceUnreachable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polaris_search.settings import Settings
    from polaris_search.store.generations import GenerationalStore, GenerationInfo
    from polaris_search.store.protocol import StoreStatus

MOST_REPLACED = 0.1
"""Above this share of replaced documents a reindex is advised. Each counts in the statistics that
scores come from, as if it were still there."""


def store_checks(settings: "Settings") -> list[Check]:
    """Return what there is to say of the store; what goes wrong is the last check."""
    from polaris_search.store.opening import open_store

    checks: list[Check] = []
    try:
        store = open_store(settings)
        try:
            status = store.status()
            checks.append(_store(status))
            if status.generation:
                checks += [index_check(status), _generations(store)]
        finally:
            store.close()
        return checks + _notices(settings)
    except PolarisError as error:
        return [*checks, Check("store", False, str(error), error.exit_code)]


def _store(status: "StoreStatus") -> Check:
    version = f" {status.version}" if status.version else ""
    empty = "nothing yet; `polaris-admin ingest`"
    held = f"{status.tables} tables" if status.generation or status.tables else empty
    return Check("store", True, f"{status.kind}{version} at {status.location}: {held}")


def index_check(status: "StoreStatus") -> Check:
    """Return whether the live generation can be searched, and how exact its scores are."""
    if not status.current:
        found = (
            f"{status.generation} has another mapping or other analyzers than this program, which "
            "would misread it. Run `polaris-admin reindex`."
        )
        return Check("index", False, found)
    share = status.replaced / max(1, status.tables + status.replaced)
    found = f"{status.generation}, {share:.0%} of its documents are replaced ones"
    if share > MOST_REPLACED:
        found += "; they count in all scores until `polaris-admin reindex`"
    return Check("index", True, found)


def _generations(store: "GenerationalStore") -> Check:
    try:
        return Check("generations", True, generations_text(store.generations.listed()))
    except ServiceUnreachable:
        raise
    except PolarisError as error:
        return Check("generations", True, f"not shown to these credentials ({error})")


def generations_text(listed: "Sequence[GenerationInfo]") -> str:
    """Return which generations there are, and what is to be done about those left behind."""
    names = {
        state: [one.name for one in listed if one.state == state]
        for state in ("live", "kept", "staged")
    }
    sentences = [f"1 live, {len(names['kept'])} kept for `polaris-admin index rollback`"]
    if names["staged"]:
        sentences.append(
            f"{', '.join(names['staged'])} is being built, or left by an interrupted run: run that "
            "command again, or `polaris-admin index prune`"
        )
    if not all(one.settled for one in listed):
        sentences.append(
            "a run was killed as it went live: the last writes before that are brought over by the "
            "next `polaris-admin reindex`, `index rollback` or `index prune`; run one"
        )
    return "; ".join(sentences)


def _notices(settings: "Settings") -> list[Check]:
    from polaris_search.store.notices import store_notices

    return [
        Check(notice.about, notice.exit_code == 0, notice.text, notice.exit_code)
        for notice in store_notices(settings)
    ]
