"""Validator that keeps a warm process and trusts it only after a self-test (decision 23).

A wrong `passed` is the worst result: any doubt gives no verdict.
"""

import logging
import re
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from chalicelib.engine.conformance.checks import ConformanceCheck, RawFinding, Verdict
from chalicelib.engine.conformance.validator_installation import (
    ValidatorInstallation,
    ValidatorUnavailableError,
    load_installation,
)
from chalicelib.engine.conformance.validator_process import (
    CheckAnswer,
    ValidatorProcess,
    ValidatorProcessLostError,
)
from chalicelib.engine.deadline import Deadline

log = logging.getLogger(__name__)

_START_TIMEOUT_S: Final = 60.0
_SELF_TEST_TIMEOUT_S: Final = 60.0
_BASE_TIMEOUT_S: Final = 15.0
# Measured: 4.6 ms for a line of the largest profile, 11 s for a megabyte of a tagged PDF of 250
# pages.
_PER_LINE_S: Final = 0.015
_PER_MB_S: Final = 30.0
_MAX_TIMEOUT_S: Final = 240.0
_LINE_TAG: Final = re.compile(rb"<(?:\w+:)?(?:IncludedSupplyChainTradeLineItem|\w+Line)>")
_CURRENCY_CODE: Final = re.compile(rb">EUR</(\w+:\w*CurrencyCode>)")
_BUYER_REFERENCE: Final = re.compile(rb"<(\w+:BuyerReference)>.*?</\1>")


def check_timeout_s(kind: str, content: bytes) -> float:
    """Return the timeout of one check; it grows with the lines of an XML or the size of a PDF."""
    if kind.startswith("pdf-"):
        extra_s = len(content) / 1e6 * _PER_MB_S
    else:
        extra_s = sum(1 for _ in _LINE_TAG.finditer(content)) * _PER_LINE_S
    return min(_BASE_TIMEOUT_S + extra_s, _MAX_TIMEOUT_S)


