"""Audit of the tables and the bucket of a service: do they agree with each other."""

import re
from collections import Counter
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any

from chalicelib.adapters.aws.table import ItemCodec
from chalicelib.core.clock import format_rfc3339
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.rows import render_of
from tests.builders.service import Service

type Row = dict[str, Any]


@dataclass(frozen=True)
class StoreAudit:
    """Everything that a service with one workspace has written."""

    renders: dict[str, Render]
    events: list[Row]
    files: list[Row]
    idempotency_records: list[Row]
    due_items: list[str]
    limits: Row
    usage: Counter[str]
    objects: list[str]

    @classmethod
    def read(cls, service: Service) -> "StoreAudit":
        """Read all of it, bypassing the fault proxies."""
        rows = _scan(service, service.settings.main_table)
        now = format_rfc3339(service.clock.now())
        metas = [row for row in rows if row["PK"].startswith("WS#") and row["SK"] == "META"]
        days = [row for row in rows if "#USE#" in row["PK"]]
        return cls(
            renders={row["id"]: render_of(row).at(now) for row in metas if "#RND#" in row["PK"]},
            events=[row for row in rows if row["SK"].startswith("EVENT#")],
            files=[row for row in rows if row["PK"].startswith("FILE#")],
            idempotency_records=[
                row
                for row in _scan(service, service.settings.transient_table)
                if row["PK"].startswith("IDEM#")
            ],
            due_items=[f"{row['PK']} {row['SK']}" for row in rows if "due_at" in row],
            limits=service.limits(),
            usage=sum((_counters(row) for row in days), Counter()),
            objects=_objects(service),
        )

    def check(self, *, late_uploads: AbstractSet[str] = frozenset()) -> None:
        """Assert that all records agree and nothing is pending.

        Uploads that arrived after their caller gave up may be left if something will still
        remove them: bodies, by the bucket itself, and files of dead attempts, with the retention.
        """
        self._check_states()
        self._check_events()
        self._check_files(late_uploads)
        self._check_limits()
        self._check_usage()

    def _check_states(self) -> None:
        assert all(render.is_final for render in self.renders.values()), Counter(
            render.status for render in self.renders.values()
        )
        ids = [record["render_id"] for record in self.idempotency_records]
        assert len(ids) == len(set(ids))
        assert set(ids) <= self.renders.keys()

    def _check_events(self) -> None:
        assert all("published_at" in event for event in self.events)
        final = Counter(
            event["PK"] for event in self.events if event["type"].split(".")[1] in _FINAL_STATUSES
        )
        assert set(final.values()) <= {1}
        assert len(final) == len(self.renders)
        expired = Counter(event["PK"] for event in self.events if event["type"] == "render.expired")
        assert set(expired.values()) <= {1}
        purged = [render for render in self.renders.values() if render.files_purged_at]
        assert len(expired) == len(purged)

    def _check_files(self, late_uploads: AbstractSet[str]) -> None:
        succeeded = [render for render in self.renders.values() if render.status == "succeeded"]
        assert all(len(render.files) == 1 for render in succeeded)
        assert all(
            not render.files for render in self.renders.values() if render.status != "succeeded"
        )
        assert len(self.files) == len(succeeded)
        kept = sorted(r.files[0].key for r in succeeded if r.files_purged_at is None)
        left = {
            key
            for key in late_uploads - set(kept)
            if key.startswith("tmp/") or self._has_expiring_files(key)
        }
        wrong = set(self.objects) - left ^ set(kept)
        assert not wrong, [(key, self.renders.get(_RENDER_ID.findall(key)[0])) for key in wrong]
        waiting = {f"FILE#{r.files[0].id} META" for r in succeeded}
        assert set(self.due_items) <= waiting, set(self.due_items) - waiting

    def _has_expiring_files(self, key: str) -> bool:
        """Return whether the render of a file has files that will expire."""
        render = self.renders[_RENDER_ID.findall(key)[0]]
        return render.status == "succeeded" and render.files_purged_at is None

    def _check_limits(self) -> None:
        assert (self.limits["holds"], self.limits["leases"]) == ({}, {})
        billed = sum(render.billed for render in self.renders.values())
        assert billed == sum(
            render.status == "succeeded" and not render.test for render in self.renders.values()
        )
        assert self.limits["used"] == billed
        assert self.limits["used"] + self.limits["quota_left"] == _INCLUDED_RENDERS

    def _check_usage(self) -> None:
        counted = Counter(
            f"{'test' if render.test else 'live'}_{render.status}"
            for render in self.renders.values()
        )
        counted["billed"] = sum(render.billed for render in self.renders.values())
        assert self.usage == counted


_RENDER_ID = re.compile(r"rnd_\w{26}")
_FINAL_STATUSES = {"succeeded", "failed", "canceled"}
_INCLUDED_RENDERS = 250_000


def _scan(service: Service, table: str) -> list[Row]:
    codec = ItemCodec()
    pages = service.clients.dynamodb.get_paginator("scan").paginate(
        TableName=table, ConsistentRead=True
    )
    return [codec.decode(row) for page in pages for row in page["Items"]]


def _objects(service: Service) -> list[str]:
    pages = service.clients.s3.get_paginator("list_objects_v2").paginate(
        Bucket=service.settings.bucket
    )
    return sorted(row["Key"] for page in pages for row in page.get("Contents", []))


def _counters(row: Row) -> Counter[str]:
    return Counter(
        {name: value for name, value in row.items() if isinstance(value, int) and "#" not in name}
    )
