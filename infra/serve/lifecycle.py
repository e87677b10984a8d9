"""Lifecycle rules of the bucket, which S3 follows by itself: what has expired is deleted."""

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from infra.local.objects.multipart import NoSuchUploadError
from infra.local.objects.server import Bucket

_DAY_S: Final = 86_400
_AT_ONCE: Final = 100
# Requests go before: a sweep has hours.
_PAUSE_S: Final = 0.05
_KNOWN: Final = {
    "Id",
    "Status",
    "Prefix",
    "ExpirationInDays",
    "AbortIncompleteMultipartUpload",
}


class LifecycleRule(NamedTuple):
    """Rule of a bucket; None for what it does not say."""

    prefix: str
    object_days: int | None
    upload_days: int | None


def lifecycle_rules(properties: Mapping[str, Any]) -> list[LifecycleRule]:
    """Return the rules of a bucket in the template; raises ValueError for what it cannot follow."""
    rules = []
    for rule in properties.get("LifecycleConfiguration", {}).get("Rules", ()):
        if unknown := rule.keys() - _KNOWN:
            message = f"the lifecycle rule {rule.get('Id')} has {', '.join(sorted(unknown))}"
            raise ValueError(message)
        uploads = rule.get("AbortIncompleteMultipartUpload", {})
        if rule["Status"] == "Enabled":
            rules.append(
                LifecycleRule(
                    rule.get("Prefix", ""),
                    rule.get("ExpirationInDays"),
                    uploads.get("DaysAfterInitiation"),
                )
            )
    return rules


def sweep(
    bucket: Bucket,
    rules: Sequence[LifecycleRule],
    stopping: threading.Event,
    now: float | None = None,
) -> int:
    """Delete what has expired by these rules; return how many objects and uploads."""
    now = time.time() if now is None else now
    return sum(
        _sweep_objects(bucket, rule, stopping, now) + _sweep_uploads(bucket, rule, stopping, now)
        for rule in rules
    )


def _sweep_objects(
    bucket: Bucket, rule: LifecycleRule, stopping: threading.Event, now: float
) -> int:
    if rule.object_days is None:
        return 0
    before = now - rule.object_days * _DAY_S
    deleted = 0
    expired: list[str] = []
    for each in bucket.objects.walk(rule.prefix):
        if each.modified < before:
            expired.append(each.key)
        if len(expired) == _AT_ONCE:
            bucket.objects.delete(*expired)
            deleted += len(expired)
            expired.clear()
            if stopping.wait(_PAUSE_S):
                return deleted
    bucket.objects.delete(*expired)
    return deleted + len(expired)


def _sweep_uploads(
    bucket: Bucket, rule: LifecycleRule, stopping: threading.Event, now: float
) -> int:
    if rule.upload_days is None:
        return 0
    deleted = 0
    for upload in list(bucket.uploads.all(rule.prefix)):
        if upload.begun < now - rule.upload_days * _DAY_S and not stopping.is_set():
            try:
                bucket.uploads.abort(upload.id)
            except NoSuchUploadError:
                continue
            deleted += 1
    return deleted
