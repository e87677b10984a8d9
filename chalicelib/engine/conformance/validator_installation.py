"""Installation of the validators: complete and unaltered, or not used at all (decision 23)."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypedDict

from chalicelib.engine.conformance.checks import PDFA_PROFILES, PDFUA_PROFILES

_MANIFEST: Final = "manifest.json"
_PDF_KINDS: Final = frozenset(f"pdf-{each}" for each in (*PDFA_PROFILES, *PDFUA_PROFILES))
_UNHASHED_FILES: Final = frozenset({_MANIFEST, ".pins"})


class ValidatorUnavailableError(Exception):
    """The validators are absent, altered, or cannot give a verdict."""


class _RuleSheet(TypedDict):
    source: str


class _KindPlan(TypedDict):
    scenario: str
    sheets: list[_RuleSheet]


class _EngineVersions(TypedDict):
    xml: str
    pdf: str


class ValidationPlan(TypedDict):
    """Contents of plan.json; `rules` are versions by the source of the sheet."""

    engines: _EngineVersions
    rules: dict[str, str]
    kinds: dict[str, _KindPlan]


@dataclass(frozen=True, slots=True)
class ValidatorInstallation:
    """A verified folder of the validators; `plan` names kinds, rule sheets and versions."""

    folder: Path
    plan: ValidationPlan

    @property
    def java(self) -> Path:
        """Return the path of the Java executable."""
        return self.folder / "runtime" / "bin" / "java"

    def self_test_document(self, kind: str) -> bytes:
        """Return the valid document for the self-test of a kind; all kinds of PDF share one."""
        name = "proof.pdf" if kind.startswith("pdf-") else f"{kind}.xml"
        return (self.folder / "proof" / name).read_bytes()

    def has_rules_for(self, kind: str) -> bool:
        """Tell whether the validators have rules for a kind."""
        return kind in _PDF_KINDS or kind in self.plan["kinds"]

    def rule_sources(self, kind: str) -> frozenset[str]:
        """Return the sources of findings on a kind: its rule sheets, or veraPDF."""
        if kind.startswith("pdf-"):
            return frozenset({"verapdf"})
        return frozenset(sheet["source"] for sheet in self.plan["kinds"][kind]["sheets"])

    def scenario(self, kind: str) -> str | None:
        """Return the name of the rule set of a kind; None for a PDF."""
        return None if kind.startswith("pdf-") else self.plan["kinds"][kind]["scenario"]

    def validator_versions(self, kind: str) -> str:
        """Return the names and versions of engine and rules, as reports show them."""
        if kind.startswith("pdf-"):
            return self.plan["engines"]["pdf"]
        rules = [
            self.plan["rules"][sheet["source"]] for sheet in self.plan["kinds"][kind]["sheets"]
        ]
        return "; ".join([self.plan["engines"]["xml"], *rules])


def load_installation(folder: Path) -> ValidatorInstallation:
    """Return the installation after every file matched the manifest.

    The build writes the manifest after it has checked each part against its pin. Raise
    ValidatorUnavailableError.
    """
    try:
        digests: dict[str, str] = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        _verify_digests(folder, digests)
        plan = json.loads((folder / "plan.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as absent:
        message = (
            f"{folder} holds no complete validators: they come with the layer `validators`; "
            "on one machine run: make setup"
        )
        raise ValidatorUnavailableError(message) from absent
    return ValidatorInstallation(folder, plan)


def _verify_digests(folder: Path, digests: dict[str, str]) -> None:
    # Added files count too: Java loads every jar in `lib`.
    paths = (path for path in folder.rglob("*") if path.is_file())
    files = {path.relative_to(folder).as_posix(): path for path in paths}
    for name in sorted((digests.keys() ^ files.keys()) - _UNHASHED_FILES):
        raise ValidatorUnavailableError(
            f"{folder / name} was added or removed; install anew: make setup"
        )
    for name, digest in digests.items():
        with files[name].open("rb") as part:
            if hashlib.file_digest(part, "sha256").hexdigest() != digest:
                raise ValidatorUnavailableError(
                    f"{folder / name} was altered; install anew: make setup"
                )
