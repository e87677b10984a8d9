"""Descriptions that msgspec keeps of the types it reads, built before threads share them.

msgspec describes a type on its first use, and a thread that meets an unfinished description ends
the process. The product's processes serve one invocation at a time; a test with threads calls
`build_type_descriptions` first.
"""

import importlib
import pkgutil
from typing import Final

import msgspec

import chalicelib
from chalicelib.engine.conformance.checks import VerdictJson
from chalicelib.engine.job import EngineJob, Job
from chalicelib.engine.remote.calls import AnyCall
from chalicelib.engine.remote.results import AnyResult
from chalicelib.engine.sources import Source
from chalicelib.features.batches.model import Batch, BatchItem
from chalicelib.features.destinations.uploads.model import TargetUploads, UploadError
from chalicelib.features.emails.sends.model import EmailSend
from chalicelib.features.files.model import StoredFile
from chalicelib.features.webhooks.request_webhook import RequestWebhook

_OTHER_TYPES: Final = (
    *(AnyCall, AnyResult, EngineJob, Job, Source),
    *(Batch, BatchItem, EmailSend, RequestWebhook, StoredFile, TargetUploads, UploadError),
    VerdictJson,
)


def build_type_descriptions() -> None:
    """Import all modules and build the descriptions of the types that msgspec reads in them."""
    for module in pkgutil.walk_packages(chalicelib.__path__, "chalicelib."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, type) and issubclass(value, msgspec.Struct):
                msgspec.json.Decoder(value)
    for described in _OTHER_TYPES:
        msgspec.json.Decoder(described)
