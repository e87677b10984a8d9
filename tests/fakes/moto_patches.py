"""Patches of moto: a shortcut where its time goes, one request at a time, checksums of parts."""

import threading
from typing import Any, Final

from moto.core import serialize
from moto.core.botocore_stubber import BotocoreStubber

# The members of AttributeValue, of which each value has one; moto looks for ten other names of each
# that is absent, which took a fifth of the functional tests' time.
_ATTRIBUTE_TYPES: Final = frozenset({"B", "BOOL", "BS", "L", "M", "N", "NS", "NULL", "S", "SS"})
_pick: Final = serialize.AttributePicker.__call__
_process: Final = BotocoreStubber.process_request
_LOCK: Final = threading.RLock()


def pick_attribute(
    picker: serialize.AttributePicker, context: serialize.AttributePickerContext
) -> Any:
    """Return a member of an AttributeValue at once, and anything else as moto does."""
    if context.key in _ATTRIBUTE_TYPES and type(context.obj) is dict:
        return context.obj.get(context.key)
    return _pick(picker, context)


def process_alone(stubber: BotocoreStubber, request: Any) -> Any:
    """Process one request at a time: moto's transactions copy tables that other threads change."""
    with _LOCK:
        return _process(stubber, request)


class PartChecksums:
    """Checksums of the parts of uploads, which moto takes and does not list."""

    def __init__(self, s3: Any) -> None:
        """List them with the parts that a client lists."""
        self._by_part: dict[tuple[str, int], str] = {}
        s3.meta.events.register("provide-client-params.s3.UploadPart", self._keep)
        s3.meta.events.register("after-call.s3.ListParts", self._add)

    def _keep(self, *, params: Any, **_: object) -> None:
        if "ChecksumSHA256" in params:
            self._by_part[params["UploadId"], params["PartNumber"]] = params["ChecksumSHA256"]

    def _add(self, *, parsed: Any, **_: object) -> None:
        for part in parsed.get("Parts", ()):
            part["ChecksumSHA256"] = self._by_part[parsed["UploadId"], part["PartNumber"]]
