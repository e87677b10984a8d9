"""Answers of the engine function that are not those of its call."""

import base64
from typing import Any

import pytest

from chalicelib.adapters.aws.functions import FunctionDied
from chalicelib.adapters.aws.remote_engine import EngineLost
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.failure_record import FailureRecord
from chalicelib.engine.remote.calls import MAX_INLINE_RESULT_BYTES
from chalicelib.engine.remote.results import LintResult, RunResult, encode_result
from tests.builders.engine_wire import OUTCOME, PDF, EngineWire, large


@pytest.fixture
def wire() -> EngineWire:
    return EngineWire()


def answer(content: bytes) -> dict[str, Any]:
    return {"v": 1, "content": base64.b64encode(content).decode(), "stored": None}


@pytest.mark.parametrize(
    "malformed",
    [
        {"v": 1},
        {"v": 1, "content": 7},
        {"v": 1, "content": None, "stored": None},
        {"v": 1, "content": None, "stored": [9, "00"]},
        answer(b""),
        answer(b"garbage"),
        answer(encode_result(LintResult(()))),
        answer(encode_result(FailureRecord("no_such_code", "x"))),
        answer(encode_result(FailureRecord("render_failed", "x", members={"detail": "y"}))),
        FunctionDied("engine"),
    ],
)
def test_malformed_answer_is_a_lost_engine(wire: EngineWire, malformed: Any) -> None:
    wire.function.answer = malformed

    with pytest.raises(EngineLost):
        wire.run()


@pytest.mark.parametrize("name", ["../pdf", "", "p/f", "PDF", "123456789"])
def test_format_that_is_no_part_of_a_key_is_refused(wire: EngineWire, name: str) -> None:
    file = RenderedFile(name, PDF, "application/pdf")
    wire.engine.work = lambda *_: OUTCOME._replace(files=(file,))

    with pytest.raises(EngineLost):
        wire.run()


@pytest.mark.parametrize("part", [0, -1, 501, 10**30])
def test_number_that_no_file_has_is_refused(wire: EngineWire, part: int) -> None:
    file = RenderedFile("pdf", PDF, "application/pdf", part=part)
    wire.engine.work = lambda *_: OUTCOME._replace(files=(file,))

    with pytest.raises(EngineLost):
        wire.run()


def test_more_files_than_a_job_may_have_are_refused(wire: EngineWire) -> None:
    file = RenderedFile("pdf", PDF, "application/pdf")
    wire.engine.work = lambda *_: OUTCOME._replace(files=(file,) * 501)

    with pytest.raises(EngineLost):
        wire.run()


def test_stored_result_that_was_replaced_is_refused(
    wire: EngineWire, monkeypatch: pytest.MonkeyPatch
) -> None:
    wire.engine.work = lambda *_: large()
    another = encode_result(*RunResult.of(large(MAX_INLINE_RESULT_BYTES + 1)))
    monkeypatch.setattr(wire.objects, "read", lambda _key: another)

    with pytest.raises(EngineLost):
        wire.run()
