"""Lock files: complete, with hashes, and the same versions wherever they are used."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.package.archives import CODE_ARCHIVES
from infra.template import ROOT

TOOLS = ("uv", "node", "go", "java", "maven")
SERVER = ("aws", "api", "egress", "engine", "pdf_tools", "sealing", "sftp", "local", "build")
LOCKS = {
    "requirements.txt": ("aws", "api", "sealing"),
    "infra/package/requirements-engine.txt": ("egress", "engine"),
    "infra/package/requirements-pdf-tools.txt": ("egress", "engine", "pdf_tools"),
    "infra/package/requirements-small.txt": ("aws", "egress", "sealing"),
    "infra/package/requirements-storage.txt": ("aws", "egress", "sealing", "sftp"),
    "infra/serve/requirements.txt": SERVER,
    "requirements-dev.txt": (*SERVER, "dev"),
    "infra/deploy/awscli-requirements.txt": (),
    "infra/guides/site/properdocs-requirements.txt": (),
    "infra/local/localstack-requirements.txt": (),
    "infra/local/ministack-requirements.txt": (),
    **{f"infra/setup/requirements/{name}.txt": () for name in TOOLS},
}


@pytest.mark.parametrize(("lock", "extras"), LOCKS.items())
def test_locks_are_complete_hashed_and_name_no_host(lock: str, extras: tuple[str, ...]) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    pinned = re.findall(r"^([a-z0-9-]+)(?:\[[^]]*\])?==", text, re.MULTILINE)
    entries = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]

    assert "://" not in text
    assert all("--hash=sha256:" in entry for entry in entries)
    assert {name for name, _ in required(lock, extras)} <= set(pinned)


@pytest.mark.parametrize(("lock", "extras"), LOCKS.items())
def test_locks_pin_the_requirements(lock: str, extras: tuple[str, ...]) -> None:
    from packaging.specifiers import SpecifierSet  # noqa: PLC0415

    text = (ROOT / lock).read_text(encoding="utf-8")
    pins = dict(re.findall(r"^([a-z0-9-]+)(?:\[[^]]*\])?==([^ \\;]+)", text, re.MULTILINE))

    for name, wanted in required(lock, extras):
        assert pins[name] in SpecifierSet(wanted), f"{name}{wanted} is not {pins[name]}"


@pytest.mark.parametrize(
    "lock",
    sorted((ROOT / "infra" / "setup").glob("*/package-lock.json")),
    ids=lambda p: p.parent.name,
)
def test_locks_of_npm_have_hashes_and_name_no_registry(lock: Path) -> None:
    packages = json.loads(lock.read_text(encoding="utf-8"))["packages"]
    installed = {name: each for name, each in packages.items() if name}

    assert [name for name, each in installed.items() if "integrity" not in each] == []
    assert [name for name, each in installed.items() if "resolved" in each] == []


@pytest.mark.parametrize(
    "lock",
    [*CODE_ARCHIVES.values(), ROOT / "infra" / "serve" / "requirements.txt"],
    ids=[*CODE_ARCHIVES, "image"],
)
def test_the_deployed_versions_are_the_tested_ones(lock: Path) -> None:
    def pins(lock: Path) -> dict[str, str]:
        text = lock.read_text(encoding="utf-8")
        return dict(re.findall(r"^([a-z0-9-]+)(?:\[[^]]*\])?==([^ \\;]+)", text, re.MULTILINE))

    tested = pins(ROOT / "requirements-dev.txt")

    assert {name: tested[name] for name in pins(lock)} == pins(lock)


def required(lock: str, extras: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield (name, version specifier) of each requirement of a lock."""
    from packaging.requirements import Requirement  # noqa: PLC0415

    source = (ROOT / lock).with_suffix(".in")
    if source.exists():
        lines = [line.partition(" #")[0] for line in source.read_text().splitlines() if line]
    else:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        optional = project["optional-dependencies"]
        lines = project["dependencies"] + [line for extra in extras for line in optional[extra]]
    for line in lines:
        requirement = Requirement(line)
        yield requirement.name.lower(), str(requirement.specifier)
