"""Errors with a code of the catalogue.

ServiceError            an error with a code of core/problems, answered to the caller
├── NotFound            the object does not exist, or belongs to another workspace
├── Conflict            the request does not fit the present state of the object
├── Forbidden           the caller is not allowed to do this
└── RenderFailure       the document cannot be made; render.error has the code
Any other exception is a bug, answered as `internal_error`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from chalicelib.core.problems import PROBLEMS, Problem

# Pointers quote names of the request, which may have megabytes.
_MAX_POINTER_CHARACTERS: Final = 1_000
# Entries of `errors[]`.
MAX_ERRORS: Final = 100


class FieldError(NamedTuple):
    """One entry of `errors[]`: JSON Pointer into the request (RFC 6901), code and message."""

    path: str
    code: str
    message: str


class ServiceError(Exception):
    """An error for the caller; `members` are extension members of the problem (RFC 9457, 3.2)."""

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        errors: Sequence[FieldError] = (),
        headers: Mapping[str, str] | None = None,
        **members: Any,
    ) -> None:
        """Build the error; a code that is not in the catalogue is a bug."""
        assert code in PROBLEMS, code
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        self.members = members

    @property
    def problem(self) -> Problem:
        """Return the row of the catalogue for the code."""
        return PROBLEMS[self.code]


class NotFound(ServiceError):  # noqa: N818 -- reads as the answer it gives
    """The object does not exist, or belongs to another workspace."""


class Conflict(ServiceError):  # noqa: N818 -- reads as the answer it gives
    """The request does not fit the present state of the object."""


class Forbidden(ServiceError):  # noqa: N818 -- reads as the answer it gives
    """The caller is not allowed to do this."""


class RenderFailure(ServiceError):  # noqa: N818 -- reads as the answer it gives
    """The document cannot be made. Nothing is billed."""

    def with_text_name(self, name: str) -> "RenderFailure":
        """Return the failure of a template whose detail begins with the name of its text."""
        return RenderFailure(self.code, f"{name}: {self.detail}", **self.members)


def json_pointer(steps: Iterable[str | int], prefix: str = "") -> str:
    """Return `prefix` and the steps as a JSON Pointer, cut to 1 000 characters with an ellipsis."""
    # RFC 6901, 3; `~` first, or the escapes would be escaped.
    escaped = (str(step).replace("~", "~0").replace("/", "~1") for step in steps)
    text = prefix + "".join(f"/{step}" for step in escaped)
    return (
        text if len(text) <= _MAX_POINTER_CHARACTERS else f"{text[: _MAX_POINTER_CHARACTERS - 1]}…"
    )


def validation_error(path: str, message: str, code: str = "invalid") -> ServiceError:
    """Return the `validation_error` for one field; an empty `path` means the whole body."""
    return ServiceError(
        "validation_error",
        f"{path or 'The body'}: {message}",
        errors=[FieldError(path, code, message)],
    )


def raise_all(errors: Iterable[ServiceError]) -> None:
    """Raise the first error, or one `validation_error` for the fields of all that are one.

    Without any it returns.
    """
    refusals = list(errors)
    if not refusals:
        return
    if refusals[0].code != "validation_error":
        raise refusals[0]
    refusals = [each for each in refusals if each.code == "validation_error"]
    fields = [field for refusal in refusals for field in refusal.errors]
    if len(refusals) == 1:
        raise refusals[0]
    first = fields[0]
    detail = f"{first.path or 'The body'}: {first.message} (and {len(fields) - 1} more)"
    raise ServiceError("validation_error", detail, errors=fields[:MAX_ERRORS])


def require_all(*checks: Callable[[], object]) -> None:
    """Run checks that raise `validation_error`; raise one for the fields of all of them."""
    refusals: list[ServiceError] = []
    for check in checks:
        try:
            check()
        except ServiceError as refusal:
            if refusal.code != "validation_error":
                raise
            refusals.append(refusal)
    raise_all(refusals)


def no_capacity_error(purpose: str) -> ServiceError:
    """Return `region_degraded`, whose text names the `purpose`."""
    return ServiceError(
        "region_degraded",
        f"There was no room for {purpose} in time; send the request again.",
        headers={"Retry-After": "5"},
    )
