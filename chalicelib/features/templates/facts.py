"""The fact of templates: that a version was published."""

import datetime as dt

from chalicelib.core.clock import rfc3339
from chalicelib.core.ids import derived, made_at
from chalicelib.features.facts.model import Fact
from chalicelib.features.templates.model import Template, Version
from chalicelib.features.templates.rows import partition


def published_fact(template: Template, version: Version, request_id: str, now: dt.datetime) -> Fact:
    """Return the fact `template.published` of one version."""
    kind = "template.published"
    return Fact(
        id=derived("evt", made_at(template.id), template.id, kind, str(version.number)),
        type=kind,
        workspace_id=template.workspace_id,
        subject=partition(template.workspace_id, template.id),
        request_id=request_id,
        created_at=rfc3339(now),
        detail={"version": version.number},
    )
