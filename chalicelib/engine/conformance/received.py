"""An e-invoice that somebody sends to be validated: read in a confined process, then judged."""

import base64
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.conformance.bounds import MAX_FINDINGS, bounded
from chalicelib.engine.conformance.checks import Check, Validator
from chalicelib.engine.conformance.report import report
from chalicelib.engine.conformance.tracing import Adjusted, tracer
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.templating.worker import ConfinedWorker

_CHILD: Final = "chalicelib.engine.conformance.reading_child"
_ROOT: Final = "invoice"
# The rest of a list is for what the validators say.
_MAX_OWN: Final = 50
_NOT_VALIDATED: Final = {
    "rule": "PLT-NOT-VALIDATED",
    "message": "The validators gave no verdict; send the document again",
    "location": "",
    "path": None,
    "count": 1,
}


@dataclass(frozen=True, slots=True)
class Examined:
    """What is known of a document; `invoice` is what it says, in the contract's model."""

    conformance: dict[str, Any]
    invoice: dict[str, Any] | None


def examine(content: bytes, validator: Validator, deadline: Deadline, *, keep: bool) -> Examined:
    """Read an XML or a PDF and have it judged; without `keep` nothing of it is stored meanwhile.

    Raises RenderFailure: `render_timeout`, or the code of why it cannot be read at all.
    """
    told = _read(content, deadline)
    if "refusal" in told:
        raise RenderFailure(**told["refusal"])
    judged: dict[str, Any] = {}
    for document, checks in _questions(content, told):
        verdicts = validator.judge(document, checks, deadline, keep=keep)
        judged |= report(checks, verdicts, _trace if told["invoice"] else _untraced)
    return Examined(judged | {"einvoice": _einvoice(told, judged)}, told["invoice"])


def _read(content: bytes, deadline: Deadline) -> dict[str, Any]:
    request = {"content": base64.b64encode(content).decode()}
    with closing(ConfinedWorker(_CHILD, "Reading the document")) as reader:
        try:
            return reader.ask(request, time.time() + deadline.remaining_s())
        except RenderFailure as failure:
            if failure.code == "render_timeout":
                raise
            detail = "takes too much time or memory to be read"
            raise RenderFailure("validation_error", detail) from failure


def _questions(content: bytes, told: Mapping[str, Any]) -> Iterator[tuple[bytes, list[Check]]]:
    if told["check"] is not None:
        xml = base64.b64decode(told["xml"]) if "xml" in told else content
        yield xml, [Check.from_json(told["check"])]
    if told.get("pdf"):
        yield content, [Check.from_json(check) for check in told["pdf"]]


def _einvoice(told: Mapping[str, Any], judged: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of the report about the invoice, with what is not the validators' to say."""
    part = judged.get("einvoice") or {
        "profile": told["profile"],
        "syntax": told["syntax"],
        "status": "failed" if told["errors"] else "unavailable",
        "validator": None,
        "scenario": None,
        "errors": told["errors"],
        "warnings": [],
    }
    late = "einvoice" in judged and part["status"] == "unavailable"
    own = [*([_NOT_VALIDATED] if late else []), *told["warnings"]]
    warnings = [*own[:_MAX_OWN], *part["warnings"]]
    return bounded({**part, "warnings": warnings[:MAX_FINDINGS]})


class _AnyOrder:
    """An invoice of which nothing is known: others may mix allowances and charges."""

    allowances: Sequence[object] = ()
    lines: Sequence[Adjusted] = ()


_PLACE: Final = tracer(_AnyOrder(), _ROOT)


def _trace(location: str) -> str | None:
    """Return the place in the invoice that was read, or of what holds allowances and charges."""
    path = (_PLACE(location) or "").partition(".charges[")[0]
    return path if path.startswith(f"{_ROOT}.") else None


def _untraced(_location: str) -> None:
    """Return nothing: there is no invoice to lead into."""
