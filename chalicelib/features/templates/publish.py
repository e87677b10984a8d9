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
from chalicelib.core.clock import Clock, rfc3339
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.core.errors import Conflict
from chalicelib.features.facts.model import Fact
from chalicelib.features.facts.repository import Facts
from chalicelib.features.templates.contents import TemplateContents
from chalicelib.features.templates.facts import published_fact
from chalicelib.features.templates.model import Draft, Source, Stored, Template, Version
from chalicelib.features.templates.repository import Templates

log = logging.getLogger(__name__)

# Whoever loses a race takes the next number; each round has a winner.
_ROUNDS: Final = 60
_LONGEST_PAUSE_S: Final = 0.2


@dataclass(frozen=True, slots=True)
class NewDataset:
    """A dataset that comes with a template which is not there yet."""

    name: str
    data: Mapping[str, Any]
    is_default: bool


class Rehearse(Protocol):
    """Renders every dataset of a template in full; nothing of it is stored or billed."""

    def __call__(
        self,
        template: Template,
        source: Source,
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
class Published:
    """A template and the version that was made."""

    template: Template
    version: Version


class PublishTemplate:
    """Publishes drafts, and older versions again; each number is given once, without gaps."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        tables: Tables,
        templates: Templates,
        contents: TemplateContents,
        facts: Facts,
        tell: Callable[[Fact], None],
        rehearse: Rehearse,
        clock: Clock,
    ) -> None:
        """Build from the stores; `tell` sends a fact, `rehearse` renders the datasets."""
        self._tables = tables
        self._templates = templates
        self._contents = contents
        self._facts = facts
        self._tell = tell
        self._rehearse = rehearse
        self._clock = clock

    def draft(
        self,
        template: Template,
        *,
        note: str | None,
        revision: int | None,
        request_id: str,
        deadline: float,
    ) -> Published:
        """Publish the draft once all datasets came out well; raises `draft_revision_conflict`."""
        check_revision(template, revision)
        draft = self._templates.draft(template)
        check_revision(template, draft.revision)
        source = self._source(template, draft)
        self._rehearse(template, source, datasets=None, deadline=deadline)
        more = {"note": note, "draft_revision": draft.revision}
        return self._until_first(template, draft.stored, more, request_id, draft.revision)

    def rollback(self, template: Template, number: int, request_id: str) -> Published:
        """Publish an older version's content again; raises `version_not_found`."""
        old = self._templates.version(template, number)
        return self._until_first(template, old.stored, {"rollback_of": number}, request_id, None)

    def first(
        self, template: Template, stored: Stored, request_id: str, now: dt.datetime
    ) -> tuple[Version, list[Write], Fact]:
        """Return version 1 of a template that is being made, its writes, and its fact."""
        version = Version(1, stored, rfc3339(now), draft_revision=template.draft_revision)
        fact = published_fact(template, version, request_id, now)
        return version, self._writes(template, version, fact), fact

    def told(self, fact: Fact) -> None:
        """Send a fact that is written; where that fails, the tick does it."""
        self._tell(fact)

    def _source(self, template: Template, draft: Draft) -> Source:
        try:
            return self._contents.source(template.workspace_id, template.id, draft.stored)
        except LookupError:
            # A draft that was replaced took its source with it.
            there = self._templates.one(template.workspace_id, template.id)
            check_revision(there, draft.revision)
            raise

    def _until_first(
        self,
        template: Template,
        stored: Stored,
        more: Mapping[str, Any],
        request_id: str,
        revision: int | None,
    ) -> Published:
        """Publish under the next number that nobody else takes meanwhile."""
        for number in range(_ROUNDS):
            check_revision(template, revision)
            made = self._try(template, stored, more, request_id)
            if made is not None:
                return made
            time.sleep(random.uniform(0, min(_LONGEST_PAUSE_S, 0.01 * 2**number)))  # noqa: S311
            template = self._templates.one(template.workspace_id, template.id)
        raise Conflict("conflict", "Others publish this template all the time; try again.")

    def _try(
        self, template: Template, stored: Stored, more: Mapping[str, Any], request_id: str
    ) -> Published | None:
        now = self._clock.now()
        number = (template.live_version or 0) + 1
        version = Version(number, stored, rfc3339(now), **more)
        fact = published_fact(template, version, request_id, now)
        changed: dict[str, Any] = {"live_version": number, "updated_at": rfc3339(now)}
        # A draft that is replaced takes its source with it, unless it was published.
        still = ["live_version"]
        if version.draft_revision is not None:
            changed["published_revision"] = version.draft_revision
            still.append("draft_revision")
        write = self._templates.change(template, changed, still=still)
        try:
            self._tables.transact([write, *self._writes(template, version, fact)])
        except ConditionFailed:
            return None
        log.info("template published", extra={"template": template.id, "version": number})
        here(CrashPoint.TEMPLATE_WRITTEN)
        self._tell(fact)
        here(CrashPoint.TEMPLATE_TOLD)
        return Published(replace(template, **changed), version)

    def _writes(self, template: Template, version: Version, fact: Fact) -> list[Write]:
        return [self._templates.publication(template, version), self._facts.creation(fact)]


def check_revision(template: Template, revision: int | None) -> None:
    """Refuse a revision that is not the draft's any more."""
    if revision is not None and template.draft_revision != revision:
        raise Conflict(
            "draft_revision_conflict",
            f"The draft has revision {template.draft_revision}, not {revision}: it was changed "
            "meanwhile. Read it again, and repeat the request with the revision that it has now.",
        )
