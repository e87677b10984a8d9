"""Record of a failed document, as processes and functions send it to each other."""

from typing import Self

import msgspec

from chalicelib.core.errors import FieldError, RenderFailure
from chalicelib.core.json import OpaqueObject
from chalicelib.engine.context import RenderTrace


class FailureRecord(msgspec.Struct, frozen=True, tag_field="kind", tag="failure"):
    """Failure of a document; `members` are those of RenderFailure, without its trace."""

    code: str
    message: str
    errors: tuple[FieldError, ...] = ()
    members: OpaqueObject = {}
    trace: RenderTrace | None = None

    @classmethod
    def of(cls, failure: RenderFailure) -> Self:
        """Return the record of a failure."""
        members = dict(failure.members)
        trace = members.pop("trace", None)
        return cls(failure.code, failure.detail, failure.errors, members, trace)

    def failure(self) -> RenderFailure:
        """Return the failure."""
        failure = RenderFailure(self.code, self.message, errors=self.errors)
        failure.members |= self.members
        if self.trace is not None:
            failure.members["trace"] = self.trace
        return failure
