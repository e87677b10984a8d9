"""The installed validators, warm for all tests of this folder, and helpers that call them."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.conformance.checks import ConformanceCheck, Verdict
from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.einvoice.prepare import EInvoiceInput, prepare_invoice
from chalicelib.engine.einvoice.profiles import PROFILES, Syntax

REPOSITORY = Path(__file__).parents[3]
OUTPUTS: Final[list[tuple[str, Syntax]]] = [
    (profile.name, syntax)
    for profile in PROFILES.values()
    for syntax in profile.syntaxes
    # Peppol has another list of schemes for addresses: it has tests of its own.
    if profile.name != "PEPPOL"
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/integration/validators/" in item.path.as_posix():
            item.add_marker(pytest.mark.integration)


def installed() -> Path:
    """Return the installed layer; a missing one is an error, never a skip."""
    found = Path(os.environ.get("PLATEN_VALIDATORS_DIR") or REPOSITORY / ".platen" / "validators")
    assert found.is_dir(), f"{found} is missing; run: make setup"
    return found


def proof(kind: str) -> bytes:
    name = "proof.pdf" if kind.startswith("pdf-") else f"{kind}.xml"
    return (installed() / "proof" / name).read_bytes()


def verdict(
    judge: LocalValidator, content: bytes, check: ConformanceCheck, seconds: float = 120
) -> Verdict:
    (answer,) = judge.validate(content, [check], Deadline.after(seconds))
    return answer


def refused(source: Any, profile: str, syntax: Syntax) -> tuple[list[tuple[str, str]], bytes]:
    """Return the rules that the service itself finds broken with their paths, or else the XML."""
    request = EInvoiceInput(
        profile=PROFILES[profile], syntax=syntax, source=source, findings_root="invoice"
    )
    try:
        return [], prepare_invoice(request).to_xml()
    except RenderFailure as failure:
        report = failure.members["result"]["conformance"]["einvoice"]
        return [(error["rule"], error["path"]) for error in report["errors"]], b""


def rejected(
    judge: LocalValidator, xml: bytes, profile: str, syntax: Syntax, type_code: str
) -> list[str]:
    """Return the rules by which the official sheets reject an invoice."""
    credit_note = type_code == "381"
    check = (
        ConformanceCheck.cii(profile)
        if syntax == "cii"
        else ConformanceCheck.ubl(profile, credit_note=credit_note)
    )
    answer = verdict(judge, xml, check)
    assert answer.findings is not None, answer.why
    return [found.rule for found in answer.findings if found.severity == "error"]


def faults(judge: LocalValidator, pdf: bytes, *flavours: str) -> set[str]:
    """Return the rules of PDF/A (such as `3b`) and PDF/UA (`ua1`) that a document breaks."""
    checks = [
        ConformanceCheck.pdfua() if each == "ua1" else ConformanceCheck.pdfa(each)
        for each in flavours
    ]
    answers = judge.validate(pdf, checks, Deadline.after(120))
    assert all(answer.findings is not None for answer in answers), answers
    return {found.rule for answer in answers for found in answer.findings or ()}


@pytest.fixture(scope="session")
def judge() -> Iterator[LocalValidator]:
    judge = LocalValidator(installed())
    yield judge
    judge.close()
