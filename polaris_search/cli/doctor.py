"""`polaris-admin doctor`: what is in force, what works, and what to do about the rest."""

from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import typer

import polaris_search
from polaris_search.cli.check import Check
from polaris_search.cli.doctor_adapter import adapter_check
from polaris_search.cli.doctor_model import local_model_check, model_checks
from polaris_search.cli.doctor_store import store_checks
from polaris_search.cli.output import JsonOption, print_columns, print_json, print_text
from polaris_search.cli.roles import ApplyRolesOption
from polaris_search.cli.roles import apply_roles as apply_shipped_roles

if TYPE_CHECKING:
    from polaris_search.settings import Origin, Settings


def doctor(apply_roles: ApplyRolesOption = False, as_json: JsonOption = False) -> None:
    """Check settings, store, model server, adapter and extras; each line is ok or says what to do.

    Exits 1 if something is wrong, 3 if a service is not reachable.

    Example: polaris-admin doctor
    """
    from polaris_search.profiles.model import shipped_profiles
    from polaris_search.settings import read_settings, setting_origins

    settings = read_settings()
    applied = [_applied_roles(settings)] if apply_roles else []
    checks = [_versions(), _packages(), *applied, *store_checks(settings)]
    checks += [*model_checks(settings), local_model_check(), adapter_check(settings)]
    origins = setting_origins()
    profiles = {profile.name: profile.help for profile in shipped_profiles().values()}
    if as_json:
        print_json(
            {
                "ok": all(check.ok for check in checks),
                "checks": [asdict(check) for check in checks],
                "settings": [_origin_json(origin) for origin in origins],
                "profiles": profiles,
            }
        )
    else:
        _print(checks, origins, profiles)
    failed = [check.exit_code for check in checks if not check.ok]
    if failed:
        raise typer.Exit(max(failed))


def _versions() -> Check:
    import platform
    from importlib import metadata

    found = [f"polaris-search {polaris_search.__version__}", f"Python {platform.python_version()}"]
    found += [f"{name} {metadata.version(name)}" for name in ("numpy", "elasticsearch")]
    return Check("versions", True, ", ".join(found))


def _packages() -> Check:
    """An unrelated package named `trainer` on the index would shadow ours if installed later."""
    home = Path(polaris_search.__file__).parents[1]
    for name in ("ingest", "trainer", "mappings"):
        spec = find_spec(name)
        if spec is None or spec.origin is None or Path(spec.origin).parents[1] != home:
            where = spec.origin if spec else "nowhere"
            remedy = (
                f"Uninstall the other package named {name!r}, then install polaris-search again."
            )
            return Check(
                "packages", False, f"{name!r} comes from {where}, not from {home}. {remedy}"
            )
    return Check("packages", True, "ingest, trainer and mappings are this product's own")


def _applied_roles(settings: "Settings") -> Check:
    return Check("roles", True, f"created or renewed: {', '.join(apply_shipped_roles(settings))}")


def _origin_json(origin: "Origin") -> dict[str, str]:
    setting = origin.setting
    return {
        "name": setting.name,
        "value": origin.shown,
        "origin": origin.origin,
        "unit": setting.unit,
        "help": setting.help,
    }


def _value(origin: "Origin") -> str:
    unit = origin.setting.unit
    told = origin.shown and unit in ("s", "tokens", "threads")  # what is not set has no unit
    return f"{origin.shown} {unit}" if told else origin.shown


def _print(checks: list[Check], origins: "list[Origin]", profiles: dict[str, str]) -> None:
    for check in checks:
        print_text(f"{'ok  ' if check.ok else 'FAIL'} {check.name}: {check.found}")
    print_text()
    rows = [[o.setting.name, _value(o), o.origin, o.setting.help] for o in origins]
    print_columns(rows, ["setting", "value", "from", "meaning"])
    print_text()
    print_columns([[name, text] for name, text in sorted(profiles.items())], ["profile", "meaning"])
