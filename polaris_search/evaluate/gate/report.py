"""The verdict of a gate with all that it rests on, as a value, and as JSON. Pure."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Literal

from polaris_search.evaluate.gate.compared import Compared, Finding
from polaris_search.evaluate.gate.thresholds import Thresholds

Verdict = Literal["promote", "refuse"]


@dataclass(frozen=True, slots=True)
class GateReport:
    """What a gate found.

    Attributes:
        candidate: the adapter in question.
        reference: what it is compared with: an adapter, or "base".
        dataset: the name of the data set.
        queries: held out, with a relevant table.
        tables_asked: different tables that they ask for.
        corpus: tables that both sides described.
        retrieval: means of both sides by measure and profile, then those of groups of queries.
        descriptions: numbers of both sides' texts.
        same: share of tables of which both wrote the same; None where both describe none.
        findings: every condition, in order, whether it held or not.
        notices: what a person should know beside these.
        made_with: how it was done: profiles, seed, decoding, model, versions.
        limits: what had to hold.
    """

    candidate: str
    reference: str
    dataset: str
    queries: int
    tables_asked: int
    corpus: int
    retrieval: tuple[Compared, ...]
    descriptions: tuple[Compared, ...]
    same: float | None
    findings: tuple[Finding, ...]
    notices: tuple[str, ...]
    made_with: Mapping[str, object]
    limits: Thresholds

    @property
    def verdict(self) -> Verdict:
        """Whether the candidate may take the reference's place."""
        return "promote" if all(finding.holds for finding in self.findings) else "refuse"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why: what did not hold, or where all did, all of it."""
        refused = tuple(finding.says for finding in self.findings if not finding.holds)
        return refused or tuple(finding.says for finding in self.findings)

    @property
    def exit_code(self) -> int:
        """What the command exits with: 0 promote, 1 refuse."""
        return 0 if self.verdict == "promote" else 1


def report_document(report: GateReport) -> dict[str, object]:
    """Return the report as plain JSON values, verdict and reasons first."""
    return {"verdict": report.verdict, "reasons": list(report.reasons), **asdict(report)}


def report_json(report: GateReport) -> str:
    """Return the report as one JSON object."""
    return json.dumps(report_document(report), ensure_ascii=False, indent=1)
