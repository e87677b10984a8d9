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

from chalicelib.engine.conformance.checks import Check, Raw, Verdict
from chalicelib.engine.conformance.installation import Installation, ValidatorMissing, locate
from chalicelib.engine.conformance.program import Program, ProgramLost
from chalicelib.engine.deadline import Deadline

log = logging.getLogger(__name__)

_START_S: Final = 60.0
_PROOF_S: Final = 60.0
_BASE_S: Final = 15.0
# The largest profile was seen to take 4.6 ms a line, 250 pages of a tagged PDF 11 s a megabyte.
_A_LINE_S: Final = 0.015
_A_MB_S: Final = 30.0
_MOST_S: Final = 240.0
_LINE: Final = re.compile(rb"<(?:\w+:)?(?:IncludedSupplyChainTradeLineItem|\w+Line)>")
_CURRENCY: Final = re.compile(rb">EUR</(\w+:\w*CurrencyCode>)")
_REFERENCE: Final = re.compile(rb"<(\w+:BuyerReference)>.*?</\1>")


def limit_s(kind: str, content: bytes) -> float:
    """Return how long one check of a document may take."""
    if kind.startswith("pdf-"):
        more = len(content) / 1e6 * _A_MB_S
    else:
        more = sum(1 for _ in _LINE.finditer(content)) * _A_LINE_S
    return min(_BASE_S + more, _MOST_S)


class Judge:
    """The validators of this process: started with the first question, replaced when lost."""

    def __init__(self, folder: Path) -> None:
        """Use the validators of a folder."""
        self._folder = folder
        self._installation: Installation | None = None
        self._program: Program | None = None
        self._proven: set[str] = set()
        self._turn = threading.Lock()

    @property
    def pid(self) -> int | None:
        """Return the number of the process that holds them, while there is one."""
        return None if self._program is None else self._program.pid

    def judge(
        self, content: bytes, checks: Sequence[Check], deadline: Deadline, *, keep: bool = True
    ) -> Sequence[Verdict]:
        """Answer each check; never raises. Nothing of a document is kept in any case."""
        del keep
        if not self._turn.acquire(timeout=deadline.remaining_s()):
            return [Verdict(why="the validators were busy until the deadline") for _ in checks]
        try:
            return [self._verdict(content, check, deadline) for check in checks]
        finally:
            self._turn.release()

    def close(self) -> None:
        """End the process; the next question starts another."""
        if self._program is not None:
            self._program.end()
        self._forget()

    def _verdict(self, content: bytes, check: Check, deadline: Deadline) -> Verdict:
        try:
            return self._judged(content, check, deadline)
        except ValidatorMissing as absent:
            return _none(check, str(absent))
        except ProgramLost as lost:
            self.close()
            return _none(check, str(lost))
        except Exception as error:
            log.exception("the validators failed")
            self.close()
            return _none(check, f"the validators failed: {type(error).__name__}")

    def _judged(self, content: bytes, check: Check, deadline: Deadline) -> Verdict:
        began = time.monotonic()
        if self._program is not None and not self._program.runs:
            self.close()
        installation = self._installed()
        program = self._proven_program(installation, check.kind)
        if deadline.passed:
            raise ValidatorMissing("the validators were not ready in time")
        within_s = min(limit_s(check.kind, content), deadline.remaining_s())
        findings = _findings(program.ask([check.kind], content, within_s)[check.kind])
        log.info("judged %s in %.0f ms", check.kind, (time.monotonic() - began) * 1000)
        return Verdict(
            findings, installation.validator(check.kind), installation.scenario(check.kind)
        )

    def _installed(self) -> Installation:
        if self._installation is None:
            self._installation = locate(self._folder)
        return self._installation

    def _proven_program(self, installation: Installation, kind: str) -> Program:
        # Whose deadline comes meanwhile has no verdict, but leaves them ready for the next: where
        # this takes longer than anybody waits, nobody would ever have one.
        if not installation.knows(kind):
            raise ValidatorMissing(f"there are no rules for {kind}")
        if self._program is None:
            self._program = Program(installation, _START_S)
        if kind not in self._proven:
            _prove(self._program, installation, kind, _PROOF_S)
            self._proven.add(kind)
        return self._program

    def _forget(self) -> None:
        # What is started next is looked at anew.
        self._installation = None
        self._program = None
        self._proven.clear()


def _prove(program: Program, installation: Installation, kind: str, within_s: float) -> None:
    """Have it judge a document that is valid and one that is not; raises ProgramLost.

    Of the invalid one every sheet must tell something.
    """
    valid = _of_level(installation.proof(kind), kind)
    for document, wanted in ((valid, frozenset()), (_broken(valid), installation.sources(kind))):
        findings = _findings(program.ask([kind], document, within_s)[kind])
        told = {finding.source for finding in findings if finding.severity == "error"}
        if told - {"schema"} != wanted:
            raise ProgramLost(f"the validators misjudge their own proof of {kind}")


def _of_level(proof: bytes, kind: str) -> bytes:
    level = kind.removeprefix("pdf-").encode()
    if kind in ("pdf-ua1", kind.removeprefix("pdf-")):
        return proof
    part = proof.replace(b"<pdfaid:part>3<", b"<pdfaid:part>%c<" % level[0])
    return part.replace(b":conformance>A<", b":conformance>%b<" % level[1:].upper())


def _broken(proof: bytes) -> bytes:
    if proof.startswith(b"%PDF"):
        no_intent = proof.replace(b"/OutputIntents", b"/OutputIntentX")
        return no_intent.replace(b"<pdfuaid:part>1<", b"<pdfuaid:part>7<")
    return _REFERENCE.sub(b"", _CURRENCY.sub(rb">EUX</\1", proof))


def _findings(answer: dict[str, Any]) -> tuple[Raw, ...]:
    if "findings" not in answer:
        raise ValidatorMissing(f"the validators could not judge it: {answer.get('failure')}")
    findings = tuple(Raw(**each) for each in answer["findings"])
    if answer["left_out"] and all(each.severity != "error" for each in findings):
        raise ValidatorMissing("the validators found more than they can tell")
    return findings


def _none(check: Check, why: str) -> Verdict:
    log.warning("no verdict on %s: %s", check.kind, why)
    return Verdict(why=why)
