"""What can go wrong on purpose.

ServiceError            a code of the catalogue in core/problems.py, told to the caller
├── NotFound            the thing is not there, or not the caller's
├── Conflict            the request does not fit the present state
├── Forbidden           the caller may not
└── RenderFailure       the document cannot be made; the code stands in render.error
Anything else that is raised is a bug and answered as `internal_error`.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from chalicelib.core.problems import PROBLEMS, Problem

# A name that a request sends may have megabytes, an answer not.
_MAX_POINTER_CHARACTERS: Final = 1_000


class FieldError(NamedTuple):
    """One entry of `errors[]`: a JSON Pointer into the request, a code and a sentence."""

    path: str
    code: str
    message: str


class ServiceError(Exception):
    """A refusal or failure that has a code; `members` are extension members of the problem."""

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        errors: Sequence[FieldError] = (),
        headers: Mapping[str, str] | None = None,
        **members: Any,
    ) -> None:
        """Raise with a code of the catalogue; an unknown code is a bug."""
        assert code in PROBLEMS, code
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        self.members = members

    @property
    def problem(self) -> Problem:
        """Return the row of the catalogue."""
        return PROBLEMS[self.code]


class NotFound(ServiceError):  # noqa: N818 -- reads as the answer it gives
    """The thing is not there, or belongs to another workspace."""


class Conflict(ServiceError):  # noqa: N818 -- reads as the answer it gives
    """The request does not fit the present state."""


class Forbidden(ServiceError):  # noqa: N818 -- reads as the answer it gives
    """The caller may not do this."""


class RenderFailure(ServiceError):  # noqa: N818 -- reads as the answer it gives
    """The document cannot be made; nothing is billed."""


def json_pointer(steps: Iterable[str | int], prefix: str = "") -> str:
    """Return a JSON Pointer; one that is too long to be told ends with an ellipsis."""
    escaped = (str(step).replace("~", "~0").replace("/", "~1") for step in steps)
    text = prefix + "".join(f"/{step}" for step in escaped)
    return (
        text if len(text) <= _MAX_POINTER_CHARACTERS else f"{text[: _MAX_POINTER_CHARACTERS - 1]}…"
    )


def validation_error(path: str, message: str, code: str = "invalid") -> ServiceError:
    """Return the `validation_error` for one field, or the whole body, by its JSON Pointer."""
    return ServiceError(
        "validation_error",
        f"{path or 'The body'}: {message}",
        errors=[FieldError(path, code, message)],
    )
