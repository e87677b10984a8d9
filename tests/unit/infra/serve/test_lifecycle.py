"""Lifecycle rules of the bucket delete the same objects under serve as on AWS."""

import os
import threading
from pathlib import Path
from typing import IO, Final

import pytest

from infra.local.access.keys import AccessKey
from infra.local.objects.object_file import Properties
from infra.local.objects.server import Bucket, ObjectStore
from infra.serve.lifecycle import LifecycleRule, lifecycle_rules, sweep
from infra.template import load_template

DAY_S: Final = 86_400
NOW: Final = 2_000_000_000.0


@pytest.fixture
def bucket(tmp_path: Path) -> Bucket:
    store = ObjectStore(tmp_path / "objects", AccessKey.random())
    store.buckets["b"] = Bucket(tmp_path / "objects" / "b", store.disk)
    return store.buckets["b"]


def put(bucket: Bucket, key: str, days: float) -> None:
    def write(file: IO[bytes]) -> Properties:
        file.write(b"x")
        return Properties(1, "", "")

    bucket.objects.put(key, write)
    (found,) = [each for each in bucket.objects.walk() if each.key == key]
    os.utime(found.path, (NOW - days * DAY_S,) * 2)


def rules() -> list[LifecycleRule]:
    return lifecycle_rules(load_template()["Resources"]["FilesBucket"]["Properties"])


def test_rules_of_the_template_are_followed(bucket: Bucket) -> None:
    kept = {"tmp/uploads/new": 0.9, "log/new": 31, "tmp/ws/new": 5, "ws/files/old": 4_000}
    expired = {"tmp/uploads/old": 1.1, "tmp/answers/old": 2, "log/old": 33, "tmp/ws/old": 7}
    for key, days in {**kept, **expired}.items():
        put(bucket, key, days)

    assert sweep(bucket, rules(), threading.Event(), NOW) == len(expired)

    assert {each.key for each in bucket.objects.walk()} == set(kept)


def test_uploads_that_nobody_completes_are_aborted(bucket: Bucket) -> None:
    old, new = (bucket.uploads.begin("ws/zip", {}) for _ in range(2))
    (found,) = [each for each in bucket.uploads.all() if each.id == old]
    path = bucket.uploads.file_of(found)
    os.utime(path, (NOW - 2 * DAY_S,) * 2)
    os.utime(bucket.uploads.file_of(found._replace(id=new)), (NOW,) * 2)

    assert sweep(bucket, rules(), threading.Event(), NOW) == 1

    assert [each.id for each in bucket.uploads.all()] == [new]


def test_sweep_ends_when_the_server_stops(bucket: Bucket) -> None:
    for number in range(250):
        put(bucket, f"log/{number}", 40)
    stopping = threading.Event()
    stopping.set()

    assert sweep(bucket, rules(), stopping, NOW) == 100


def test_unknown_rule_is_an_error() -> None:
    rule = {"Id": "x", "Status": "Enabled", "TagFilters": []}

    with pytest.raises(ValueError, match="the lifecycle rule x has TagFilters"):
        lifecycle_rules({"LifecycleConfiguration": {"Rules": [rule]}})
