"""Merging of PDFs by the engine function: it opens the documents of tenants, and has no rights."""

from collections.abc import Sequence
from typing import NamedTuple

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.remote_engine import EngineCallContext, EngineLost, RemoteEngine
from chalicelib.engine.combining.failure import CombineFailure
from chalicelib.engine.remote.calls import MergeCall, MergeItem
from chalicelib.engine.remote.results import MergeResult


class SourcePdf(NamedTuple):
    """PDF of an item: its index, the title of its outline entry, and the key of its object."""

    item: int
    title: str
    key: str


class MergedPart(NamedTuple):
    """Bytes to append to a merged PDF, the state for the next ones, and its pages so far."""

    content: bytes
    state: bytes
    pages: int


class RemoteMerge:
    """Merging of PDFs, some at a time."""

    def __init__(self, engine: RemoteEngine, objects: Objects) -> None:
        """Ask `engine`, which gets addresses in `objects`."""
        self._engine = engine
        self._objects = objects

    def append(
        self,
        pdfs: Sequence[SourcePdf],
        state: bytes | None,
        context: EngineCallContext,
        *,
        is_last: bool,
    ) -> MergedPart:
        """Append PDFs to a merged file whose `state` tells its parts; a file without one is begun.

        Raises CombineFailure, and RenderFailure, FunctionBusy and EngineLost as RemoteEngine does.
        """
        key = f"{context.folder}/state"
        if state is not None:
            self._objects.put_data(key, state)
        try:
            call = MergeCall(
                ends_at=context.ends_at,
                result_form=self._engine.result_form(context),
                state_url=None if state is None else self._engine.sign(key, context),
                items=tuple(
                    MergeItem(pdf.item, pdf.title, self._engine.sign(pdf.key, context))
                    for pdf in pdfs
                ),
                is_last=is_last,
                test=context.test,
            )
            result, contents = self._engine.ask(call, MergeResult, context)
        finally:
            if state is not None:
                self._objects.delete(key)
        if result.failure is not None:
            raise CombineFailure(*result.failure)
        # The bytes to append and the next state; an answer of another shape is a lost engine.
        if len(contents) != len(MergedPart._fields) - 1:
            raise EngineLost
        return MergedPart(contents[0], contents[1], result.pages)
