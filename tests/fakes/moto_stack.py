"""Bucket, queues and secrets of a stack in moto, and their renewal for the next test."""

import copy
from collections.abc import Mapping
from typing import Any

from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.s3.models import s3_backends
from moto.secretsmanager.models import secretsmanager_backends
from moto.sqs.models import sqs_backends


class MotoStack:
    """Bucket, queues and secrets of a new stack, as they were when it was created."""

    def __init__(self, stack: Mapping[str, Mapping[str, str]], region: str) -> None:
        """Remember the resources of a stack that nothing has used."""
        self._region = region
        self._buckets = [
            attributes["Ref"] for name, attributes in stack.items() if name.endswith("Bucket")
        ]
        names = [attributes.get("QueueName") for attributes in stack.values()]
        self._all_queues = sqs_backends[DEFAULT_ACCOUNT_ID][region].queues
        self._queues = {
            name: (queue, _copied(vars(queue)))
            for name, queue in self._all_queues.items()
            if name in names
        }
        arns = [attributes["Ref"] for attributes in stack.values()]
        self._all_secrets = secretsmanager_backends[DEFAULT_ACCOUNT_ID][region].secrets
        self._secrets = {
            name: copy.deepcopy(secret)
            for name, secret in self._all_secrets.items()
            if secret.arn in arns
        }

    def renew(self) -> None:
        """Restore all of it, whether it was changed or deleted."""
        for name, (queue, members) in self._queues.items():
            vars(queue).update(_copied(members))
            self._all_queues[name] = queue
        for name, secret in self._secrets.items():
            self._all_secrets[name] = copy.deepcopy(secret)
        for bucket in self._buckets:
            _empty_bucket(bucket, self._region)


def _copied(members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of a queue, the mutable ones copied."""
    changeable = (list, set, dict)
    return {
        name: copy.copy(value) if isinstance(value, changeable) else value
        for name, value in members.items()
    }


def _empty_bucket(name: str, region: str) -> None:
    backend = s3_backends[DEFAULT_ACCOUNT_ID]["aws"]
    bucket = backend.buckets.pop(name, None)
    if bucket is not None:
        for stored in (*bucket.keys.values(), *bucket.multiparts.values()):
            stored.dispose()
    s3_backends.bucket_accounts.pop(name, None)
    backend.create_bucket(name, region)
