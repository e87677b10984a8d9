"""Patches of moto: shortcuts where its time goes, one request at a time, checksums of parts."""

import threading
from collections.abc import Callable
from functools import cache
from typing import Any, Final
from urllib.parse import urlparse

import pytest
from moto.core import responses
from moto.core.base_backend import BaseBackend
from moto.core.botocore_stubber import BotocoreStubber
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.core.utils import camelcase_to_underscores, method_names_from_class
from moto.kms import models as kms
from moto.kms.utils import generate_private_key
from moto.sqs import models as queues
from moto.sqs.models import sqs_backends

_process: Final = BotocoreStubber.process_request
_LOCK: Final = threading.RLock()


def patch_moto(environment: pytest.MonkeyPatch) -> None:
    """Patch moto until the environment is undone."""
    # moto makes an RSA key, a quarter of a test's time, for each KMS key; nobody signs with it.
    environment.setattr(kms, "generate_private_key", cache(generate_private_key))
    environment.setattr(BotocoreStubber, "process_request", _process_alone)
    # moto builds the addresses of a service, those of S3 from a reloaded module, for each request.
    environment.setattr(BaseBackend, "urls", property(_share_urls(BaseBackend.urls)))
    # moto finds all methods of a service, and spells all attributes of queues, for each request.
    environment.setattr(responses, "method_names_from_class", cache(method_names_from_class))
    spell = cache(camelcase_to_underscores)
    environment.setattr(responses, "camelcase_to_underscores", spell)
    environment.setattr(queues, "camelcase_to_underscores", spell)


def _share_urls(urls: Any) -> Callable[[BaseBackend], Any]:
    """Return the getter of a property of backends that is read once for each class."""
    by_class: dict[type, Any] = {}

    def get(backend: BaseBackend) -> Any:
        if type(backend) not in by_class:
            by_class[type(backend)] = urls.fget(backend)
        return by_class[type(backend)]

    return get


def _process_alone(stubber: BotocoreStubber, request: Any) -> Any:
    """Process one request at a time: moto changes objects that other threads read."""
    with _LOCK:
        return _process(stubber, request)


class DirectQueues:
    """Calls of SQS past HTTP: each stack has twenty queues, and most are empty when asked."""

    def __init__(self, region: str) -> None:
        """Create queues in a region of the running moto."""
        self._backend = sqs_backends[DEFAULT_ACCOUNT_ID][region]
        self._host = urlparse(f"https://sqs.{region}.amazonaws.com")

    def create_queue(self, **request: Any) -> dict[str, str]:
        """Create a queue and return its address."""
        with _LOCK:
            queue = self._backend.create_queue(request["QueueName"], **request["Attributes"])
        return {"QueueUrl": queue.url(self._host)}

    def get_queue_attributes(self, **request: Any) -> dict[str, dict[str, str]]:
        """Return the ARN of a queue."""
        name = request["QueueUrl"].rpartition("/")[2]
        return {"Attributes": {"QueueArn": self._backend.get_queue(name).queue_arn}}

    def count_messages(self, url: str) -> int:
        """Return the number of messages in a queue that may be received now."""
        with _LOCK:
            return len(self._backend.get_queue(url.rpartition("/")[2]).messages)


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
