"""Kills functions over batches: the way to their crash points, and the passing of time."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

import pikepdf

from chalicelib.adapters.aws.table import Row
from chalicelib.core.crash_points import CrashPoint
from chalicelib.core.ids import BatchId, RenderId
from chalicelib.features.batches.combine.repository import combine_item
from chalicelib.features.batches.release.repository import release_item
from chalicelib.features.renders.run.protocol import QueuedRender
from chalicelib.features.workspaces.plans import PLANS
from tests.builders.crash.batch_invariants import (
    BatchEnd,
    BatchRows,
    batch_faults,
    limits_faults,
    object_faults,
)
from tests.builders.crash.stack import CrashStack
from tests.builders.crash.workspace import CrashWorkspace
from tests.builders.stack.stores import PAST

# The first crash point of batches.
FIRST_BATCH_POINT: Final = CrashPoint.BATCH_ANNOUNCED
# The plan releases five items at once: a batch takes several steps.
_PLAN: Final = "starter"
# An item fails if `bad` is true.
_HTML: Final = "<p>{{ n }} {% if bad %}{{ 1 // 0 }}{% endif %}"


class CrashBatches(CrashWorkspace):
    """A workspace with a template, whose batches are made while functions die."""

    def __init__(self, stack: CrashStack) -> None:
        """Create workspace and template."""
        super().__init__(stack, _PLAN)
        made = self.call("POST", "/templates", json={"name": "T", "html": _HTML, "publish": True})
        self.template = made["id"]
        self.allowance = PLANS[_PLAN].included_renders
        self.repeats_messages = False
        self.erased: set[str] = set()

    def body(self, count: int, bad: Sequence[int] = (), **fields: Any) -> dict[str, Any]:
        """Return the request of a batch of which some items fail."""
        items = [{"data": {"n": n, "bad": n in bad}} for n in range(count)]
        return {"template_id": self.template, "items": items} | fields

    def make(self, count: int, bad: Sequence[int] = (), **fields: Any) -> str:
        """Create a batch and return its id."""
        made: str = self.call("POST", "/batches", json=self.body(count, bad, **fields))["id"]
        return made

    def make_of_csv(self, text: str) -> str:
        """Create a batch of the records of a CSV and return its id."""
        files = {"file": ("items.csv", text, "text/csv")}
        upload = self.call("POST", "/uploads", files=files)["id"]
        body = {"template_id": self.template, "csv_upload_id": upload}
        made: str = self.call("POST", "/batches", json=body)["id"]
        return made

    def names_in_zip(self, batch: str) -> list[str]:
        """Return the names in the archive of a batch, whose files are whole."""
        with ZipFile(BytesIO(self._combined(batch, "zip"))) as archive:
            assert archive.testzip() is None
            return archive.namelist()

    def pages_of_merged(self, batch: str) -> int:
        """Return the number of pages of the merged PDF of a batch."""
        with pikepdf.open(BytesIO(self._combined(batch, "merged_pdf"))) as pdf:
            return len(pdf.pages)

    def _combined(self, batch: str, kind: str) -> bytes:
        files = self.call("GET", f"/batches/{batch}")["files"]
        (url,) = (file["url"] for file in files if file["kind"] == kind)
        return self.stack.download(url)

    def end(self, *ends: BatchEnd, armed: Path | None = None) -> None:
        """Let time pass until the batches have ended so, and an armed point has killed."""
        if self.repeats_messages:
            self._repeat_messages()

        def unmet() -> list[str]:
            waits = armed is not None and armed.exists()
            found = ["the point has not killed"] if waits else self.faults(*ends)
            if found and self.repeats_messages:
                self._repeat_messages()
            return found

        self.stack.until(unmet)

    def faults(self, *ends: BatchEnd) -> list[str]:
        """Return open work, and the broken invariants."""
        rows = BatchRows(self.rows(), self.workspace)
        keys = [*self.objects(), *self.stores.keys(f"tmp/ws/{self.workspace}/")]
        return [
            *batch_faults(rows, ends),
            *limits_faults(rows, self.allowance),
            *object_faults(rows, keys, self.erased),
            *self.stores.multipart_uploads(f"ws/{self.workspace}/"),
        ]

    def give_renders(self, more: int) -> None:
        """Add renders to the allowance, or take them away; nothing runs meanwhile."""
        item = self.stores.limits(self.workspace)
        left = {"quota_left": item["quota_left"] + more}
        self.stores.replace(item, left)
        assert self.stores.limits(self.workspace)["quota_left"] == left["quota_left"]
        self.allowance += more

    def cancel_killed(self, batch: str) -> None:
        """Cancel a batch; the function of the request dies once that is written."""
        self.call_killed(CrashPoint.BATCH_CANCEL_WRITTEN, "POST", f"/batches/{batch}/cancel")

    def expire(self) -> None:
        """End the retention of the data of the workspace's batches."""
        for row in self.batches():
            self.stores.replace(row, {"data_until": PAST, "due_at": PAST})
            self.erased.add(row["id"])

    def renders_of(self, status: str) -> list[Row]:
        """Return the rows of the renders of a status."""
        rows = BatchRows(self.rows(), self.workspace)
        return [row for row in rows.renders if row["status"] == status]

    def batches(self) -> list[Row]:
        """Return the rows of the batches, oldest first."""
        return BatchRows(self.rows(), self.workspace).batches

    def message_of(self, render: Row) -> Any:
        """Return the message of an item's render."""
        return QueuedRender(self.workspace, RenderId(render["id"]), "req_1").to_json()

    def _repeat_messages(self) -> None:
        """Deliver the messages of batches once more, received ones and those to come."""
        self.stores.send("BatchesQueue", release_item(self.workspace).to_json())
        for render in BatchRows(self.rows(), self.workspace).renders[-3:]:
            self.stores.send("BatchItemsQueue", self.message_of(render))
        for batch in self.batches():
            item = combine_item((self.workspace, BatchId(batch["id"])))
            self.stores.send("CombineQueue", item.to_json())
