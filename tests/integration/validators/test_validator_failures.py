"""Failures of the validators: a timeout or crash gives no verdict, and the next is right."""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.contract.invoice.constraints import MAX_LINES
from chalicelib.engine.conformance import validator_process
from chalicelib.engine.conformance.checks import ConformanceCheck
from chalicelib.engine.conformance.local_validator import LocalValidator, check_timeout_s
from tests.builders.invoices.invoice_json import invoice_json
from tests.integration.validators.conftest import installed, proof, refused, verdict

XRECHNUNG = ConformanceCheck.cii("XRECHNUNG")
# The profile that takes longest.
EXTENDED = ConformanceCheck.cii("EXTENDED")


@pytest.fixture
def mortal() -> Iterator[LocalValidator]:
    judge = LocalValidator(installed())
    yield judge
    judge.close()


def is_right(judge: LocalValidator) -> bool:
    return verdict(judge, proof(XRECHNUNG.kind), XRECHNUNG).findings == ()


def many_lines(kind: str, count: int) -> bytes:
    """Return an invoice of `count` equal lines; its totals are wrong."""
    invoice = proof(kind)
    end = b"</ram:IncludedSupplyChainTradeLineItem>"
    head, rest = invoice.split(b"<ram:IncludedSupplyChainTradeLineItem>")
    line, tail = rest.split(end)
    whole = b"<ram:IncludedSupplyChainTradeLineItem>" + line + end
    return head + whole * count + tail


def test_largest_invoice_is_validated_within_its_timeout(judge: LocalValidator) -> None:
    source = invoice_json({"lines": invoice_json()["lines"][:1] * MAX_LINES})
    _, xml = refused(source, "XRECHNUNG", "ubl")
    check = ConformanceCheck.ubl("XRECHNUNG", credit_note=False)

    answer = verdict(judge, xml, check, seconds=check_timeout_s(check.kind, xml))

    assert answer.findings == ()


@pytest.mark.breadth
def test_timeout_gives_no_verdict_and_the_next_validation_succeeds(
    mortal: LocalValidator,
) -> None:
    none = verdict(mortal, proof(EXTENDED.kind), EXTENDED, seconds=0.2)
    slow = mortal.pid
    # A caller that times out during the start leaves them ready for the next.
    assert verdict(mortal, proof(EXTENDED.kind), EXTENDED).findings == ()
    assert (none.findings, mortal.pid) == (None, slow)

    invoice = many_lines(EXTENDED.kind, MAX_LINES)

    late = verdict(mortal, invoice, EXTENDED, seconds=2)

    assert late.findings is None
    assert "in time" in none.why
    assert "in time" in late.why
    assert not Path(f"/proc/{slow}").exists()
    assert is_right(mortal)
    assert mortal.pid != slow


def test_crashed_validators_are_replaced_and_do_not_outlive_their_owner(
    mortal: LocalValidator, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(validator_process, "_JVM_FLAGS", (*validator_process._JVM_FLAGS, "-Xmx128m"))
        out_of_memory = verdict(mortal, b" " * 200_000_000, XRECHNUNG)

    assert is_right(mortal)
    pid = mortal.pid
    assert pid is not None
    threading.Timer(0.5, os.kill, (pid, signal.SIGKILL)).start()
    killed = verdict(mortal, many_lines(XRECHNUNG.kind, 2 * MAX_LINES), XRECHNUNG)

    for lost in (out_of_memory, killed):
        assert lost.findings is None
        assert "ended" in lost.why
    assert is_right(mortal)
    replaced = mortal.pid
    mortal.close()
    assert not Path(f"/proc/{replaced}").exists()
