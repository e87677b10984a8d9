"""`platen doctor`: command line."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from infra.operator import connection
from infra.operator.doctor import machine, service
from infra.operator.doctor.findings import Check, Finding, run_checks
from infra.operator.doctor.providers import Provider, check_providers, provider_at, provider_of
from infra.operator.output import CommandError
from infra.operator.tables import answer_lines

if TYPE_CHECKING:
    from chalicelib.bootstrap.operator_doctor import DoctorService

_NAMES: Final = (
    "versions",
    "packages",
    "parts",
    "walls",
    "fonts",
    "validators",
    "disk",
    "state",
    "providers",
    "public-url",
    "clock",
)


@click.command(epilog="Example: platen doctor disk public-url")
@click.argument("checks", nargs=-1, type=click.Choice(_NAMES), metavar="[CHECK]...")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of a table.")
def doctor(checks: tuple[str, ...], *, as_json: bool) -> None:
    """Check this machine and its service, and say what to do; exit 1 if something is wrong.

    Without names all checks are made: versions, packages, parts, walls, fonts, validators, disk,
    state, providers, public-url and clock. Nothing is changed, and providers are only connected to.
    """
    findings = list(run_checks(each for each in _checks() if not checks or each.name in checks))
    is_well = all(finding.status != "error" for finding in findings)
    rows = [finding.as_row() for finding in findings]
    if as_json:
        click.echo(json.dumps({"ok": is_well, "data": rows}))
    else:
        click.echo("\n".join(answer_lines({"ok": is_well, "data": rows})))
    if not is_well:
        raise SystemExit(1)


def _checks() -> Iterator[Check]:
    clock = machine.ClockCheck()
    yield Check("versions", machine.check_versions)
    yield Check("packages", machine.check_packages)
    yield Check("parts", machine.check_parts)
    yield Check("walls", machine.check_walls)
    yield Check("fonts", machine.check_fonts)
    yield Check("validators", machine.check_validators)
    yield Check("disk", lambda: machine.check_disk(connection.run_folder()))
    yield Check("state", lambda: _of_service("state", _check_state))
    yield Check("providers", lambda: _of_service("providers", _check_providers))
    yield Check("public-url", _check_urls)
    yield Check("clock", clock)


def _of_service(
    name: str, check: "Callable[[DoctorService], Iterator[Finding]]"
) -> Iterator[Finding]:
    """Yield the findings of a check of the service, or that there is none."""
    try:
        found = connection.doctor_service()
    except CommandError as absent:
        yield Finding(name, "skipped", absent.message, "start the service, then check again")
        return
    yield from check(found)


def _check_state(found: "DoctorService") -> Iterator[Finding]:
    return service.check_state(found.parts)


def _check_providers(found: "DoctorService") -> Iterator[Finding]:
    return check_providers(_providers(found))


def _providers(found: "DoctorService") -> Iterator[Provider]:
    if url := found.mail_server():
        mail = provider_at(url, "the mail server for mail to owners")
        yield from [mail] if mail else []
    for each in found.configurations():
        provider = provider_of(
            each.provider, each.config, f"{each.id} of {each.workspace_id}", found.bases
        )
        yield from [provider] if provider else []


def _check_urls() -> Iterator[Finding]:
    files = service.read_run_files(connection.run_folder())
    base_url = os.environ.get("PLATEN_BASE_URL", "") or _member(files, 0, "base_url")
    own_url = _member(files, 1, "own_url")
    if own_url:
        yield from service.check_readiness(own_url)
    if base_url:
        yield from service.check_public_url(base_url)
    else:
        detail = "no service runs on this machine, and PLATEN_BASE_URL is not set"
        yield Finding("public URL", "skipped", detail, "start the service, then check again")


def _member(
    files: tuple[Mapping[str, Any], Mapping[str, Any]] | None, number: int, name: str
) -> str:
    return "" if files is None else str(files[number].get(name, ""))
