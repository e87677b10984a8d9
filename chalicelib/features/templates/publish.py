"""Publish: what a draft holds becomes the next version, which never changes."""

import datetime as dt
import logging
import random
import time
from collections.abc import Callable, Mapping, Sequence
from copy import replace
from dataclasses import dataclass
from typing import Any, Final, Protocol

from chalicelib.adapters.aws.table import ConditionFailed, Tables, Write
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import Conflict
from chalicelib.core.ids import derived_id, id_created_at
from chalicelib.features.events.model import DomainEvent
from chalicelib.features.events.repository import EventOutbox
from chalicelib.features.templates.model import (
    Draft,
    PublishedVersion,
    SourceBundle,
    StoredText,
    Template,
)
from chalicelib.features.templates.repository import Templates
from chalicelib.features.templates.rows import template_partition
from chalicelib.features.templates.source_texts import SourceTexts

log = logging.getLogger(__name__)

# Whoever loses a race takes the next number; each round has a winner.
_MAX_TRIES: Final = 60
_MAX_PAUSE_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class NewDataset:
    """A dataset that comes with a template which is not there yet."""

    name: str
    data: Mapping[str, Any]
    is_default: bool


class DatasetDryRun(Protocol):
    """Renders every dataset of a template in full; nothing of it is stored or billed."""

    def __call__(
        self,
        template: Template,
        source: SourceBundle,
        *,
        datasets: Sequence[NewDataset] | None,
        deadline: float,
    ) -> None:
        """Return when all of them came out well, by the deadline (Unix seconds).

        `datasets` are those of a template that is not there yet; None: those that are kept. Raises
        what the first that failed would be refused with, `render_timeout` where there is no time.
        """
        ...


@dataclass(frozen=True, slots=True)
class PublishResult:
    """A template and the version that was made."""

    template: Template
    version: PublishedVersion


class PublishTemplate:
    """Publishes drafts, and older versions again; each number is given once, without gaps."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        tables: Tables,
        templates: Templates,
        contents: SourceTexts,
        outbox: EventOutbox,
        publish: Callable[[DomainEvent], None],
        dry_run: DatasetDryRun,
        clock: Clock,
    ) -> None:
        """Build from the stores; `tell` sends a fact, `rehearse` renders the datasets."""
        self._tables = tables
        self._templates = templates
        self._contents = contents
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
        """Publish the draft once all datasets came out well; raises `draft_revision_conflict`."""
        check_revision(template, revision)
        draft = self._templates.draft(template)
        check_revision(template, draft.revision)
        source = self._draft_source(template, draft)
        self._dry_run(template, source, datasets=None, deadline=deadline)
        more = {"note": note, "draft_revision": draft.revision}
        return self._publish_next(template, draft.stored, more, request_id, draft.revision)

    def rollback(self, template: Template, number: int, request_id: str) -> PublishResult:
        """Publish an older version's content again; raises `version_not_found`."""
        old = self._templates.version(template, number)
        return self._publish_next(template, old.stored, {"rollback_of": number}, request_id, None)

    def first_version(
        self, template: Template, stored: StoredText, request_id: str, now: dt.datetime
    ) -> tuple[PublishedVersion, list[Write], DomainEvent]:
        """Return version 1 of a template that is being made, its writes, and its fact."""
        version = PublishedVersion(
            1, stored, format_rfc3339(now), draft_revision=template.draft_revision
        )
        fact = published_event(template, version, request_id, now)
        return version, self._version_writes(template, version, fact), fact

    def publish(self, fact: DomainEvent) -> None:
        """Send a fact that is written; where that fails, the tick does it."""
        self._publish(fact)

    def _draft_source(self, template: Template, draft: Draft) -> SourceBundle:
        try:
            return self._contents.source(template.workspace_id, template.id, draft.stored)
        except LookupError:
            # A draft that was replaced took its source with it.
            there = self._templates.one(template.workspace_id, template.id)
            check_revision(there, draft.revision)
            raise

    def _publish_next(
        self,
        template: Template,
        stored: StoredText,
        more: Mapping[str, Any],
        request_id: str,
        revision: int | None,
    ) -> PublishResult:
        """Publish under the next number that nobody else takes meanwhile."""
        for number in range(_MAX_TRIES):
            check_revision(template, revision)
            made = self._try_publish(template, stored, more, request_id)
            if made is not None:
                return made
            time.sleep(random.uniform(0, min(_MAX_PAUSE_S, 0.01 * 2**number)))  # noqa: S311
            template = self._templates.one(template.workspace_id, template.id)
        raise Conflict("conflict", "Others publish this template all the time; try again.")

    def _try_publish(
        self, template: Template, stored: StoredText, more: Mapping[str, Any], request_id: str
    ) -> PublishResult | None:
        now = self._clock.now()
        number = (template.live_version or 0) + 1
        version = PublishedVersion(number, stored, format_rfc3339(now), **more)
        fact = published_event(template, version, request_id, now)
        changed: dict[str, Any] = {"live_version": number, "updated_at": format_rfc3339(now)}
        # A draft that is replaced takes its source with it, unless it was published.
        still = ["live_version"]
        if version.draft_revision is not None:
            changed["published_revision"] = version.draft_revision
            still.append("draft_revision")
        write = self._templates.change(template, changed, unchanged=still)
        try:
            self._tables.transact([write, *self._version_writes(template, version, fact)])
        except ConditionFailed:
            return None
        log.info("template published", extra={"template": template.id, "version": number})
        crash_if_armed(CrashPoint.TEMPLATE_WRITTEN)
        self._publish(fact)
        crash_if_armed(CrashPoint.TEMPLATE_EVENT_SENT)
        return PublishResult(replace(template, **changed), version)

    def _version_writes(
        self, template: Template, version: PublishedVersion, fact: DomainEvent
    ) -> list[Write]:
        return [self._templates.publication(template, version), self._outbox.creation(fact)]


def check_revision(template: Template, revision: int | None) -> None:
    """Refuse a revision that is not the draft's any more."""
    if revision is not None and template.draft_revision != revision:
        raise Conflict(
            "draft_revision_conflict",
            f"The draft has revision {template.draft_revision}, not {revision}: it was changed "
            "meanwhile. Read it again, and repeat the request with the revision that it has now.",
        )


def published_event(
    template: Template, version: PublishedVersion, request_id: str, now: dt.datetime
) -> DomainEvent:
    """Return the fact `template.published` of one version."""
    kind = "template.published"
    return DomainEvent(
        id=derived_id("evt", id_created_at(template.id), template.id, kind, str(version.number)),
        type=kind,
        workspace_id=template.workspace_id,
        subject=template_partition(template.workspace_id, template.id),
        request_id=request_id,
        created_at=format_rfc3339(now),
        detail={"version": version.number},
    )
