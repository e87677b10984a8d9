"""Results of the engine function as bytes: JSON, and the contents that it refers to by number."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Final, Literal, Self

import msgspec

from chalicelib.core import json
from chalicelib.core.errors import FieldError, RenderFailure
from chalicelib.core.json import OpaqueObject
from chalicelib.core.problems import PROBLEMS
from chalicelib.engine.conformance.checks import ConformanceCheck, RawFinding, ValidationRequest
from chalicelib.engine.conformance.html_places import HtmlPlaces
from chalicelib.engine.conformance.invoice_field_paths import InvoiceFieldPaths
from chalicelib.engine.context import MAX_FILES, RenderedFile, RenderTrace, RenderWarning
from chalicelib.engine.delivery.emails import RenderedEmail
from chalicelib.engine.delivery.storage import RenderedPath
from chalicelib.engine.failure_record import FailureRecord
from chalicelib.engine.job import LintOutcome, RenderOutcome
from chalicelib.engine.remote.first_page import FirstPage

# A file's format is a part of its object's key and of its name.
type _Format = Annotated[str, msgspec.Meta(pattern="^[a-z0-9]{1,8}$")]
# A part is also one of the name.
type _Part = Annotated[int, msgspec.Meta(ge=1, le=MAX_FILES)]
_MEMBERS_OF_THE_ERROR: Final = frozenset({"code", "detail", "errors", "headers", "trace"})


class MalformedResultError(Exception):
    """The bytes are not the result that the call expects."""


class _Envelope(msgspec.Struct, frozen=True):
    """Outer form of all results, in MessagePack: its contents need no base64."""

    record: bytes
    contents: Sequence[bytes] = ()


class DryRunResult(msgspec.Struct, frozen=True, tag_field="kind", tag="dry_run"):
    """Result of a dry run without a failure.

    With a `first_page` its content is the only content beside it.
    """

    first_page: tuple[Literal["pdf", "webp"], int] | None = None

    @classmethod
    def of(cls, page: FirstPage | None) -> tuple[Self, list[bytes]]:
        """Return the result with this page, and its contents."""
        return (cls(), []) if page is None else (cls((page.format, page.dpi)), [page.content])

    def page(self, contents: Sequence[bytes]) -> FirstPage | None:
        """Return the first page; raises IndexError if its content is not there."""
        return None if self.first_page is None else FirstPage(*self.first_page, contents[0])


class LintResult(msgspec.Struct, frozen=True, tag_field="kind", tag="lint"):
    """Failures and warnings of templates."""

    failures: tuple[FailureRecord, ...]
    warnings: tuple[RenderWarning, ...] = ()

    @classmethod
    def of(cls, outcome: LintOutcome) -> Self:
        """Return the result of this outcome."""
        return cls(tuple(map(FailureRecord.of, outcome.failures)), tuple(outcome.warnings))

    def outcome(self) -> LintOutcome:
        """Return the outcome."""
        return LintOutcome([record.failure() for record in self.failures], self.warnings)


class LookUpResult(msgspec.Struct, frozen=True, tag_field="kind", tag="look_up"):
    """Why addresses are refused, by JSON Pointer; the others may be reached or have no host."""

    refusals: Mapping[str, str]


class EmailsResult(msgspec.Struct, frozen=True, tag_field="kind", tag="emails"):
    """Emails of a job's rules, in their order."""

    emails: tuple[RenderedEmail, ...]


class ReadResult(msgspec.Struct, frozen=True, tag_field="kind", tag="read"):
    """Content of a received document: a DocumentReading."""

    reading: OpaqueObject


class MergeResult(msgspec.Struct, frozen=True, tag_field="kind", tag="merge"):
    """Merged PDF so far: its number of pages; `failure` has code and text if it cannot be made."""

    pages: int
    failure: tuple[Literal["render_failed", "output_too_large"], str] | None = None


class SelfTestResult(msgspec.Struct, frozen=True, tag_field="kind", tag="self_test"):
    """Names of the walls that the engine's processes lack."""

    missing_walls: tuple[str, ...]


class SchemaResult(msgspec.Struct, frozen=True, tag_field="kind", tag="schema"):
    """Findings of a check against a JSON Schema."""

    findings: tuple[FieldError, ...]


class _FileRecord(msgspec.Struct, frozen=True):
    format: _Format
    content: int
    content_type: str
    pages: int | None
    width: int | None
    height: int | None
    part: _Part | None = None


