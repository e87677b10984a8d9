"""Event types of the contract that nothing sends yet.

The feature that sends one takes its row over, adds `describe`, and is listed in `event_types.py`.
"""

from collections.abc import Mapping
from typing import Final

from chalicelib.core.json import Json
from chalicelib.features.events.model import EventType

_STORAGE_UPLOAD: Final[Mapping[str, Json]] = {
    "id": "sup_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "object": "storage_upload",
    "render_id": "rnd_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "file_id": "file_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "destination_id": "dst_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "key": "invoices/INV-2026-0042.pdf",
    "attempts": 1,
    "error": {
        "code": "storage_denied",
        "message": "The store refused the credentials.",
        "status": 403,
    },
}


UPCOMING_EVENT_TYPES: Final = (
    EventType(
        "storage.upload_failed",
        summary="An upload to a storage destination has failed for good",
        model="chalicelib.contract.storage.upload:StorageUpload",
        example=_STORAGE_UPLOAD,
    ),
)
