"""Keep a source: in the row that names it, or first announced and then in the bucket."""

import datetime as dt
from contextlib import suppress
from dataclasses import replace
from typing import Final

from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.core.clock import Clock, rfc3339
from chalicelib.core.ids import Ids
from chalicelib.features.templates.contents import (
    TemplateContents,
    is_large,
    stored_as,
    text_of,
)
from chalicelib.features.templates.model import Source, Stored, Template
from chalicelib.features.templates.repository import Templates

# A request has 29 s: what is unsettled by then belongs to nobody.
SETTLED_WITHIN: Final = dt.timedelta(hours=1)


class KeepSource:
    """Makes sure that no object in the bucket is without a row that tells of it."""

    def __init__(
        self,
        *,
        tables: Tables,
        templates: Templates,
        contents: TemplateContents,
        clock: Clock,
        ids: Ids,
    ) -> None:
        """Build from the stores."""
        self._tables = tables
        self._templates = templates
        self._contents = contents
        self._clock = clock
        self._ids = ids

    def of_new(self, template: Template, source: Source) -> Stored:
        """Keep the first source of a template that is about to be made, as its `creating` row."""
        text = text_of(source)
        if not is_large(text):
            return stored_as(text, None)
        now = self._clock.now()
        name = self._ids.new("src", now)
        announced = replace(template, status="creating", unsettled={name: rfc3339(now)})
        self._tables.write(self._templates.announcement(announced, self.due_at()))
        self._contents.put(template.workspace_id, template.id, name, text)
        return stored_as(text, name)

    def of(self, template: Template, source: Source) -> Stored:
        """Keep a further source; raises ConditionFailed where the template is gone meanwhile."""
        text = text_of(source)
        if not is_large(text):
            return stored_as(text, None)
        now = self._clock.now()
        name = self._ids.new("src", now)
        more = {name: rfc3339(now)}
        change = self._templates.change(template, {}, unsettled=more, due_at=self.due_at())
        self._tables.write(change)
        self._contents.put(template.workspace_id, template.id, name, text)
        return stored_as(text, name)

    def due_at(self) -> str:
        """Return when what is unsettled now is to be looked at."""
        return rfc3339(self._clock.now() + SETTLED_WITHIN)

    def give_up(self, template: Template, names: list[str]) -> None:
        """Remove sources that no row names any more, or never will."""
        if not names:
            return
        self._contents.delete(template.workspace_id, template.id, names)
        # Refused: the template is deleted; what it has unsettled goes with it.
        with suppress(ConditionFailed):
            self._tables.write(self._templates.change(template, {}, settled=names))
