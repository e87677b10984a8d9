"""Publication of a draft as the next version, which never changes."""

import datetime as dt
import logging
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

from chalicelib.adapters.aws.table import ConditionFailed, RowValue, Table, Write
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import Conflict, validation_error
from chalicelib.core.ids import derived_id, id_created_at
from chalicelib.core.json import JsonObject
from chalicelib.features.events.model import DomainEvent, EventType
from chalicelib.features.events.repository import EventOutbox
from chalicelib.features.files.model import StoredFile
from chalicelib.features.files.repository import Files
from chalicelib.features.templates.model import (
    Draft,
    PublishedVersion,
    SourceBundle,
    StoredText,
    Template,
)
from chalicelib.features.templates.present import version_json
from chalicelib.features.templates.repository import Templates, template_partition
from chalicelib.features.templates.source_texts import SourceTexts
from chalicelib.features.templates.store_source import StoreSource

log = logging.getLogger(__name__)

TEMPLATE_PUBLISHED: Final = EventType(
    "template.published",
    describe=lambda event, _row: event.detail,
    summary="A version of a template was published",
    model="chalicelib.contract.template.template:NamedTemplateVersion",
    example={
        "object": "template_version",
        "template_id": "tpl_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
        "name": "Invoice",
        "number": 3,
        "note": "New payment terms",
        "draft_revision": 7,
        "rollback_of": None,
        "published_at": "2026-01-31T12:00:00.000Z",
    },
)
# The loser of a race takes the next number (decision 20); each round has a winner.
_MAX_TRIES: Final = 60
_MAX_PAUSE_S: Final = 0.2
_LIVE_FIELDS: Final = ("live_version", "live_published_at", "live_note", "live_thumbnail")


@dataclass(frozen=True, slots=True)
class NewDataset:
    """A dataset that is created together with its template."""

    name: str
    data: JsonObject
    is_default: bool


def default_index(datasets: Sequence[NewDataset]) -> int | None:
    """Return the index of the default dataset: the first if none is marked."""
    marked = [n for n, each in enumerate(datasets) if each.is_default]
    if len(marked) > 1:
        message = "is the second default; exactly one dataset is"
        raise validation_error(f"/datasets/{marked[1]}/is_default", message, "not_allowed")
    return marked[0] if marked else 0 if datasets else None


class DatasetDryRun(Protocol):
    """Renders every dataset of a template in full; stores and bills nothing."""

    def __call__(
        self,
        template: Template,
        source: SourceBundle,
        *,
        datasets: Sequence[NewDataset] | None,
        deadline: float,
    ) -> bytes | None:
        """Return when every render succeeded by the deadline (Unix seconds).

        Return a thumbnail of the default dataset in WebP, if there is one. `datasets` are those of
        a template that does not exist yet; None means the stored ones.
        Raises the error of the first failed render, `render_timeout` after the deadline.
        """
        ...


@dataclass(frozen=True, slots=True)
class PublishResult:
    """A template and its new version."""

    template: Template
    version: PublishedVersion