class _ValidationRecord(msgspec.Struct, frozen=True):
    content: int
    checks: tuple[ConformanceCheck, ...]
    field_paths: InvoiceFieldPaths | None
    own_findings: tuple[RawFinding, ...]
    html_places: HtmlPlaces | None = None


class RunResult(msgspec.Struct, frozen=True, tag_field="kind", tag="run"):
    """Outcome of a job; `content` of its records is a number of the contents beside it."""

    files: Annotated[tuple[_FileRecord, ...], msgspec.Meta(max_length=MAX_FILES)]
    validations: tuple[_ValidationRecord, ...]
    trace: RenderTrace
    is_cold_start: bool
    filename: str | None
    invoice_totals: OpaqueObject | None
    emails: tuple[RenderedEmail, ...] = ()
    storage_paths: tuple[RenderedPath, ...] = ()
    result: OpaqueObject | None = None

    @classmethod
    def of(cls, outcome: RenderOutcome) -> tuple[Self, list[bytes]]:
        """Return an outcome's record and its contents, each once."""
        contents: list[bytes] = []
        files = tuple(
            _FileRecord(
                file.format,
                _number(contents, file.content),
                file.content_type,
                file.pages,
                file.width,
                file.height,
                file.part,
            )
            for file in outcome.files
        )
        validations = tuple(
            _ValidationRecord(
                _number(contents, each.content),
                each.checks,
                each.field_paths,
                each.own_findings,
                each.html_places,
            )
            for each in outcome.validation_requests
        )
        record = cls(
            files,
            validations,
            outcome.trace,
            outcome.is_cold_start,
            outcome.filename,
            outcome.invoice_totals,
            outcome.emails,
            outcome.storage_paths,
            outcome.result,
        )
        return record, contents

    def outcome(self, contents: Sequence[bytes]) -> RenderOutcome:
        """Return the outcome; raises IndexError for a content that is not there."""
        return RenderOutcome(
            files=tuple(
                RenderedFile(
                    file.format,
                    contents[file.content],
                    file.content_type,
                    file.pages,
                    file.width,
                    file.height,
                    file.part,
                )
                for file in self.files
            ),
            trace=self.trace,
            is_cold_start=self.is_cold_start,
            filename=self.filename,
            invoice_totals=self.invoice_totals,
            validation_requests=tuple(
                ValidationRequest(
                    contents[each.content],
                    each.checks,
                    each.field_paths,
                    each.own_findings,
                    each.html_places,
                )
                for each in self.validations
            ),
            emails=self.emails,
            storage_paths=self.storage_paths,
            result=self.result,
        )


type AnyResult = (
    RunResult
    | DryRunResult
    | LintResult
    | LookUpResult
    | EmailsResult
    | ReadResult
    | MergeResult
    | SelfTestResult
    | SchemaResult
    | FailureRecord
)


def _number(contents: list[bytes], content: bytes) -> int:
    """Return the number of a content, which is appended unless it is there."""
    for number, present in enumerate(contents):
        if present is content:
            return number
    contents.append(content)
    return len(contents) - 1


def encode_result(result: AnyResult, contents: Sequence[bytes] = ()) -> bytes:
    """Return a result as bytes."""
    # JSON, because MessagePack has no integers beyond 64 bits. Its keys are strings, also numbers.
    # A page may log half of a surrogate pair.
    record = json.dumps(msgspec.to_builtins(result)).encode(errors="surrogatepass")
    return msgspec.msgpack.encode(_Envelope(record, contents))


def decode_result[Result](content: bytes, kind: type[Result]) -> tuple[Result, Sequence[bytes]]:
    """Return the result of this kind and its contents.

    Raises RenderFailure where it is a failure, and MalformedResultError.
    """
    try:
        envelope = msgspec.msgpack.decode(content, type=_Envelope)
        value = json.loads_own(envelope.record)
        result: AnyResult = msgspec.convert(value, AnyResult, str_keys=True)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise MalformedResultError(type(error).__name__) from None
    if isinstance(result, FailureRecord):
        raise _failure(result)
    if not isinstance(result, kind):
        raise MalformedResultError(type(result).__name__)
    return result, envelope.contents


def _failure(record: FailureRecord) -> RenderFailure:
    if record.code not in PROBLEMS or _MEMBERS_OF_THE_ERROR & record.members.keys():
        raise MalformedResultError(type(record).__name__)
    return record.failure()
