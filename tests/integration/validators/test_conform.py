"""`platen conform` reports on any file, for people and for programs."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from chalicelib.engine.conformance.local_validator import LocalValidator
from infra.operator.cli import main
from tests.integration.validators.conftest import installed, proof


@pytest.fixture
def conform(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("PLATEN_VALIDATORS_DIR", str(installed()))

    def run(content: bytes, *options: str) -> Result:
        file = tmp_path / "file"
        file.write_bytes(content)
        return CliRunner().invoke(main, ["conform", str(file), *options])

    return run


@pytest.fixture
def warm(judge: LocalValidator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the command use the running validators and not close them."""
    kept = SimpleNamespace(validate=judge.validate, close=lambda: None)
    monkeypatch.setattr("infra.operator.conform.LocalValidator", lambda _folder: kept)


def test_valid_invoice_is_reported_as_sendable(conform: Any) -> None:
    ran = conform(proof("cii-XRECHNUNG"))

    assert ran.exit_code == 0
    assert "As an e-invoice (EN16931 XRechnung (CII)): valid; it can be sent." in ran.output
    assert "XRechnung 3.0.2" in ran.output


@pytest.mark.usefixtures("warm")
def test_wrong_sum_is_reported_with_its_rule_and_location(conform: Any) -> None:
    wrong = proof("cii-XRECHNUNG").replace(b">19.00</", b">18.00</")

    plain, as_json = conform(wrong), conform(wrong, "--json")

    assert (plain.exit_code, as_json.exit_code) == (1, 1)
    assert "NOT valid" in plain.output
    assert "error BR-S-09: The VAT category tax amount" in plain.output
    report = json.loads(as_json.output)["einvoice"]
    assert (report["profile"], report["syntax"], report["status"]) == ("XRECHNUNG", "cii", "failed")
    assert all(error["location"].startswith("/rsm:Cross") for error in report["errors"])


@pytest.mark.usefixtures("warm")
def test_pdf_is_validated_against_its_claims(conform: Any) -> None:
    ran = conform(proof("pdf-3a"))

    assert ran.exit_code == 0
    assert "It carries no e-invoice." in ran.output
    assert "For the archive (PDF/A-3a): conforms" in ran.output
    assert "(PDF/UA-1): conforms" in ran.output


@pytest.mark.usefixtures("warm")
def test_claim_without_rules_is_not_validated_against_other_rules(conform: Any) -> None:
    ran = conform(proof("pdf-3a").replace(b"<pdfaid:part>3<", b"<pdfaid:part>1<"))

    assert ran.exit_code == 1
    assert "For the archive (PDF/A-1a): could not be checked" in ran.output
    assert "there are no rules for pdf-1a" in ran.output
    assert "(PDF/UA-1): conforms" in ran.output


def test_without_validators_the_file_is_reported_as_not_checked(
    conform: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = proof("pdf-3a")
    monkeypatch.setenv("PLATEN_VALIDATORS_DIR", str(tmp_path / "nowhere"))

    ran = conform(document)

    assert ran.exit_code == 1
    assert "could not be checked; this says nothing about the file" in ran.output
    assert "make setup" in ran.output


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "the file is empty"),
        (b"PK\x03\x04", "neither a PDF nor an XML"),
        (b"<junk", "not well-formed"),
        (b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', "document type"),
        (b"%PDF-1.7 junk", "cannot be read as a PDF"),
    ],
)
def test_file_that_is_no_document_is_refused(conform: Any, content: bytes, reason: str) -> None:
    ran, plain = conform(content), conform(content, "--json")

    assert (ran.exit_code, plain.exit_code) == (1, 1)
    assert reason in ran.stderr
    assert "passwd" not in ran.stderr
    assert json.loads(plain.stdout)["code"] == "not_a_document"


def test_too_large_file_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "large"
    with file.open("wb") as large:
        large.truncate(100_000_001)

    ran = CliRunner().invoke(main, ["conform", str(file)])

    assert ran.exit_code == 1
    assert "100 MB" in ran.stderr
