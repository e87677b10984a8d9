"""Judges documents with a process that stays warm, and only after it has proven itself.

A wrong `passed` is the one thing that must not happen: whatever is in doubt has no verdict.
"""

import logging
import re
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from chalicelib.engine.conformance.checks import ConformanceCheck, RawFinding, Verdict
from chalicelib.engine.conformance.validator_installation import (
    ValidatorInstallation,
    ValidatorUnavailable,
    load_installation,
)
from chalicelib.engine.conformance.validator_process import ValidatorProcess, ValidatorProcessLost
from chalicelib.engine.deadline import Deadline

log = logging.getLogger(__name__)

_START_TIMEOUT_S: Final = 60.0
_SELF_TEST_TIMEOUT_S: Final = 60.0
_BASE_TIMEOUT_S: Final = 15.0
# The largest profile was seen to take 4.6 ms a line, 250 pages of a tagged PDF 11 s a megabyte.
_PER_LINE_S: Final = 0.015
_PER_MB_S: Final = 30.0
_MAX_TIMEOUT_S: Final = 240.0
_LINE_TAG: Final = re.compile(rb"<(?:\w+:)?(?:IncludedSupplyChainTradeLineItem|\w+Line)>")
_CURRENCY_CODE: Final = re.compile(rb">EUR</(\w+:\w*CurrencyCode>)")
_BUYER_REFERENCE: Final = re.compile(rb"<(\w+:BuyerReference)>.*?</\1>")


def check_timeout_s(kind: str, content: bytes) -> float:
    """Return how long one check of a document may take."""
    if kind.startswith("pdf-"):
        more = len(content) / 1e6 * _PER_MB_S
    else:
        more = sum(1 for _ in _LINE_TAG.finditer(content)) * _PER_LINE_S
    return min(_BASE_TIMEOUT_S + more, _MAX_TIMEOUT_S)


class LocalValidator:
    """The validators of this process: started with the first question, replaced when lost."""

    def __init__(self, folder: Path) -> None:
        """Use the validators of a folder."""
        self._folder = folder
        self._installation: ValidatorInstallation | None = None
        self._process: ValidatorProcess | None = None
        self._self_tested_kinds: set[str] = set()
        self._lock = threading.Lock()

    @property
    def pid(self) -> int | None:
        """Return the number of the process that holds them, while there is one."""
        return None if self._process is None else self._process.pid

    def validate(
        self,
        content: bytes,
        checks: Sequence[ConformanceCheck],
        deadline: Deadline,
        *,
        may_store: bool = True,
    ) -> Sequence[Verdict]:
        """Answer each check; never raises. Nothing of a document is kept in any case."""
        del may_store
        if not self._lock.acquire(timeout=deadline.remaining_s()):
            return [Verdict(why="the validators were busy until the deadline") for _ in checks]
        try:
            return [self._verdict(content, check, deadline) for check in checks]
        finally:
            self._lock.release()

    def close(self) -> None:
        """End the process; the next question starts another."""
        if self._process is not None:
            self._process.kill()
        self._reset()

    def _verdict(self, content: bytes, check: ConformanceCheck, deadline: Deadline) -> Verdict:
        try:
            return self._validate(content, check, deadline)
        except ValidatorUnavailable as absent:
            return _no_verdict(check, str(absent))
        except ValidatorProcessLost as lost:
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
        program = self._self_tested_process(installation, check.kind)
        if deadline.has_passed:
            raise ValidatorUnavailable("the validators were not ready in time")
        within_s = min(check_timeout_s(check.kind, content), deadline.remaining_s())
        findings = _raw_findings(program.validate([check.kind], content, within_s)[check.kind])
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
        # Whose deadline comes meanwhile has no verdict, but leaves them ready for the next: where
        # this takes longer than anybody waits, nobody would ever have one.
        if not installation.has_rules_for(kind):
            raise ValidatorUnavailable(f"there are no rules for {kind}")
        if self._process is None:
            self._process = ValidatorProcess(installation, _START_TIMEOUT_S)
        if kind not in self._self_tested_kinds:
            _self_test(self._process, installation, kind, _SELF_TEST_TIMEOUT_S)
            self._self_tested_kinds.add(kind)
        return self._process

    def _reset(self) -> None:
        # What is started next is looked at anew.
        self._installation = None
        self._process = None
        self._self_tested_kinds.clear()


def _self_test(
    process: ValidatorProcess, installation: ValidatorInstallation, kind: str, timeout_s: float
) -> None:
    """Have it judge a document that is valid and one that is not; raises ProgramLost.

    Of the invalid one every sheet must tell something.
    """
    valid = _with_pdfa_level(installation.self_test_document(kind), kind)
    for document, wanted in (
        (valid, frozenset()),
        (_invalid_variant(valid), installation.rule_sources(kind)),
    ):
        findings = _raw_findings(process.validate([kind], document, timeout_s)[kind])
        told = {finding.source for finding in findings if finding.severity == "error"}
        if told - {"schema"} != wanted:
            raise ValidatorProcessLost(f"the validators misjudge their own proof of {kind}")


def _with_pdfa_level(document: bytes, kind: str) -> bytes:
    level = kind.removeprefix("pdf-").encode()
    if kind in ("pdf-ua1", kind.removeprefix("pdf-")):
        return document
    part = document.replace(b"<pdfaid:part>3<", b"<pdfaid:part>%c<" % level[0])
    return part.replace(b":conformance>A<", b":conformance>%b<" % level[1:].upper())


def _invalid_variant(document: bytes) -> bytes:
    if document.startswith(b"%PDF"):
        no_intent = document.replace(b"/OutputIntents", b"/OutputIntentX")
        return no_intent.replace(b"<pdfuaid:part>1<", b"<pdfuaid:part>7<")
    return _BUYER_REFERENCE.sub(b"", _CURRENCY_CODE.sub(rb">EUX</\1", document))


def _raw_findings(answer: dict[str, Any]) -> tuple[RawFinding, ...]:
    if "findings" not in answer:
        raise ValidatorUnavailable(f"the validators could not judge it: {answer.get('failure')}")
    findings = tuple(RawFinding(**each) for each in answer["findings"])
    if answer["left_out"] and all(each.severity != "error" for each in findings):
        raise ValidatorUnavailable("the validators found more than they can tell")
    return findings


def _no_verdict(check: ConformanceCheck, why: str) -> Verdict:
    log.warning("no verdict on %s: %s", check.kind, why)
    return Verdict(why=why)
