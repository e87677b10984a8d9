"""Patches of moto: shortcuts where its time goes, one request at a time, checksums of parts."""

import copy
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final
from urllib.parse import urlparse

import pytest
from moto.core import responses, serialize
from moto.core.base_backend import BaseBackend
from moto.core.botocore_stubber import BotocoreStubber
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.core.utils import camelcase_to_underscores, method_names_from_class
from moto.dynamodb.models import DynamoDBBackend
from moto.dynamodb.models.dynamo_type import DynamoType
from moto.dynamodb.models.table import Table
from moto.kms import models as kms
from moto.kms.utils import generate_private_key
from moto.sqs import models as queues
from moto.sqs.models import sqs_backends

# The members of AttributeValue, of which each value has one; moto looks for ten other names of each
# that is absent, which took a fifth of the functional tests' time.
_ATTRIBUTE_TYPES: Final = frozenset({"B", "BOOL", "BS", "L", "M", "N", "NS", "NULL", "S", "SS"})
_pick: Final = serialize.AttributePicker.__call__
_process: Final = BotocoreStubber.process_request
_transact: Final = DynamoDBBackend.transact_write_items
_LOCK: Final = threading.RLock()


def patch_moto(environment: pytest.MonkeyPatch) -> None:
    """Patch moto until the environment is undone."""
    # moto makes an RSA key, a quarter of a test's time, for each KMS key; nobody signs with it.
    environment.setattr(kms, "generate_private_key", cache(generate_private_key))
    environment.setattr(serialize.AttributePicker, "__call__", _pick_attribute)
    environment.setattr(BotocoreStubber, "process_request", _process_alone)
    environment.setattr(DynamoDBBackend, "transact_write_items", _transact_write_items)
    environment.setattr(Table, "__deepcopy__", _share, raising=False)
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


def _pick_attribute(
    picker: serialize.AttributePicker, context: serialize.AttributePickerContext
) -> Any:
    """Return a member of an AttributeValue at once, and anything else as moto does."""
    if context.key in _ATTRIBUTE_TYPES and type(context.obj) is dict:
        return context.obj.get(context.key)
    return _pick(picker, context)


def _process_alone(stubber: BotocoreStubber, request: Any) -> Any:
    """Process one request at a time: an item of moto is changed while other threads read it."""
    with _LOCK:
        return _process(stubber, request)


def _share(table: Table, _memo: object) -> Table:
    """Return the table itself: moto copies whole tables only for what a transaction undoes."""
    return table


def _transact_write_items(
    backend: DynamoDBBackend, transact_items: Sequence[Mapping[str, Any]]
) -> None:
    """Undo a refused transaction by its own items; moto copies the table once for each of them."""
    before = [
        _item_before(backend.get_table(op["TableName"]), op)
        for entry in transact_items
        for op in entry.values()
    ]
    try:
        _transact(backend, list(map(dict, transact_items)))
    except Exception:
        for table, hash_key, range_key, item in before:
            if item is None:
                table.delete_item(hash_key, range_key)
            else:
                table.items[hash_key][range_key] = item
        raise


def _item_before(table: Table, op: Mapping[str, Any]) -> tuple[Table, Any, Any, Any]:
    """Return an item that an operation names, by its keys, and a copy of what it is now."""
    key = op.get("Key") or op["Item"]
    hash_key = DynamoType(key[table.hash_key_attr])
    range_key = DynamoType(key[table.range_key_attr])
    return table, hash_key, range_key, copy.deepcopy(table.get_item(hash_key, range_key))


class DirectQueues:
    """The calls of SQS that create a queue, past HTTP: each test creates some twenty queues."""

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
