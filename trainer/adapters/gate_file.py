"""What the gate said of an adapter, as far as promoting it has to know.

The report is the gate's own, kept in the adapter's folder as it came; here its verdict is read,
what was judged, and against what.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

GATE_FILE = "gate.json"
BASE = "base"
"""What a report calls the base model without an adapter."""

Verdict = Literal["promote", "refuse", "unreadable"]


@dataclass(frozen=True, slots=True)
class GateSaid:
    """A report's verdict and reasons; candidate and reference are None where it does not say."""

    verdict: Verdict
    reasons: tuple[str, ...]
    candidate: str | None = None
    reference: str | None = None


def read_gate(folder: Path) -> GateSaid | None:
    """Return what the report in the adapter's folder says, None where there is none."""
    try:
        document = json.loads((folder / GATE_FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        return GateSaid("unreadable", (str(error),))
    if not isinstance(document, dict) or document.get("verdict") not in ("promote", "refuse"):
        return GateSaid("unreadable", ("it has no verdict",))
    reasons = document.get("reasons")
    said = tuple(map(str, reasons)) if isinstance(reasons, list) else ()
    return GateSaid(
        document["verdict"], said, _text(document, "candidate"), _text(document, "reference")
    )


def why_not(gate: GateSaid | None, name: str, current: str | None) -> str | None:
    """Return why the gate does not let the adapter take the current one's place; None if it does.

    The report has to be of this adapter, against the one that it would replace.
    """
    if gate is None:
        return f"No gate has judged {name!r}. {judge(name)}"
    if gate.verdict == "unreadable":
        return f"The gate's report of {name!r} cannot be read ({gate.reasons[0]}). {judge(name)}"
    if gate.verdict == "refuse":
        return f"The gate refused {name!r}: {_joined(gate.reasons)}"
    if gate.candidate not in (None, name):
        return f"The gate's report of {name!r} is that of {gate.candidate!r}. {judge(name)}"
    if gate.reference not in (None, current or BASE):
        return (
            f"The gate compared {name!r} with {gate.reference!r}, and {current or BASE!r} is in "
            f"use now. {judge(name)}"
        )
    return None


def judge(name: str) -> str:
    """Return the sentence that says how the adapter is judged."""
    return (
        f"Judge it: `polaris-admin adapters gate {name} --dataset D --held-out "
        "PAIRS.record.json`, with a folder of judged queries, and the record of the pairs that it "
        "was trained on."
    )


def _joined(reasons: tuple[str, ...]) -> str:
    return " ".join(reasons) or "it gives no reason."


def _text(document: Mapping[str, Any], key: str) -> str | None:
    value = document.get(key)
    return value if isinstance(value, str) else None
