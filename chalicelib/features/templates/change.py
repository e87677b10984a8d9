"""Change of a template's own fields: name, description, lock."""

from collections.abc import Mapping
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed, RowValue, Table
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import Conflict
from chalicelib.features.templates.model import Template
from chalicelib.features.templates.repository import Templates

_MAX_TRIES: Final = 10


class ChangeTemplate(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Changes templates; the last of two concurrent changes of one field wins."""

    table: Table
    templates: Templates
    clock: Clock

    def __call__(self, template: Template, fields: Mapping[str, RowValue]) -> Template:
        """Set fields and return the template.

        Raises `template_deleted` or `template_not_found` if it was removed meanwhile.
        """
        sets = {name: value for name, value in fields.items() if getattr(template, name) != value}
        if not sets:
            return template
        for _ in range(_MAX_TRIES):
            sets["updated_at"] = format_rfc3339(self.clock.now())
            try:
                # A transaction: a late update would undo a newer change.
                self.table.transact([self.templates.change(template, sets)])
            except ConditionFailed:
                # The status has changed: deleted, and perhaps already restored. Read it again.
                template = self.templates.one(template.workspace_id, template.id)
            else:
                return Template(**(template._asdict() | sets))
        raise Conflict("conflict", "Others change this template all the time; try again.")
