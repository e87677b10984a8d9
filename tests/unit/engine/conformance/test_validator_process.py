"""Validator process, faked by a script: one answer per request, or none and no process."""

import json
import os
import resource
import select
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from chalicelib.engine.conformance import local_validator as judging
from chalicelib.engine.conformance import validator_process as running
from chalicelib.engine.conformance.checks import ConformanceCheck, Verdict
from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.conformance.validator_installation import (
    ValidationPlan,
    ValidatorInstallation,
)
from chalicelib.engine.conformance.validator_process import (
    ValidatorProcess,
    ValidatorProcessLostError,
)
from chalicelib.engine.deadline import Deadline

CHECK: Final = ConformanceCheck.cii("EN16931")
PLAN: Final[ValidationPlan] = {
    "engines": {"xml": "Saxon", "pdf": "veraPDF"},
    "rules": {"cen": "EN 16931"},
    "kinds": {CHECK.kind: {"scenario": "EN 16931", "sheets": [{"source": "cen"}]}},
}
# Fake validator: answers with the text of the document, for this request id or another.
PLAYER: Final = """\
import json, os, sys
def reply(answer):
    print(json.dumps(answer), flush=True)
open("../pid", "w").write(str(os.getpid()))
reply({"ready": True})
while line := sys.stdin.buffer.readline():
    order = json.loads(line)
    told = json.loads(sys.stdin.buffer.read(order["bytes"]))
    verdicts = dict.fromkeys(order["checks"], told["verdict"])
    reply({"number": order["number"] - told["late"], "verdicts": verdicts})
"""
WARNING: Final = {"severity": "warning", "source": "cen", "rule": "R", "message": ""}
FOUND: Final = {**WARNING, "location": "", "count": 1}
MANY: Final = 1100


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ValidatorInstallation:
    java = tmp_path / "layer" / "runtime" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(f"#!{sys.executable}\n{PLAYER}")
    java.chmod(0o700)
    # The process runs in a subfolder.
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return ValidatorInstallation(tmp_path / "layer", PLAN)


@pytest.fixture
def many_descriptors() -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], 2 * MANY), before[1]))
    opened = [os.open(os.devnull, os.O_RDONLY) for _ in range(MANY)]
    yield
    for descriptor in opened:
        os.close(descriptor)
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def answer_with(verdict: object, *, late: int = 0) -> bytes:
    return json.dumps({"verdict": verdict, "late": late}).encode()


def has_ended(tmp_path: Path) -> bool:
    return not Path("/proc", (tmp_path / "pid").read_text()).exists()


@pytest.mark.usefixtures("many_descriptors")
def test_validator_process_answers_with_many_open_files(
    installation: ValidatorInstallation,
) -> None:
    program = ValidatorProcess(installation, 60)

    answer: object = program.validate([CHECK.kind], answer_with("right"), 60)

    assert answer == {CHECK.kind: "right"}
    program.kill()


def test_answer_to_another_request_is_rejected(
    installation: ValidatorInstallation, tmp_path: Path
) -> None:
    program = ValidatorProcess(installation, 60)

    with pytest.raises(ValidatorProcessLostError, match="something else"):
        program.validate([CHECK.kind], answer_with("of the document before", late=1), 60)

    assert has_ended(tmp_path)


def test_interrupted_request_leaves_no_answer_behind(
    installation: ValidatorInstallation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = ValidatorProcess(installation, 60)

    def interrupted(pipe: int, event: int, until: float) -> None:
        if event == select.POLLIN:
            raise KeyboardInterrupt
        wait(pipe, event, until)

    wait = running._wait_until_ready
    monkeypatch.setattr(running, "_wait_until_ready", interrupted)
    with pytest.raises(KeyboardInterrupt):
        program.validate([CHECK.kind], answer_with("left"), 60)

    assert has_ended(tmp_path)
    assert not program.is_running


def test_process_that_does_not_become_ready_is_ended(
    installation: ValidatorInstallation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_pipe: int, event: int, _until: float) -> None:
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            time.sleep(0.01)
        raise ValueError(event)

    monkeypatch.setattr(running, "_wait_until_ready", broken)

    with pytest.raises(ValueError, match=str(select.POLLIN)):
        ValidatorProcess(installation, 60)

    assert has_ended(tmp_path)


@pytest.mark.parametrize(
    ("plan", "verdict", "proven", "why"),
    [
        (PLAN, {"findings": [], "left_out": 0}, False, "FileNotFoundError"),
        (PLAN | {"rules": {}}, {"findings": [], "left_out": 0}, True, "KeyError"),
        (PLAN, {"findings": [{"new": 1}], "left_out": 0}, True, "TypeError"),
        (PLAN, "another shape", True, "failed"),
    ],
    ids=["no proof", "no rules", "other findings", "no findings"],
)
def test_unexpected_output_is_no_verdict_and_ends_the_process(  # noqa: PLR0913, PLR0917 -- fixtures
    installation: ValidatorInstallation,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    plan: ValidationPlan,
    verdict: object,
    proven: bool,  # noqa: FBT001 -- a parameter of a test
    why: str,
) -> None:
    process = start_process(
        ValidatorInstallation(installation.folder, plan), monkeypatch, proven=proven
    )

    answer = validate(process, verdict)

    assert answer.findings is None
    assert why in answer.why
    assert process.pid is None
    assert has_ended(tmp_path)


def test_truncated_report_is_a_verdict_only_with_errors(
    installation: ValidatorInstallation, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = start_process(installation, monkeypatch)
    error = {**FOUND, "severity": "error"}

    some, none = (
        validate(process, {"findings": found, "left_out": 1}) for found in ([FOUND, error], [FOUND])
    )
    process.close()

    assert some.findings is not None
    assert [found.severity for found in some.findings] == ["warning", "error"]
    assert none.findings is None
    assert "more than they can tell" in none.why


def start_process(
    installation: ValidatorInstallation, monkeypatch: pytest.MonkeyPatch, *, proven: bool = True
) -> LocalValidator:
    monkeypatch.setattr(judging, "load_installation", lambda _folder: installation)
    if proven:
        monkeypatch.setattr(judging, "_self_test", lambda *_proof: None)
    return LocalValidator(installation.folder)


def validate(process: LocalValidator, verdict: object) -> Verdict:
    (answer,) = process.validate(answer_with(verdict), [CHECK], Deadline.after(60))
    return answer
