"""Upload races: concurrent reads, and deletion while the bytes are copied."""

from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.adapters.aws.objects import ObjectCopy, Objects
from chalicelib.core.ids import UploadId
from chalicelib.features.uploads.repository import Uploads
from tests.builders.service import Service
from tests.builders.uploads import announce_upload, store_announced

HTML = b"<p>1<"


def meanwhile(
    monkeypatch: pytest.MonkeyPatch, happens: Callable[[], object], *, after: bool
) -> None:
    """Run an action before or after the first copy of an arrived upload."""
    real = Objects.copy

    def copy(*given: Any) -> ObjectCopy | None:
        monkeypatch.setattr(Objects, "copy", real)
        if not after:
            happens()
        copied = real(*given)
        if after:
            happens()
        return copied

    monkeypatch.setattr(Objects, "copy", copy)


def test_concurrent_readers_share_an_arrived_upload(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload = announce_upload(service, bytes=len(HTML)).json
    store_announced(service, upload["id"], HTML)
    path = f"/v1/uploads/{upload['id']}"
    meanwhile(monkeypatch, lambda: service.call("GET", path), after=False)

    answer = service.render(input={"type": "html", "upload_id": upload["id"]})

    assert answer.status == 200, answer.body


@pytest.mark.parametrize("after", [False, True])
def test_deleted_upload_does_not_come_back(
    service: Service, monkeypatch: pytest.MonkeyPatch, *, after: bool
) -> None:
    upload = announce_upload(service, bytes=len(HTML)).json
    store_announced(service, upload["id"], HTML)
    path = f"/v1/uploads/{upload['id']}"
    uploads = Uploads(table=service.transient_table)
    known = uploads.get_many(service.workspace, [UploadId(upload["id"])], service.clock.now())
    (pending,) = known.values()
    meanwhile(monkeypatch, lambda: service.services.uploads.delete(pending), after=after)

    assert service.call("GET", path).code == "upload_not_found"
    assert service.call("GET", path).code == "upload_not_found"
    assert service.objects() == []
