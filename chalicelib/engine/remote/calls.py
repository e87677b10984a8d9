"""Calls of the engine function, which has no rights: a call brings all that its work may reach.

Inputs and results too large for an invocation travel by URLs that the caller has presigned.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple, TypedDict

import msgspec

from chalicelib.core.json import Json, JsonObject, OpaqueObject
from chalicelib.core.message_version import check_version
from chalicelib.engine.job import Job, MarkJob
from chalicelib.engine.ports import PresignedPost

VERSION: Final = 1
# Lambda takes 6 MiB, and as much for the response. The ids and addresses of a call fit in the rest.
MAX_INLINE_JOB_BYTES: Final = 5_800_000
# Base64 adds a third. A file that may be returned fits in with its trace.
MAX_INLINE_RESULT_BYTES: Final = 4_600_000
# Of a file in a response of the API, which Lambda limits to 6 MB.
MAX_RETURNED_BYTES: Final = 4_300_000
# Files of 100 MB in all formats, and what the validators get besides.
MAX_STORED_RESULT_BYTES: Final = 700_000_000


class EngineCall(msgspec.Struct, frozen=True, tag_field="call"):
    """Call of the engine function.

    `ends_at`: the result is useless from then on (Unix seconds). A result larger than
    MAX_INLINE_RESULT_BYTES goes to `result_form`; with None it may not be stored, and the call
    fails.
    """

    ends_at: float
    result_form: PresignedPost | None


class JobCall(EngineCall, frozen=True):
    """Call with a job, or with the `job_url` of its JSON.

    `uploads` are the URLs of the job's uploads by id. `test` marks the files as tests. The job ends
    early once there is an object at `stop_url`. `lane`: see JobContext.
    """

    job: Job | MarkJob | None
    job_url: str | None
    uploads: Mapping[str, str]
    stop_url: str | None
    test: bool
    lane: str | None = None


class JobFields(TypedDict):
    """Fields of a JobCall."""

    ends_at: float
    result_form: PresignedPost | None
    job: Job | MarkJob | None
    job_url: str | None
    uploads: Mapping[str, str]
    stop_url: str | None
    test: bool
    lane: str | None


class RunCall(JobCall, frozen=True, tag="run"):
    """Call to make the files of a job; answered with RunResult."""


class DryRunJobCall(JobCall, frozen=True, kw_only=True, tag="dry_run"):
    """Call to make the files of a job and drop them; answered with DryRunResult.

    `keeps_first_page`: their first page comes with the result.
    """

    max_pages: int
    max_bytes: int
    keeps_first_page: bool = False


class LintCall(JobCall, frozen=True, tag="lint"):
    """Call to run the templates of a job without drawing; answered with LintResult.

    With `compile_only` they are compiled, with those that they name, and do not run.
    """

    compile_only: bool = False


class PreviewEmailsCall(JobCall, frozen=True, tag="preview_emails"):
    """Call to run the email rules of a job without drawing; answered with EmailsResult."""


class SyntaxCall(EngineCall, frozen=True, tag="syntax"):
    """Call to compile templates, by their names, without running them; answered with LintResult."""

    texts: Mapping[str, str]


class LookUpCall(EngineCall, frozen=True, tag="look_up"):
    """Call to look up the hosts of addresses, by JSON Pointer; answered with LookUpResult.

    Those of `https_only` may not be reached by plain http.
    """

    addresses: Mapping[str, str]
    https_only: tuple[str, ...] = ()


class ReadCall(EngineCall, frozen=True, tag="read"):
    """Call to read a received document, or the one at `document_url`.

    Answered with ReadResult.
    """

    document: bytes | None
    document_url: str | None


class MergeItem(msgspec.Struct, frozen=True, array_like=True):
    """PDF of one item of a batch: its index, the title of its outline entry, and its address."""

    index: int
    title: str
    url: str


class MergeCall(EngineCall, frozen=True, tag="merge"):
    """Call to append PDFs to a merged PDF, which they begin where `state_url` is None.

    With `is_last` they end it. Answered with MergeResult; its contents are the bytes to append, and
    the state for the next call.
    """

    state_url: str | None
    items: tuple[MergeItem, ...]
    is_last: bool
    test: bool


class SelfTestCall(EngineCall, frozen=True, tag="self_test"):
    """Call to tell which walls are missing; answered with SelfTestResult."""


class SchemaCall(EngineCall, frozen=True, tag="schema"):
    """Call of the schemas function with a request, or with the `request_url` of its JSON.

    A request has `schema`, `prefix` (JSON Pointer to the checked value) and, where data are to fit
    the schema, `data`. Answered with SchemaResult.
    """

    request: OpaqueObject | None
    request_url: str | None


type AnyCall = (
    RunCall
    | DryRunJobCall
    | LintCall
    | PreviewEmailsCall
    | SyntaxCall
    | LookUpCall
    | ReadCall
    | MergeCall
    | SelfTestCall
)


class StoredResult(NamedTuple):
    """Result that the engine stored with the form of the call; `sha256` in hexadecimal."""

    bytes: int
    sha256: str


class EngineAnswer(msgspec.Struct, frozen=True):
    """Answer of the engine function: the result in base64, or where it was stored."""

    content: bytes | None
    stored: StoredResult | None = None

    def to_json(self) -> JsonObject:
        """Return the payload."""
        return {"v": VERSION, **msgspec.to_builtins(self)}

    @classmethod
    def from_json(cls, payload: JsonObject) -> "EngineAnswer":
        """Read the payload; raises UnknownVersion or msgspec.ValidationError."""
        check_version(payload, VERSION)
        return msgspec.convert(payload, cls)


def call_to_json(call: AnyCall | SchemaCall) -> dict[str, Json]:
    """Return the payload of a call."""
    return {"v": VERSION, **msgspec.to_builtins(call)}


def call_from_json(payload: JsonObject) -> AnyCall:
    """Read the payload of a call; raises UnknownVersion."""
    check_version(payload, VERSION)
    call: AnyCall = msgspec.convert(payload, AnyCall)
    return call


def schema_call_from_json(payload: JsonObject) -> SchemaCall:
    """Read the payload of a call of the schemas function; raises UnknownVersion."""
    check_version(payload, VERSION)
    return msgspec.convert(payload, SchemaCall)