class LocalValidator:
    """Validators in a child process, started with the first check and restarted after a loss.

    Checks run one at a time; a caller that waits for its turn does so until its deadline.
    """

    def __init__(self, folder: Path) -> None:
        """Use the validators installed in a folder."""
        self._folder = folder
        self._installation: ValidatorInstallation | None = None
        self._process: ValidatorProcess | None = None
        self._self_tested_kinds: set[str] = set()
        self._lock = threading.Lock()

    @property
    def pid(self) -> int | None:
        """Return the id of the process, or None if none runs."""
        return None if self._process is None else self._process.pid

    def validate(
        self,
        content: bytes,
        checks: Sequence[ConformanceCheck],
        deadline: Deadline,
        *,
        may_store: bool = True,
    ) -> Sequence[Verdict]:
        """Return the verdict of each check; never raise. Nothing is stored in any case."""
        del may_store
        if not self._lock.acquire(timeout=deadline.remaining_s()):
            return [Verdict(why="the validators were busy until the deadline") for _ in checks]
        try:
            return [self._verdict(content, check, deadline) for check in checks]
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the process; the next check starts a new one."""
        if self._process is not None:
            self._process.kill()
        self._reset()

    def _verdict(self, content: bytes, check: ConformanceCheck, deadline: Deadline) -> Verdict:
        try:
            return self._validate(content, check, deadline)
        except ValidatorUnavailableError as absent:
            return _no_verdict(check, str(absent))
        except ValidatorProcessLostError as lost:
            self.close()
            return _no_verdict(check, str(lost))
        except Exception as error:
            log.exception("the validators failed")
            self.close()
            return _no_verdict(check, f"the validators failed: {type(error).__name__}")

    def _validate(self, content: bytes, check: ConformanceCheck, deadline: Deadline) -> Verdict:
        began = time.monotonic()
        if self._process is not None and not self._process.is_running:
            self.close()
        installation = self._get_installation()
        process = self._self_tested_process(installation, check.kind)
        if deadline.has_passed:
            raise ValidatorUnavailableError("the validators were not ready in time")
        timeout_s = min(check_timeout_s(check.kind, content), deadline.remaining_s())
        findings = _raw_findings(process.validate([check.kind], content, timeout_s)[check.kind])
        log.info("validated %s in %.0f ms", check.kind, (time.monotonic() - began) * 1000)
        return Verdict(
            findings, installation.validator_versions(check.kind), installation.scenario(check.kind)
        )

    def _get_installation(self) -> ValidatorInstallation:
        if self._installation is None:
            self._installation = load_installation(self._folder)
        return self._installation

    def _self_tested_process(
        self, installation: ValidatorInstallation, kind: str
    ) -> ValidatorProcess:
        # Start and self-test have timeouts of their own, not the caller's deadline. A caller whose
        # deadline passes meanwhile gets no verdict, but the process is ready for the next one;
        # with short deadlines it would otherwise never become ready.
        if not installation.has_rules_for(kind):
            raise ValidatorUnavailableError(f"there are no rules for {kind}")
        if self._process is None:
            self._process = ValidatorProcess(installation, _START_TIMEOUT_S)
        if kind not in self._self_tested_kinds:
            _self_test(self._process, installation, kind, _SELF_TEST_TIMEOUT_S)
            self._self_tested_kinds.add(kind)
        return self._process

    def _reset(self) -> None:
        # The next process verifies the installation and runs its self-tests again.
        self._installation = None
        self._process = None
        self._self_tested_kinds.clear()


def _self_test(
    process: ValidatorProcess, installation: ValidatorInstallation, kind: str, timeout_s: float
) -> None:
    """Validate one valid and one invalid document.

    Every rule sheet must report an error in the invalid document: a sheet that did not run reports
    none. Raise ValidatorProcessLostError on a wrong answer.
    """
    valid = _with_pdfa_level(installation.self_test_document(kind), kind)
    for document, expected in (
        (valid, frozenset()),
        (_invalid_variant(valid), installation.rule_sources(kind)),
    ):
        findings = _raw_findings(process.validate([kind], document, timeout_s)[kind])
        sources = {finding.source for finding in findings if finding.severity == "error"}
        if sources - {"schema"} != expected:
            raise ValidatorProcessLostError(f"the validators misjudge their own proof of {kind}")


def _with_pdfa_level(document: bytes, kind: str) -> bytes:
    # One PDF proves all kinds of PDF: it conforms to every level, so only its claim is changed.
    level = kind.removeprefix("pdf-").encode()
    if kind in ("pdf-ua1", kind.removeprefix("pdf-")):
        return document
    with_part = document.replace(b"<pdfaid:part>3<", b"<pdfaid:part>%c<" % level[0])
    return with_part.replace(b":conformance>A<", b":conformance>%b<" % level[1:].upper())


def _invalid_variant(document: bytes) -> bytes:
    if document.startswith(b"%PDF"):
        no_intent = document.replace(b"/OutputIntents", b"/OutputIntentX")
        return no_intent.replace(b"<pdfuaid:part>1<", b"<pdfuaid:part>7<")
    return _BUYER_REFERENCE.sub(b"", _CURRENCY_CODE.sub(rb">EUX</\1", document))


def _raw_findings(answer: CheckAnswer) -> tuple[RawFinding, ...]:
    if "findings" not in answer:
        raise ValidatorUnavailableError(
            f"the validators could not validate it: {answer.get('failure')}"
        )
    findings = tuple(RawFinding(**each) for each in answer["findings"])
    # Findings that were cut off could include an error: `passed` would be a guess.
    if answer["left_out"] and all(each.severity != "error" for each in findings):
        raise ValidatorUnavailableError("the validators found more than they can tell")
    return findings


def _no_verdict(check: ConformanceCheck, why: str) -> Verdict:
    log.warning("no verdict on %s: %s", check.kind, why)
    return Verdict(why=why)
