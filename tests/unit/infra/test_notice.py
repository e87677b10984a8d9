"""NOTICE: every part that is shipped, with its version and license."""

import re

import pytest

from infra.package import notice
from infra.package.archives import LAYER_ARCHIVES
from infra.template import ROOT


def test_the_file_is_what_the_program_makes() -> None:
    assert notice.TARGET.read_text(encoding="utf-8") == notice.notice_text(), (
        "run: .venv/bin/python -m infra.package.notice"
    )


def test_no_registry_is_named() -> None:
    assert "://" not in notice.notice_text()


@pytest.mark.parametrize(
    "name", ["boto3", "pydantic", "@sparticuz/chromium", "inter", "net.sf.saxon:Saxon-HE"]
)
def test_a_part_has_version_and_license(name: str) -> None:
    line = rf"^- {re.escape(name)} [0-9][^ ]*: .+$"

    assert re.search(line, notice.notice_text(), re.MULTILINE)


def test_each_layer_has_a_section() -> None:
    folders = {folder for folder, _ in LAYER_ARCHIVES.values()}

    assert folders == {"chromium", "console", "fonts", "guides", "pages", "validators"}, (
        "NOTICE needs a section for a new layer"
    )


def test_every_package_of_the_functions_is_listed() -> None:
    listed = {part.name for part in notice.python_packages()}
    lock = (ROOT / "requirements.txt").read_text(encoding="utf-8")

    assert set(re.findall(r"^([a-z0-9-]+)==", lock, re.MULTILINE)) <= listed


def test_the_license_is_that_of_the_project() -> None:
    license_ = (ROOT / "LICENSE").read_text(encoding="utf-8")
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")

    assert "Apache License" in license_
    assert 'license = "Apache-2.0"' in project