class PublishTemplate:
    """Publishes drafts and older versions; version numbers are unique and without gaps."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        table: Table,
        templates: Templates,
        contents: SourceTexts,
        store: StoreSource,
        files: Files,
        outbox: EventOutbox,
        publish: Callable[[DomainEvent], None],
        dry_run: DatasetDryRun,
        clock: Clock,
    ) -> None:
        """Work with these stores; `publish` sends an event, `dry_run` renders the datasets."""
        self._table = table
        self._templates = templates
        self._contents = contents
        self._store = store
        self._files = files
        self._outbox = outbox
        self._publish = publish
        self._dry_run = dry_run
        self._clock = clock

    def publish_draft(
        self,
        template: Template,
        *,
        note: str | None,
        revision: int | None,
        request_id: str,
        deadline: float,
    ) -> PublishResult:
        """Publish the draft after a dry run of all datasets; raises `draft_revision_conflict`."""
        check_revision(template, revision)
        draft = self._templates.draft(template)
        check_revision(template, draft.revision)
        source = self._draft_source(template, draft)
        picture = self._dry_run(template, source, datasets=None, deadline=deadline)
        thumbnail = None if picture is None else self._store.store_thumbnail(template, picture)
        content = _VersionContent(
            draft.stored, note=note, draft_revision=draft.revision, thumbnail=thumbnail
        )
        return self._publish_next(template, content, request_id, draft.revision)

    def rollback(self, template: Template, number: int, request_id: str) -> PublishResult:
        """Publish an older version's content again; raises `version_not_found`."""
        old = self._templates.version(template, number)
        # The picture of the older version is that of the new one.
        content = _VersionContent(old.stored, rollback_of=number, thumbnail=old.thumbnail)
        return self._publish_next(template, content, request_id, None)

    def first_version(
        self,
        template: Template,
        stored_and_thumbnail: tuple[StoredText, StoredFile | None],
        request_id: str,
        now: dt.datetime,
    ) -> tuple[PublishedVersion, list[Write], DomainEvent]:
        """Return version 1 of a new template, its writes, and its event."""
        stored, thumbnail = stored_and_thumbnail
        version = PublishedVersion(
            1,
            stored,
            format_rfc3339(now),
            draft_revision=template.draft_revision,
            thumbnail=thumbnail,
        )
        event = published_event(template, version, request_id, now)
        return version, self._version_writes(template, version, event), event

    def publish(self, event: DomainEvent) -> None:
        """Send an event that is already stored; if that fails, the tick sends it (decision 9)."""
        self._publish(event)

    def _draft_source(self, template: Template, draft: Draft) -> SourceBundle:
        try:
            return self._contents.source(template.workspace_id, template.id, draft.stored)
        except LookupError:
            # Replacing a draft removes its source: then this is a revision conflict, no defect.
            current = self._templates.one(template.workspace_id, template.id)
            check_revision(current, draft.revision)
            raise

    def _publish_next(
        self,
        template: Template,
        content: "_VersionContent",
        request_id: str,
        revision: int | None,
    ) -> PublishResult:
        """Publish under the next free number; retry after a lost race."""
        for attempt in range(_MAX_TRIES):
            check_revision(template, revision)
            result = self._try_publish(template, content, request_id)
            if result is not None:
                return result
            time.sleep(random.uniform(0, min(_MAX_PAUSE_S, 0.01 * 2**attempt)))  # noqa: S311
            template = self._templates.one(template.workspace_id, template.id)
        raise Conflict("conflict", "Others publish this template all the time; try again.")

    def _try_publish(
        self, template: Template, content: "_VersionContent", request_id: str
    ) -> PublishResult | None:
        now = self._clock.now()
        number = (template.live_version or 0) + 1
        version = PublishedVersion(
            number,
            content.stored,
            format_rfc3339(now),
            content.note,
            content.draft_revision,
            content.rollback_of,
            content.thumbnail,
        )
        event = published_event(template, version, request_id, now)
        changed = with_live(template, version)._replace(updated_at=version.published_at)
        changes = [*_LIVE_FIELDS, "updated_at"]
        # Replacing an unpublished draft removes its source, so the draft must be unchanged as well.
        unchanged = ["live_version"]
        if version.draft_revision is not None:
            changed = changed._replace(published_revision=version.draft_revision)
            changes.append("published_revision")
            unchanged.append("draft_revision")
        sets: dict[str, RowValue] = {name: getattr(changed, name) for name in changes}
        new = version.new_thumbnail
        settled = [] if new is None else [new.id]
        write = self._templates.change(template, sets, unchanged=unchanged, settled=settled)
        try:
            self._table.transact([write, *self._version_writes(template, version, event)])
        except ConditionFailed:
            return None
        log.info("template published", extra={"template": template.id, "version": number})
        crash_if_armed(CrashPoint.TEMPLATE_WRITTEN)
        self._publish(event)
        crash_if_armed(CrashPoint.TEMPLATE_EVENT_SENT)
        return PublishResult(changed, version)

    def _version_writes(
        self, template: Template, version: PublishedVersion, event: DomainEvent
    ) -> list[Write]:
        writes = [self._templates.publication(template, version), self._outbox.creation(event)]
        new = version.new_thumbnail
        if new is not None:
            writes.append(self._files.lasting(new, template.workspace_id))
        return writes


class _VersionContent(NamedTuple):
    """Version without its number and time, which a retry changes."""

    stored: StoredText
    note: str | None = None
    draft_revision: int | None = None
    rollback_of: int | None = None
    thumbnail: StoredFile | None = None


def with_live(template: Template, version: PublishedVersion) -> Template:
    """Return a template with this live version."""
    return template._replace(
        live_version=version.number,
        live_published_at=version.published_at,
        live_note=version.note,
        live_thumbnail=None if version.thumbnail is None else version.thumbnail.id,
    )


def check_revision(template: Template, revision: int | None) -> None:
    """Raise `draft_revision_conflict` if the draft no longer has this revision."""
    if revision is not None and template.draft_revision != revision:
        raise Conflict(
            "draft_revision_conflict",
            f"The draft has revision {template.draft_revision}, not {revision}: it was changed "
            "meanwhile. Read it again, and repeat the request with the revision that it has now.",
        )


def published_event(
    template: Template, version: PublishedVersion, request_id: str, now: dt.datetime
) -> DomainEvent:
    """Return the event `template.published` of one version; its id is derived, so it is unique."""
    kind = TEMPLATE_PUBLISHED.name
    return DomainEvent(
        id=derived_id("evt", id_created_at(template.id), template.id, kind, str(version.number)),
        type=kind,
        workspace_id=template.workspace_id,
        subject=template_partition(template.workspace_id, template.id),
        request_id=request_id,
        created_at=format_rfc3339(now),
        detail={"name": template.name, **version_json(template, version)},
    )
