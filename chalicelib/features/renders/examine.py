"""Examine an e-invoice of others, where documents are made: nothing of it is kept or billed."""

from typing import TYPE_CHECKING, Any

from chalicelib.core.clock import Clock
from chalicelib.core.errors import RenderFailure
from chalicelib.features.renders.examination import Examination, refused, told
from chalicelib.features.uploads.contents import UploadContents

if TYPE_CHECKING:
    from collections.abc import Callable

    from chalicelib.engine.conformance.checks import Validator


class ExamineEInvoice:
    """Reads and judges; the validators are wanted when somebody asks."""

    def __init__(
        self, validator: "Callable[[], Validator]", uploads: UploadContents, clock: Clock
    ) -> None:
        """Ask the validators that this returns, about uploads from there."""
        self._validator = validator
        self._uploads = uploads
        self._clock = clock

    def __call__(self, order: Examination) -> dict[str, Any]:
        """Return the render function's answer."""
        # Few documents come from others.
        from chalicelib.engine.conformance.received import examine  # noqa: PLC0415
        from chalicelib.engine.deadline import Deadline  # noqa: PLC0415

        deadline = Deadline.after(order.deadline - self._clock.now().timestamp())
        try:
            content = self._content(order)
            # What was sent along is stored nowhere; an upload is stored already.
            keep = order.content is None
            found = examine(content, self._validator(), deadline, keep=keep)
        except RenderFailure as failure:
            return refused(failure)
        return told(found.conformance, found.invoice)

    def _content(self, order: Examination) -> bytes:
        if order.content is not None:
            return order.content
        assert order.upload_id is not None, "nothing is named"
        return self._uploads.get(order.workspace_id, order.upload_id)
